package novel

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/line/novel/briefing"
	"sluice/internal/line/novel/story"
)

func TestALongChapterIsRevisedInParts(t *testing.T) {
	scene := func(tokens int) story.GeneratedScene {
		return story.GeneratedScene{Content: strings.Repeat("abc ", tokens)}
	}
	for name, c := range map[string]struct {
		sizes, want []int
	}{
		"no scenes":          {nil, []int{0}},
		"short":              {[]int{1000, 2000, 3000}, []int{3}},
		"one scene too long": {[]int{9000}, []int{1}},
		"a token too much":   {[]int{1000, 2000, 3001}, []int{2, 3}},
		"scenes too long":    {[]int{9000, 100, 9000}, []int{1, 2, 3}},
		"several parts":      {[]int{2500, 2500, 2500, 2500, 2500}, []int{2, 4, 5}},
	} {
		var ch story.GeneratedChapter
		for _, n := range c.sizes {
			ch.Scenes = append(ch.Scenes, scene(n))
		}
		if diff := cmp.Diff(c.want, revisionParts(ch)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// longWinded writes scenes of so many words.
func longWinded(scenes, words int) *pen {
	return &pen{chapters: 1, scenes: scenes, say: map[string]func(inputs) string{
		"consistency": fixable(1),
		"scene-text": func(in inputs) string {
			return fmt.Sprintf("Scene %d. %s", in.Scene, strings.Repeat("Ana left the quay. ", words/4))
		},
	}}
}

// TestARevisionInPartsIsOneCandidate: every scene is revised once and keeps its place, however many replies it takes.
func TestARevisionInPartsIsOneCandidate(t *testing.T) {
	for words, calls := range map[int]int{400: 1, 2000: 3} { // in five scenes: 2,500 tokens, and 11,900
		p := longWinded(5, words)
		s := settings(func(s *story.Settings) { s.RevisionPolicy = story.ManualConfirm })
		b := write(t, p, s, Goal{}, nil)
		if got := p.count("revision"); got != calls {
			t.Errorf("%d words: %d calls, want %d", words, got, calls)
		}
		before, after := b.text(1), b.revision(1).RevisedChapter
		if after == nil || len(after.Scenes) != 5 || after.ChapterTitle != before.ChapterTitle || after.TotalWords != before.TotalWords+15 {
			t.Fatalf("%d words: the candidate is %+v", words, after)
		}
		for i, scene := range after.Scenes {
			if want := before.Scenes[i].Content + " It was mended."; scene.Content != want || scene.SceneNumber != i+1 {
				t.Errorf("%d words: scene %d is %.40q…", words, i+1, scene.Content)
			}
		}
	}
}

// TestAPartOfARevisionThatDoesNotFitIsRefused: a part holds its own scenes, and hands little on.
func TestAPartOfARevisionThatDoesNotFitIsRefused(t *testing.T) {
	var c story.GeneratedChapter
	for n := range 4 {
		c.Scenes = append(c.Scenes, story.GeneratedScene{SceneNumber: n + 1, Content: "old"})
	}
	v := revising{of: judged{text: c}, ends: []int{2, 4}, so: briefing.Revised{Chapter: c}}
	part := func(numbers ...int) string {
		var reply revisionPartReply
		for _, n := range numbers {
			reply.Scenes = append(reply.Scenes, revisedScene{n, "new"})
		}
		reply.Changes = strings.Fields("a b c d e f g")
		return mustEncode(reply)
	}
	first, flaws := v.with(part(1, 2))
	if len(flaws) > 0 || first.so.From != 2 || len(first.so.Changes) != maxChanges || v.so.Chapter.Scenes[0].Content != "old" {
		t.Fatalf("the first part: %q, %+v", flaws, first.so)
	}
	first.done++
	for name, c := range map[string]struct{ reply, want string }{
		"scenes of another part": {part(1, 2), "scenes[0].scene_number is 1, and scene 3 is there"},
		"the whole chapter":      {part(1, 2, 3, 4), "there are 4 scenes, and 2 are revised"},
		"no JSON":                {"{", "unexpected end of JSON input"},
	} {
		if _, flaws := first.with(c.reply); len(flaws) == 0 || flaws[0] != c.want {
			t.Errorf("%s: got %q, want %q", name, flaws, c.want)
		}
	}
	second, flaws := first.with(part(3, 4))
	if len(flaws) > 0 || second.so.Chapter.Scenes[3].Content != "new" || second.so.Chapter.Scenes[0].Content != "new" {
		t.Errorf("a part that fits: %q, %+v", flaws, second.so.Chapter)
	}
}
