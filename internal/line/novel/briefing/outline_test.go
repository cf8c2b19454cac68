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

func TestPartsOfAnOutlineRead(t *testing.T) {
	set, err := prompt.Load(os.DirFS(".."), "prompts")
	if err != nil {
		t.Fatal(err)
	}
	b, _, _ := clockmaker("en")
	b.Settings.TargetChapters = 30
	so := Outlined{Outline: b.Outline, Open: []string{"the key (chapter 2)"}}
	for i := len(so.Chapters) + 1; i <= 15; i++ {
		so.Chapters = append(so.Chapters, story.OutlineChapter{ChapterNumber: i, ChapterTitle: fmt.Sprintf("Title %d", i), Summary: "She goes on. The key is lost.", TimelineAnchor: fmt.Sprintf("day %d", i)})
	}
	var shown strings.Builder
	for _, part := range []struct {
		so       Outlined
		from, to int
	}{{Outlined{}, 1, 15}, {so, 16, 30}} {
		brief, err := ForOutlinePart(b, part.so, part.from, part.to, Options{Wishes: []string{"more rain"}})
		if err != nil {
			t.Fatal(err)
		}
		shown.WriteString(mustShow(t, set, brief, fmt.Sprintf("chapters %d to %d", part.from, part.to)))
	}
	golden.Check(t, "prompt_outline-part.golden", shown.String())
}

// TestPartsOfAnOutlineStayFlat: the tenth part costs what the fifth does, in any language.
func TestPartsOfAnOutlineStayFlat(t *testing.T) {
	for _, tongue := range tongues() {
		b := tongue.book(1000, 1)
		used := map[int]int{}
		for _, from := range []int{1, 21, 101, 501, 981} {
			so := Outlined{Outline: b.Outline, Open: []string{tongue.text(2, 1), tongue.text(2, 3)}}
			so.Chapters = so.Chapters[:from-1]
			brief, err := ForOutlinePart(b, so, from, from+19, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if used[from] = brief.Account.Used; used[from] > DefaultBudget {
				t.Errorf("%s, chapter %d: %d tokens are over the budget", tongue.tag, from, used[from])
			}
		}
		if used[981]*100 > used[101]*103 || used[501]*100 > used[101]*103 {
			t.Errorf("%s: parts grow: %v", tongue.tag, used)
		}
		t.Log(tongue.tag, used)
	}
}
