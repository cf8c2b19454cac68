package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestReleaseOfThisPlatform makes a real release of the host's platform and holds every part of it against what other
// programs say.
func TestReleaseOfThisPlatform(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("it builds the whole program, and reads a tar archive")
	}
	dir := mustRelease(t)
	name := "sluice_9.8.7_" + runtime.GOOS + "_" + runtime.GOARCH
	mustMatchSums(t, dir, name+".cdx.json", name+".tar.gz")
	files := mustUntar(t, filepath.Join(dir, name+".tar.gz"), name)
	for _, want := range []string{"LICENSE", "README.md", "completions/sluice.bash", "completions/_sluice", "completions/sluice.fish",
		"completions/sluice.ps1", "man/man1/sluice.1", "man/man1/sluice-man.1"} {
		if len(files[want]) == 0 {
			t.Errorf("the archive has no %s", want)
		}
	}
	binary := filepath.Join(t.TempDir(), "sluice")
	if err := os.WriteFile(binary, files["sluice"], 0o755); err != nil {
		t.Fatal(err)
	}
	mustBeStatic(t, binary)
	mustSayVersion(t, binary)
	mustListModules(t, filepath.Join(dir, name+".cdx.json"), binary, files["sluice"])

	again := mustRelease(t)
	one, two := mustRead(t, filepath.Join(dir, sumsName)), mustRead(t, filepath.Join(again, sumsName))
	if !bytes.Equal(one, two) {
		t.Errorf("the second release differs:\n%s\n%s", one, two)
	}
}

func mustRelease(t *testing.T) string {
	t.Helper()
	r := release{root: filepath.Join("..", ".."), out: t.TempDir(), version: "v9.8.7", say: os.Stderr}
	if err := r.make(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r.out
}

func mustRead(t *testing.T, file string) []byte {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// mustMatchSums wants the checksums to be of exactly these files, and right.
func mustMatchSums(t *testing.T, dir string, names ...string) {
	t.Helper()
	want := ""
	for _, n := range names {
		want += fmt.Sprintf("%x  %s\n", sha256.Sum256(mustRead(t, filepath.Join(dir, n))), n)
	}
	if got := string(mustRead(t, filepath.Join(dir, sumsName))); got != want {
		t.Errorf("%s says\n%s, want\n%s", sumsName, got, want)
	}
}

func mustUntar(t *testing.T, file, dir string) map[string][]byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(mustRead(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		name, ok := strings.CutPrefix(h.Name, dir+"/")
		if !ok || h.Uid != 0 || h.Uname != "" || h.Typeflag != tar.TypeReg {
			t.Errorf("the archive holds %+v", h)
		}
		if files[name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

func mustBeStatic(t *testing.T, file string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return
	}
	f, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if libs, err := f.ImportedLibraries(); len(libs) > 0 || f.Section(".dynamic") != nil || f.Section(".interp") != nil {
		t.Errorf("the binary is not static: %v, %v", libs, err)
	}
}

func mustSayVersion(t *testing.T, binary string) {
	t.Helper()
	out, err := exec.Command(binary, "version", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var v struct{ Version, Commit, Date, Go string }
	if err := json.Unmarshal(out, &v); err != nil {
		t.Fatal(err)
	}
	head, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := time.Parse(time.RFC3339, v.Date); err != nil || v.Version != "v9.8.7" || v.Commit != strings.TrimSpace(string(head)) || v.Go == "" {
		t.Errorf("the program says %s", out)
	}
}

// mustListModules holds the SBOM against what the Go tool reads out of the same binary.
func mustListModules(t *testing.T, file, binary string, body []byte) {
	t.Helper()
	var doc bom
	if err := json.Unmarshal(mustRead(t, file), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Format != "CycloneDX" || doc.Spec != "1.6" || doc.Metadata.Component.Hashes[0].Content != fmt.Sprintf("%x", sha256.Sum256(body)) {
		t.Errorf("the SBOM begins with %+v", doc.Metadata)
	}
	out, err := exec.Command("go", "version", "-m", binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 4 && f[0] == "dep" {
			want[f[1]+" "+f[2]+" "+f[3]] = true
		}
	}
	licensed := 0
	for _, c := range doc.Components {
		if len(c.Licences) > 0 {
			licensed++
		}
		if c.Name == "std" {
			continue
		}
		row := c.Name + " " + c.Version + " " + c.Props[0].Value
		if !want[row] {
			t.Errorf("the SBOM lists %s, the binary does not", row)
		}
		delete(want, row)
	}
	for row := range want {
		t.Errorf("the SBOM does not list %s", row)
	}
	if n := len(doc.Components); n < 20 || licensed < n*9/10 {
		t.Errorf("%d of %d components have a licence", licensed, n)
	}
}

func TestZipsAreTheSameTwice(t *testing.T) {
	files := []entry{{"sluice.exe", []byte("MZ"), true}, {"man/man1/sluice.1", []byte(".TH"), false}}
	at := time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)
	var one, two bytes.Buffer
	if err := errors.Join(writeZip(&one, "d", files, at), writeZip(&two, "d", files, at)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("the second archive differs")
	}
	r, err := zip.NewReader(bytes.NewReader(one.Bytes()), int64(one.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range r.File {
		if f.Name != "d/"+files[i].name || int64(f.Mode().Perm()) != files[i].mode() || !f.Modified.Equal(at) {
			t.Errorf("the archive holds %s, %s, %s", f.Name, f.Mode(), f.Modified)
		}
	}
}

func TestNamesOfModules(t *testing.T) {
	for in, want := range map[string]string{
		"github.com/BurntSushi/toml":   "pkg:golang/github.com/burntsushi/toml@v1.2.3",
		"modernc.org/sqlite":           "pkg:golang/modernc.org/sqlite@v1.2.3",
		"example.com/a b/v2":           "pkg:golang/example.com/a%20b/v2@v1.2.3",
		"charm.land/bubbletea/v2":      "pkg:golang/charm.land/bubbletea/v2@v1.2.3",
		"github.com/go-logr/logr/slog": "pkg:golang/github.com/go-logr/logr/slog@v1.2.3",
	} {
		if got := purl(in, "v1.2.3"); got != want {
			t.Errorf("purl(%q) = %q, want %q", in, got, want)
		}
	}
	if got := purl("x.y/z", "v2.0.0+incompatible"); got != "pkg:golang/x.y/z@v2.0.0%2Bincompatible" {
		t.Errorf("got %q", got)
	}
	if _, err := sumHash("h1:AAAA"); err == nil {
		t.Error("a short sum was taken")
	}
}

func TestLicencesAreKnownByTheirTexts(t *testing.T) {
	for text, want := range map[string]string{
		"":             "",
		"Do as I say.": "",
		"Permission is hereby granted, free of charge, to any\nperson obtaining a copy":                                          "MIT",
		"Apache License\n  Version 2.0, January 2004":                                                                            "Apache-2.0",
		"Apache License Version 2.0, January 2004. Permission is hereby granted, free of charge, to any person obtaining a copy": "",
		"Redistributions of source code must retain. Redistributions in binary form must reproduce. endorse or promote products": "BSD-3-Clause",
		"Redistributions of source code must retain. Redistributions in binary form must reproduce.":                             "BSD-2-Clause",
	} {
		if got := licenceOf(text); got != want {
			t.Errorf("%.40q is %q, want %q", text, got, want)
		}
	}
}

func TestReleasesRefuseWhatIsNoPlatform(t *testing.T) {
	r := release{root: ".", version: "v1"}
	if _, err := r.build(t.Context(), t.TempDir(), "linux"); err == nil {
		t.Error("a system without a processor was taken")
	}
}
