package export

import (
	"encoding/json"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func codes(rep Report) []string {
	all := []string{}
	for _, f := range rep.Findings {
		all = append(all, f.Code+" "+f.Path)
	}
	return all
}

func TestVerifyDirFindsEveryDamage(t *testing.T) {
	file := func(body string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(body)} }
	for name, c := range map[string]struct {
		damage func(fstest.MapFS)
		want   []string
	}{
		"nothing":         {func(fstest.MapFS) {}, []string{}},
		"empty":           {func(d fstest.MapFS) { clear(d) }, []string{"manifest_missing manifest.json"}},
		"deleted":         {func(d fstest.MapFS) { delete(d, "world.md") }, []string{"file_missing world.md"}},
		"altered":         {func(d fstest.MapFS) { d["world.md"] = file("a World\n") }, []string{"file_altered world.md"}},
		"cut":             {func(d fstest.MapFS) { d["kit/css/a.css"] = file("p{") }, []string{"file_altered kit/css/a.css"}},
		"added":           {func(d fstest.MapFS) { d["kit/new"] = file("") }, []string{"file_extra kit/new"}},
		"litter":          {func(d fstest.MapFS) { d["kit/.DS_Store"] = file("") }, []string{"file_litter kit/.DS_Store"}},
		"renamed":         {func(d fstest.MapFS) { d["World.md"] = d["world.md"]; delete(d, "world.md") }, []string{"file_extra World.md", "file_missing world.md"}},
		"a directory":     {func(d fstest.MapFS) { d["world.md"] = &fstest.MapFile{Mode: fs.ModeDir | 0o755} }, []string{"file_unreadable world.md"}},
		"a pipe":          {func(d fstest.MapFS) { d["pipe"] = &fstest.MapFile{Mode: fs.ModeNamedPipe} }, []string{"file_extra pipe"}},
		"no JSON":         {func(d fstest.MapFS) { d[ManifestName] = file("{]") }, []string{"manifest_bad manifest.json"}},
		"another JSON":    {func(d fstest.MapFS) { d[ManifestName] = file(`{"format":"x"}`) }, []string{"manifest_bad manifest.json"}},
		"a newer program": {func(d fstest.MapFS) { d[ManifestName] = file(`{"format":"sluice/export@2"}`) }, []string{"manifest_newer manifest.json"}},
	} {
		tree, _ := mustBundle(t)
		dir := tree.dirs["out"]
		c.damage(dir)
		if diff := cmp.Diff(c.want, codes(VerifyDir(dir))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestVerifyDirFindsAManifestThatContradictsItself(t *testing.T) {
	const bad, no = "manifest_bad manifest.json", "not_approved manifest.json"
	for name, c := range map[string]struct {
		forge func(*Manifest)
		want  []string
	}{
		"mark removed":    {func(m *Manifest) { m.Entries[3].Candidate = false }, []string{no}},
		"mark turned":     {func(m *Manifest) { m.Entries[3].Candidate, m.Entries[3].Approved = false, true }, []string{no}},
		"both":            {func(m *Manifest) { m.Entries[0].Candidate = true }, []string{bad}},
		"no grounds":      {func(m *Manifest) { m.Entries[0].By = Grounds{} }, []string{no}},
		"no files":        {func(m *Manifest) { m.Entries[0].Files = nil }, []string{bad, "file_extra world.md"}},
		"another digest":  {func(m *Manifest) { m.Entries[0].Digest = m.Entries[1].Digest }, []string{bad}},
		"another version": {func(m *Manifest) { m.Entries[0].Files[0].Version = "x@1" }, []string{bad}},
		"another size":    {func(m *Manifest) { m.Entries[0].Files[0].Size++ }, []string{bad}},
		"listed twice":    {func(m *Manifest) { m.Entries = append(m.Entries, m.Entries[0]) }, []string{bad}},
		"out of it":       {func(m *Manifest) { m.Entries[0].Files[0].Path = "../world.md" }, []string{bad, "file_extra world.md"}},
		"itself":          {func(m *Manifest) { m.Entries[0].Files[0].Path = ManifestName }, []string{bad, "file_extra world.md"}},
	} {
		tree, _ := mustBundle(t)
		dir := tree.dirs["out"]
		var m Manifest
		if err := json.Unmarshal(dir[ManifestName].Data, &m); err != nil {
			t.Fatal(err)
		}
		c.forge(&m)
		text, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		dir[ManifestName] = &fstest.MapFile{Data: text}
		if diff := cmp.Diff(c.want, codes(VerifyDir(dir))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func FuzzVerifyDir(f *testing.F) {
	f.Add([]byte(`{"format":"sluice/export@1","items":[{"node":"a","version":"a@1","approved":true,"by":{"rule":"none"},` +
		`"digest":"sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",` +
		`"files":[{"path":"x","sha256":"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881","size":1,"version":"a@1"}]}]}`))
	f.Add([]byte(`{"format":"sluice/export@1","items":[{"files":[{"path":"../x"},{"path":"manifest.json"},{"path":""}]}]}`))
	f.Add([]byte(`{"format":"sluice/export@9"}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, text []byte) {
		rep := VerifyDir(fstest.MapFS{ManifestName: {Data: text}, "x": {Data: []byte("x")}})
		if len(rep.Findings) > 0 {
			return
		}
		// A bundle without a finding lists x, which is there, in one item and nothing else.
		if rep.Files != 1 || rep.Bytes != 1 {
			t.Errorf("no finding in %s: %+v", text, rep)
		}
	})
}
