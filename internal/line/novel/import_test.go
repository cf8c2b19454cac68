package novel

import (
	"testing"
	"time"

	"sluice/internal/digest"
	"sluice/internal/kernel"
	"sluice/internal/line/novel/story"
)

func TestAProjectWithoutAJournalIsTakenOver(t *testing.T) {
	p := &pen{chapters: 2}
	files := map[string]string{
		"settings.json":                      "\ufeff{\"premise\":\"a tide\",\"logic_review_policy\":\"blocking\"}\r\n",
		"world.json":                         `{"world_name":"V","time_period":"t","geography":"g","social_system":"s","technology_level":"t","culture_customs":"c"}`,
		"outline.json":                       mustEncode(p.outline()),
		"theme_conflict.json":                `{"core_theme": `,
		"chapters/chapter_001.json":          `{"chapter_number":1,"chapter_title":"One","scenes":[{"scene_number":1,"content":"It rained."}]}`,
		"chapters/chapter_001_plan.json":     `{"chapter_number":1,"chapter_title":"One","scenes":[{"scene_number":7,"location":"q","characters":[],"purpose":"p","key_actions":[]}]}`,
		"chapters/chapter_002_revision.json": `{"status":"pending","revision_notes":"mend it"}`,
		"chapters/chapter_003_revision.json": `{"status":`,
		"chapter_memory.json":                `[{"chapter_number":1,"chapter_title":"One","summary":"rain"},{"chapter_number":9,"chapter_title":"x","summary":"none"},5]`,
	}
	var found []Found
	for path, body := range files {
		place, ok := story.ParsePlace(path)
		if !ok {
			t.Fatalf("%s is no place", path)
		}
		found = append(found, Found{Place: place, Path: "projects/tide/" + path, Body: []byte(body)})
	}
	open, err := Open("tide", story.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	open.Stamp = kernel.Stamp{By: kernel.Actor{Kind: kernel.Person}, At: time.Unix(1000, 0)}
	r := kernel.NewRun()
	if _, err := kernel.Apply(r, open); err != nil {
		t.Fatal(err)
	}
	deeds, flaws := Import(r, open.Stamp, found)
	bodies := map[digest.Digest][]byte{}
	for _, d := range deeds {
		for _, b := range d.Bodies {
			bodies[digest.Of(b)] = b
		}
		if _, err := kernel.Apply(r, d.Command); err != nil {
			t.Fatalf("%T: %v", d.Command, err)
		}
	}
	body := func(v *kernel.Version) ([]byte, error) { return bodies[v.Digest], nil }
	if got := Pending(r); len(got) != 2 || got[0] != 2 || got[1] != 3 {
		t.Errorf("pending %v, want 2 and the one that cannot be read", got)
	}
	if s, err := SettingsOf(r, body); err != nil || s.LogicReviewPolicy != story.LogicBlocking || s.Premise != "a tide" {
		t.Errorf("settings %+v %v", s, err)
	}
	text, _ := r.Node(ChapterNode(1, StepText))
	if text.Approved() == nil || text.Approved().By.Kind != kernel.File || text.Approved().Digest != digest.Of([]byte(files["chapters/chapter_001.json"])) {
		t.Errorf("chapter 1 is %+v: bytes that can be kept are kept", text.Approved())
	}
	if r.Approved(ChapterNode(1, StepMemory)) == nil || r.Approved(ThemeNode) != nil {
		t.Error("memory of chapter 1 was not taken over, or a broken file was")
	}
	broken := map[string]bool{}
	for _, f := range flaws {
		broken[f.Path] = f.Broken
	}
	if isBroken, ok := broken["projects/tide/theme_conflict.json"]; !ok || !isBroken {
		t.Errorf("flaws are %v", flaws)
	}
	err = Gate(r, body, Request{Chapters: []int{3}, Listed: true})
	t.Log(err)
	if err == nil {
		t.Error("chapter 3 may begin")
	}
	st, err := NewGuide(Goal{}).Next(r, body, open.Stamp)
	if err != nil || len(st.Drive) == 0 || st.Drive[0] != ThemeNode {
		t.Errorf("the next stage is %+v, %v: what is missing is made, what is there is used", st, err)
	}
}
