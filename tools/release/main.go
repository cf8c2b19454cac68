// Release builds the archives of Sluice: for each platform a static binary with completions, manual pages, README and
// LICENSE, beside it an SBOM read from the binary's own build information, and SHA256SUMS over all of them. The same
// commit, built with the same Go, gives the same bytes.
//
//	go -C tools run ./release -root .. -out ../dist -target linux/amd64,darwin/arm64
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var targets string
	r := release{say: os.Stderr}
	flag.StringVar(&r.root, "root", ".", "root `DIR` of the repository")
	flag.StringVar(&r.out, "out", "dist", "`DIR` that the release is written to; its earlier files are replaced")
	flag.StringVar(&targets, "target", "", "platforms `OS/ARCH,…`; empty is this one")
	flag.StringVar(&r.version, "version", "", "`VERSION`; empty is what git describe says")
	flag.Parse()
	for t := range strings.SplitSeq(targets, ",") {
		if t != "" {
			r.targets = append(r.targets, t)
		}
	}
	if err := r.make(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is one release on its way.
type release struct {
	root, out string
	targets   []string
	version   string
	commit    string
	date      string // of the commit, RFC 3339 UTC
	epoch     int64  // the same, for files and pages
	say       *os.File

	extras []entry           // what every archive holds beside the binary
	known  map[string]string // licences of modules, once they were looked for
}

func (r *release) make(ctx context.Context) error {
	var err error
	if r.root, err = filepath.Abs(r.root); err != nil {
		return err
	}
	if r.out, err = filepath.Abs(r.out); err != nil {
		return err
	}
	if err := r.describe(ctx); err != nil {
		return err
	}
	if err := r.clear(); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "sluice-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if len(r.targets) == 0 {
		r.targets = []string{host()}
	}
	if err := r.gather(ctx, work); err != nil {
		return err
	}
	for _, t := range r.targets {
		if err := r.target(ctx, work, t); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	return r.sums()
}

// clear removes what an earlier release left: files of ours by their names, and nothing else.
func (r *release) clear() error {
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(r.out, "sluice_*"))
	if err != nil {
		return err
	}
	for _, f := range append(old, filepath.Join(r.out, sumsName)) {
		if err := os.RemoveAll(f); err != nil {
			return err
		}
	}
	return nil
}

// target builds, describes and packs one platform.
func (r *release) target(ctx context.Context, work, target string) error {
	binary, err := r.build(ctx, work, target)
	if err != nil {
		return err
	}
	if err := checkStatic(binary, target); err != nil {
		return err
	}
	name := "sluice_" + strings.TrimPrefix(r.version, "v") + "_" + strings.ReplaceAll(target, "/", "_")
	bill, err := r.sbom(ctx, binary)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.out, name+".cdx.json"), bill, 0o644); err != nil {
		return err
	}
	body, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	files := append([]entry{{filepath.Base(binary), body, true}}, r.extras...)
	fmt.Fprintf(r.say, "%s  %d bytes\n", name, len(body))
	return r.pack(name, files, strings.HasPrefix(target, "windows/"))
}
