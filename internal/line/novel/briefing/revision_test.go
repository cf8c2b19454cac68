package briefing

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"sluice/internal/golden"
	"sluice/internal/line/novel/story"
	"sluice/internal/prompt"
)

func TestPartsOfARevisionRead(t *testing.T) {
	set, err := prompt.Load(os.DirFS(".."), "prompts")
	if err != nil {
		t.Fatal(err)
	}
	b, plan, c := clockmaker("en")
	c.Scenes = append(c.Scenes, story.GeneratedScene{SceneNumber: 3, Content: "The lamp went out. Nobody spoke."})
	var shown strings.Builder
	for _, so := range []Revised{{Chapter: c, From: 0, To: 2}, {Chapter: c, From: 2, To: 3, Changes: []string{"it is dusk when she\nleaves"}}} {
		brief, err := ForRevisionPart(b, plan, so, "- timeline: let night come once", Options{Wishes: []string{"more rain"}})
		if err != nil {
			t.Fatal(err)
		}
		shown.WriteString(mustShow(t, set, brief, fmt.Sprintf("scenes %d to %d", brief.From, brief.To)))
	}
	golden.Check(t, "prompt_revision-part.golden", shown.String())
}

// TestPartsOfARevisionStayFlat: what a part is told beside its own scenes does not grow with the chapter.
func TestPartsOfARevisionStayFlat(t *testing.T) {
	for _, tongue := range tongues() {
		b, plan, c := tongue.book(30, 20), tongue.plan(20, 40), tongue.chapter(20, 40)
		var changes []string
		used := map[int]int{}
		for from := 0; from < 40; from += 4 {
			brief, err := ForRevisionPart(b, plan, Revised{Chapter: c, From: from, To: from + 4, Changes: changes}, "- gap: say why", Options{})
			if err != nil {
				t.Fatal(err)
			}
			if used[from] = brief.Account.Used; used[from] > DefaultBudget {
				t.Errorf("%s, scene %d: %d tokens are over the budget", tongue.tag, from+1, used[from])
			}
			for i := range 5 {
				changes = append(changes, tongue.text(2, i))
			}
		}
		if used[32]*100 > used[24]*103 {
			t.Errorf("%s: parts grow: %v", tongue.tag, used)
		}
		t.Log(tongue.tag, used)
	}
}
