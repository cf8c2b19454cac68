package novel

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sluice/internal/kernel"
	"sluice/internal/line/novel/story"
)

// TestNothingBeginsAfterAPendingChapter: whatever reports say under whatever policy, no chapter after the lowest pending
// one is begun, every chapter before it is written, and the gate refuses exactly what lies after it.
func TestNothingBeginsAfterAPendingChapter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		chapters := rapid.IntRange(1, 3).Draw(rt, "chapters")
		s := settings(nil)
		s.RevisionPolicy = rapid.SampledFrom([]story.RevisionPolicy{story.RevisionNone, story.AutoApply, story.ManualConfirm}).Draw(rt, "revision")
		s.LogicReviewPolicy = rapid.SampledFrom([]story.LogicReviewPolicy{story.LogicOff, story.LogicBlocking}).Draw(rt, "logic")
		bad := rapid.SliceOfN(rapid.IntRange(0, 3), chapters, chapters).Draw(rt, "bad")
		say := func(bit int, yes, no string) func(inputs) string {
			return func(in inputs) string {
				if bad[in.Chapter-1]&bit != 0 {
					return yes
				}
				return no
			}
		}
		p := &pen{chapters: chapters, scenes: 1, say: map[string]func(inputs) string{
			"consistency":  say(1, fixable(1)(inputs{Chapter: 1}), `{"summary":"","issues":[]}`),
			"logic-review": say(2, scored(1, 10)(inputs{Chapter: 1}), scored(1, 90)(inputs{Chapter: 1})),
		}}
		b := write(t, p, s, Goal{}, nil)
		want := slices.IndexFunc(bad, func(x int) bool {
			return x&1 != 0 && s.RevisionPolicy == story.ManualConfirm || x&2 != 0 && s.LogicReviewPolicy == story.LogicBlocking
		}) + 1
		pending := Pending(b.run)
		if want == 0 && len(pending) > 0 || want > 0 && !slices.Equal(pending, []int{want}) {
			rt.Fatalf("pending %v, want %d", pending, want)
		}
		for n := 1; n <= chapters; n++ {
			_, isBegun := b.run.Node(ChapterNode(n, StepPlan))
			isBehind := want > 0 && n > want
			if isBegun == isBehind {
				rt.Errorf("chapter %d, blocked at %d: begun is %v", n, want, isBegun)
			}
			err := Gate(b.run, b.body, Request{Chapters: []int{n}, Listed: true})
			if (err != nil) != isBehind {
				rt.Errorf("chapter %d, blocked at %d: the gate says %v", n, want, err)
			}
		}
	})
}

// TestAChapterResumesAtTheFirstMissingScene: what was paid for is not asked again.
func TestAChapterResumesAtTheFirstMissingScene(t *testing.T) {
	failing := true
	p := &pen{chapters: 2, scenes: 3}
	p.say = map[string]func(inputs) string{"scene-text": func(in inputs) string {
		if failing && in.Chapter == 1 && in.Scene == 2 {
			return "   "
		}
		return fmt.Sprintf("Ana went on, %d.%d.", in.Chapter, in.Scene)
	}}
	isAgain := false
	b := write(t, p, settings(nil), Goal{}, func(b *book, s kernel.Stamp) []Deed {
		if isAgain || len(b.ends) < 2 {
			return nil
		}
		if b.ends[0].State != Broken || b.ends[0].Node != SceneNode(1, 2) || b.ends[1].State != Reached {
			t.Errorf("ends are %+v: chapter 1 fails and chapter 2 goes on", b.ends)
		}
		isAgain, failing, b.pen.asked = true, false, nil
		return Reopen(b.run, s, Goal{})
	})
	if want := []string{"scene-text 1.2", "scene-text 1.3", "chapter-memory 1", "consistency 1"}; !slices.Equal(p.asked, want) {
		t.Errorf("asked again for %v, want %v", p.asked, want)
	}
	if c := b.text(1); len(c.Scenes) != 3 {
		t.Errorf("chapter 1 has %d scenes", len(c.Scenes))
	}
}
