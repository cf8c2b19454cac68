package backup

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
)

// movedOn is a store in which rows changed after the copy was made.
type movedOn struct {
	rows  map[string]journal.Checkout
	blobs map[digest.Digest]string
}

func (m movedOn) Checkout(_ context.Context, path string) (journal.Checkout, bool, error) {
	r, ok := m.rows[path]
	return r, ok, nil
}

func (m movedOn) Blob(_ context.Context, _ string, _ int64, d digest.Digest) ([]byte, error) {
	return []byte(m.blobs[d]), nil
}

func mustPut(t *testing.T, dir, name, body string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
}

func row(path, body string, seq int64) journal.Checkout {
	return journal.Checkout{Path: path, Run: "r1", Seq: seq, Digest: digest.Of([]byte(body)), Role: journal.Working, Written: true}
}

// written makes a workspace that went on after the copy of its store, and gives its archive.
func written(t *testing.T) ([]byte, Manifest) {
	t.Helper()
	dir := t.TempDir()
	for name, body := range map[string]string{
		"sluice.yaml": "model: {}\n", "own.md": "a person's own", "kept.md": "v1", "edited.md": "mine", "replaced.md": "v2",
		"later.md": "made later", "deep/down/文.md": "深", ".git/config": "x", ".sluice/kept/1/a.md": "an edit", ".sluice/placed": "sha256:x a\n",
		".sluice/log/a.log": "no", ".sluice/driver-1.lock": "", ".sluice/sluice.db": "the live one",
	} {
		mustPut(t, dir, name, body)
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	mustPut(t, filepath.Dir(copied), "copy.db", "the copy")
	then := []journal.Checkout{row("kept.md", "v1", 1), row("edited.md", "v1", 2), row("replaced.md", "v1", 3), row("removed.md", "v1", 4), row("deleted.md", "v1", 5)}
	live := movedOn{rows: map[string]journal.Checkout{}, blobs: map[digest.Digest]string{digest.Of([]byte("v1")): "v1"}}
	for _, r := range then {
		live.rows[r.Path] = r
	}
	live.rows["replaced.md"], live.rows["later.md"] = row("replaced.md", "v2", 9), row("later.md", "made later", 9)
	gone := row("removed.md", "v1", 10)
	gone.Removed = true
	live.rows["removed.md"] = gone
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	var out bytes.Buffer
	m, err := Write(t.Context(), &out, Source{Root: root, Copy: copied, Rows: then, Live: live, At: time.Unix(0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), m
}

func unpackTo(t *testing.T, archive []byte) (string, error) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	_, err = Unpack(t.Context(), bytes.NewReader(archive), root, DefaultLimits(int64(len(archive))))
	return dir, err
}

func TestABackupIsOneMomentOfTheWorkspace(t *testing.T) {
	archive, m := written(t)
	dir, err := unpackTo(t, archive)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	err = filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			body, _ := os.ReadFile(p)
			rel, _ := filepath.Rel(dir, p)
			got[filepath.ToSlash(rel)] = string(body)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"sluice.yaml": "model: {}\n", "own.md": "a person's own", "kept.md": "v1", "edited.md": "mine", "replaced.md": "v1", "removed.md": "v1",
		"deep/down/文.md": "深", ".sluice/kept/1/a.md": "an edit", ".sluice/placed": "sha256:x a\n", ".sluice/sluice.db": "the copy",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("restored (-want +got):\n%s", diff)
	}
	if len(m.LeftOut) != 1 || m.LeftOut[0].Path != ".git" {
		t.Errorf("left out: %v", m.LeftOut)
	}
}

// packed makes an archive of entries as an enemy might.
func packed(t *testing.T, list bool, entries ...tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	m := Manifest{Format: Format}
	put := func(h tar.Header, body string) {
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		if h.Typeflag == tar.TypeReg {
			h.Size = int64(len(body))
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			io.WriteString(w, body)
		}
	}
	put(tar.Header{Name: formatName}, Format)
	for _, h := range append([]tar.Header{{Name: "store/sluice.db"}, {Name: "workspace/sluice.yaml"}}, entries...) {
		put(h, "body")
		m.Entries = append(m.Entries, Entry{Path: h.Name, Size: 4, SHA256: digest.Of([]byte("body")).Hex()})
	}
	if list {
		body, _ := json.Marshal(m)
		put(tar.Header{Name: manifestName}, string(body))
	}
	w.Close()
	z.Close()
	return out.Bytes()
}

func TestHostileArchivesAreRefused(t *testing.T) {
	good, _ := written(t)
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	w := tar.NewWriter(z)
	w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: formatName, Size: int64(len(Format))})
	io.WriteString(w, Format)
	w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "workspace/zeros", Size: 1 << 40})
	z.Close()
	changed := bytes.Clone(good)
	changed[len(changed)/2] ^= 1
	for name, archive := range map[string][]byte{
		"nothing":             nil,
		"text":                []byte("hello"),
		"cut off":             good[:len(good)-30],
		"a bit flipped":       changed,
		"something behind":    packedWith(t, good),
		"no list":             packed(t, false),
		"a bomb":              bomb.Bytes(),
		"up":                  packed(t, true, tar.Header{Name: "workspace/../../x"}),
		"absolute":            packed(t, true, tar.Header{Name: "/etc/passwd"}),
		"absolute below":      packed(t, true, tar.Header{Name: "workspace//etc/passwd"}),
		"a link":              packed(t, true, tar.Header{Name: "workspace/l", Typeflag: tar.TypeSymlink, Linkname: "/etc"}),
		"a hard link":         packed(t, true, tar.Header{Name: "workspace/l", Typeflag: tar.TypeLink, Linkname: "workspace/sluice.yaml"}),
		"a device":            packed(t, true, tar.Header{Name: "workspace/d", Typeflag: tar.TypeChar}),
		"a private file":      packed(t, true, tar.Header{Name: "workspace/.sluice/sluice.db"}),
		"git's":               packed(t, true, tar.Header{Name: "workspace/.git/hooks/pre-commit"}),
		"git's in disguise":   packed(t, true, tar.Header{Name: "workspace/.GIT/hooks/pre-commit"}),
		"a lock":              packed(t, true, tar.Header{Name: "store/driver-1.lock"}),
		"a blob out of place": packed(t, true, tar.Header{Name: "store/blobs/ab/../../x"}),
		"kept and up":         packed(t, true, tar.Header{Name: "store/kept/../x"}),
		"a device name":       packed(t, true, tar.Header{Name: "workspace/NUL"}),
		"control characters":  packed(t, true, tar.Header{Name: "workspace/a\x1bb"}),
		"twice":               packed(t, true, tar.Header{Name: "workspace/a"}, tar.Header{Name: "workspace/a"}),
		"twice by case":       packed(t, true, tar.Header{Name: "workspace/a"}, tar.Header{Name: "workspace/A"}),
		"a file as directory": packed(t, true, tar.Header{Name: "workspace/a"}, tar.Header{Name: "workspace/a/b"}),
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := unpackTo(t, archive)
			if fault.CodeOf(err) != fault.BadArchive {
				t.Errorf("got %v, want bad_archive", err)
			}
			if err != nil && strings.Contains(err.Error(), "\x1b") {
				t.Errorf("the message carries control characters: %q", err)
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(dir), "x")); err == nil {
				t.Error("a file came to be outside")
			}
		})
	}
	if _, err := unpackTo(t, packed(t, true)); err != nil {
		t.Errorf("the smallest good archive: %v", err)
	}
}

// packedWith puts more than anyone needs behind an archive.
func packedWith(t *testing.T, good []byte) []byte {
	t.Helper()
	var more bytes.Buffer
	z := gzip.NewWriter(&more)
	z.Write(make([]byte, 2<<20))
	z.Close()
	return append(bytes.Clone(good), more.Bytes()...)
}
