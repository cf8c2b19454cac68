package export

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"sluice/internal/digest"
	"sluice/internal/fault"
)

// Tree is where bundles are written.
type Tree interface {
	// Sub gives a directory for reading; not_found if it is not there.
	Sub(dir string) (fs.FS, error)
	// ReplaceDir fills a new directory and puts it in the place of dir whole, or leaves dir as it was.
	ReplaceDir(ctx context.Context, dir string, fill func(write func(path string, body []byte) error) error) error
}

// Bodies gives the bytes that the batch holding event seq stored.
type Bodies interface {
	Blob(ctx context.Context, run string, seq int64, d digest.Digest) ([]byte, error)
}

// Write puts the bundle of a plan in the place of dir, whole or not at all. It replaces an earlier bundle; a directory
// that holds anything no export put there is refused.
func Write(ctx context.Context, tree Tree, dir string, m Manifest, items []Item, bodies Bodies) error {
	text, err := m.Encode()
	if err != nil {
		return fault.Wrap(fault.BadValue, m.Run, err, "the manifest of run %s does not render", m.Run)
	}
	if err := mayReplace(tree, dir); err != nil {
		return err
	}
	return tree.ReplaceDir(ctx, dir, func(write func(string, []byte) error) error {
		for _, item := range items {
			if err := ctx.Err(); err != nil {
				return fault.Wrap(fault.Interrupted, dir, err, "the export to %s was interrupted", dir)
			}
			body, err := bodies.Blob(ctx, string(item.Run), item.Seq, item.Digest)
			if err != nil {
				return err
			}
			if got := digest.Of(body); got != item.Digest {
				return fault.New(fault.StoreCorrupt, string(item.Version), "the bytes of %s hash to %s and not to %s",
					item.Version, got.Short(), item.Digest.Short()).With(fault.Action{Action: "doctor", Command: "sluice doctor"})
			}
			if err := write(item.Path, body); err != nil {
				return err
			}
		}
		return write(ManifestName, text)
	})
}

// mayReplace refuses a directory with files that would be lost: what no export put there, or what was changed since.
func mayReplace(tree Tree, dir string) error {
	old, err := tree.Sub(dir)
	if errors.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	entries, err := fs.ReadDir(old, ".")
	if err != nil {
		return fault.Wrap(fault.Unexpected, dir, err, "look into %s", dir)
	}
	if len(entries) == 0 {
		return nil
	}
	away := fault.Action{Action: "move these files away, or export to another directory"}
	var foreign []string
	for _, f := range VerifyDir(old).Findings {
		switch f.Code {
		case ManifestMissing:
			return fault.New(fault.FileExists, dir, "directory %s holds files and no %s: it is no export", dir, ManifestName).With(away)
		case ManifestBad, ManifestNewer:
			return fault.New(fault.FileChanged, dir, "%s/%s: %s", dir, ManifestName, f.Message).With(away)
		case FileExtra, FileAltered:
			foreign = append(foreign, f.Path)
		}
	}
	if len(foreign) == 0 {
		return nil
	}
	const shown = 5
	names := strings.Join(foreign[:min(len(foreign), shown)], ", ")
	if len(foreign) > shown {
		names += " …"
	}
	return fault.New(fault.FileChanged, dir, "directory %s holds %d files that no export wrote as they are: %s",
		dir, len(foreign), names).With(away)
}
