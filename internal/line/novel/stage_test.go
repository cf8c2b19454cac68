package novel

import (
	"slices"
	"strings"
	"testing"

	"sluice/internal/kernel"
	"sluice/internal/line/novel/story"
)

func settings(change func(*story.Settings)) story.Settings {
	s := story.DefaultSettings()
	if change != nil {
		change(&s)
	}
	return s
}

func TestABookIsWrittenInOrder(t *testing.T) {
	p := &pen{chapters: 3, scenes: 2}
	b := write(t, p, settings(nil), Goal{}, nil)
	want := []string{"world 0", "theme 0", "characters 0", "outline 0"}
	for _, n := range []string{"1", "2", "3"} {
		want = append(want, "chapter-plan "+n, "scene-text "+n+".1", "scene-text "+n+".2", "chapter-memory "+n, "consistency "+n)
	}
	if !slices.Equal(p.asked, want) {
		t.Errorf("asked %v, want %v", p.asked, want)
	}
	if b.run.Status() != kernel.RunDone {
		for n := range b.run.Nodes() {
			t.Logf("%s %s %v", n.ID(), n.Status(), n.Failure())
		}
		t.Errorf("the run is %s", b.run.Status())
	}
	c := b.text(2)
	if c.ChapterNumber != 2 || c.ChapterTitle != "Part 2" || len(c.Scenes) != 2 || c.TotalWords != c.Scenes[0].WordCount+c.Scenes[1].WordCount || c.TotalWords == 0 {
		t.Errorf("chapter 2 is %+v", c)
	}
	if len(b.ends) != 3 || b.ends[2].State != Reached {
		t.Errorf("ends are %+v", b.ends)
	}
}

func TestAScopeTouchesOnlyItsChapters(t *testing.T) {
	p := &pen{chapters: 4, scenes: 1}
	b := write(t, p, settings(nil), Goal{Chapters: []int{2, 4}}, nil)
	if got := Chapters(b.run); !slices.Equal(got, []int{2, 4}) {
		t.Errorf("chapters %v were begun, want 2 and 4", got)
	}
	p = &pen{chapters: 4, scenes: 1}
	b = write(t, p, settings(nil), Goal{Until: StepPlan, Chapters: []int{1}}, nil)
	if b.run.Approved(ChapterNode(1, StepPlan)) == nil || p.count("scene-text") != 0 {
		t.Errorf("asked %v, want a plan and no text", p.asked)
	}
	if b.run.Status() != kernel.RunDone {
		t.Errorf("something hangs around: the run is %s", b.run.Status())
	}
}

func TestDefaultsChangeNothing(t *testing.T) {
	p := &pen{chapters: 2, scenes: 1, say: map[string]func(inputs) string{"consistency": fixable(1), "logic-review": scored(1, 10)}}
	b := write(t, p, settings(nil), Goal{}, nil)
	if p.count("revision") != 0 || p.count("logic-review") != 0 || len(Pending(b.run)) != 0 {
		t.Errorf("asked %v, pending %v", p.asked, Pending(b.run))
	}
	if b.ends[0].Fixable != 1 || b.ends[1].Fixable != 0 {
		t.Errorf("ends are %+v, want one fixable issue in chapter 1", b.ends)
	}
}

func TestAutoApplyReplacesTheText(t *testing.T) {
	p := &pen{chapters: 2, scenes: 2, say: map[string]func(inputs) string{"consistency": fixable(1)}}
	b := write(t, p, settings(func(s *story.Settings) { s.RevisionPolicy, s.LogicReviewPolicy = story.AutoApply, story.LogicBlocking }), Goal{}, nil)
	if c := b.text(1); !strings.Contains(c.Scenes[1].Content, "mended") || len(c.Scenes) != 2 {
		t.Errorf("chapter 1 is %+v", c)
	}
	n, _ := b.run.Node(ChapterNode(1, StepText))
	if len(n.Versions()) != 2 || n.Approved().By.Kind != kernel.Rule {
		t.Errorf("chapter 1 has versions %v", n.Versions())
	}
	if candidate := b.run.Approved(CandidateNode(1, 1)); !slices.Contains(n.Approved().Parents, candidate.ID) {
		t.Errorf("the text does not say that it comes from %s: %v", candidate.ID, n.Approved().Parents)
	}
	logic := b.run.Approved(ChapterNode(1, StepLogic))
	if !slices.Contains(logic.Parents, n.Approved().ID) || p.count("logic-review") != 2 {
		t.Errorf("the review is of %v, want the text that stands; asked %v", logic.Parents, p.asked)
	}
	memory := b.run.Approved(ChapterNode(1, StepMemory))
	if !slices.Contains(memory.Parents, n.Approved().ID) {
		t.Errorf("memory is of %v, want the text that stands", memory.Parents)
	}
	if b.text(2).Scenes[0].Content == "" || len(Pending(b.run)) != 0 {
		t.Error("chapter 2 was not written")
	}
}

func TestAFailedRevisionKeepsTheOriginal(t *testing.T) {
	p := &pen{chapters: 1, scenes: 2, say: map[string]func(inputs) string{"consistency": fixable(1),
		"revision": func(inputs) string { return `{"scenes":[{"scene_number":1,"content":"one"}]}` }}}
	b := write(t, p, settings(func(s *story.Settings) { s.RevisionPolicy = story.AutoApply }), Goal{}, nil)
	n, _ := b.run.Node(ChapterNode(1, StepText))
	if len(n.Versions()) != 1 || n.Status() != kernel.StatusDone {
		t.Errorf("chapter 1 has %d versions and is %s", len(n.Versions()), n.Status())
	}
}

func TestManualConfirmHoldsTheBook(t *testing.T) {
	p := &pen{chapters: 3, scenes: 1, say: map[string]func(inputs) string{"consistency": fixable(2)}}
	b := write(t, p, settings(func(s *story.Settings) { s.RevisionPolicy = story.ManualConfirm }), Goal{}, nil)
	if got := Pending(b.run); !slices.Equal(got, []int{2}) {
		t.Fatalf("pending are %v, want 2", got)
	}
	rev := b.revision(2)
	if rev.Status != story.RevisionPending || rev.TriggeredBy != story.ByConsistency || rev.RevisionNotes != "- timeline: make it day" ||
		rev.RevisedChapter == nil || rev.Base != string(b.run.Approved(ChapterNode(2, StepText)).Digest) || len(rev.Issues) != 1 || rev.CreatedAt == "" {
		t.Errorf("the revision is %+v", rev)
	}
	if strings.Contains(b.text(2).Scenes[0].Content, "mended") {
		t.Error("the chapter was changed")
	}
	if b.run.Approved(ChapterNode(3, StepPlan)) != nil {
		t.Error("chapter 3 was begun")
	}
	if last := b.ends[len(b.ends)-1]; last.State != Waiting || last.Chapter != 2 {
		t.Errorf("the last end is %+v", last)
	}
}

func TestLogicGate(t *testing.T) {
	policy := settings(func(s *story.Settings) { s.LogicReviewPolicy = story.LogicBlocking })
	high := func(inputs) string {
		return `{"overall_score":99,"summary":"x","issues":[{"issue_type":"gap","description":"why","severity":"high"}]}`
	}
	broken := func(inputs) string { return `not json` }
	for name, tt := range map[string]struct {
		say     func(inputs) string
		pending []int
		notes   string
	}{
		"equal to the minimum passes": {scored(1, 75), nil, ""},
		"below blocks":                {scored(1, 74), []int{1}, "- overall_score: 74, needed 75\n- gap: why"},
		"one high issue blocks":       {high, []int{1}, "- overall_score: 99, needed 75\n- gap: why"},
		"a failed review blocks":      {broken, []int{1}, "- logic_review_failed: "},
	} {
		t.Run(name, func(t *testing.T) {
			p := &pen{chapters: 2, scenes: 1, say: map[string]func(inputs) string{"logic-review": tt.say}}
			b := write(t, p, policy, Goal{}, nil)
			if got := Pending(b.run); !slices.Equal(got, tt.pending) {
				t.Fatalf("pending are %v, want %v", got, tt.pending)
			}
			if tt.pending == nil {
				return
			}
			if rev := b.revision(1); rev.TriggeredBy != story.ByLogicReview || !strings.HasPrefix(rev.RevisionNotes, tt.notes) {
				t.Errorf("the revision is %+v", rev)
			}
			if b.run.Approved(ChapterNode(2, StepPlan)) != nil {
				t.Error("chapter 2 was begun")
			}
		})
	}
}

func TestBothTriggersMakeOneRevision(t *testing.T) {
	p := &pen{chapters: 1, scenes: 1, say: map[string]func(inputs) string{"logic-review": scored(1, 20), "consistency": fixable(1)}}
	b := write(t, p, settings(func(s *story.Settings) {
		s.RevisionPolicy, s.LogicReviewPolicy = story.ManualConfirm, story.LogicBlocking
	}), Goal{}, nil)
	rev := b.revision(1)
	want := "- timeline: make it day\n- overall_score: 20, needed 75\n- gap: why"
	if rev.TriggeredBy != story.ByLogicReview || rev.RevisionNotes != want || len(rev.Issues) != 2 || rev.RevisedChapter == nil {
		t.Errorf("the revision is %+v", rev)
	}
}

// TestAGuideFindsItsChaptersOncePerOutline: it is asked several times for every chapter, so that finding them each time would cost
// the square of a book.
func TestAGuideFindsItsChaptersOncePerOutline(t *testing.T) {
	p := &pen{chapters: 3, scenes: 1}
	var stood kernel.VersionID
	guide := NewGuide(Goal{Chapters: []int{2, 3, 9}})
	b := write(t, p, settings(nil), Goal{Until: StepOutline}, func(now *book, s kernel.Stamp) []Deed {
		v := now.run.Approved(OutlineNode)
		if v == nil || stood != "" {
			return nil
		}
		stood = v.ID
		got, err := guide.chapters(now.run, now.body)
		if err != nil || !slices.Equal(got, []int{2, 3}) {
			t.Errorf("chapters %v: %v", got, err)
		}
		if n := testing.AllocsPerRun(10, func() { _, err = guide.chapters(now.run, now.body) }); n > 0 || err != nil {
			t.Errorf("asked again, it takes %v allocations: %v", n, err)
		}
		o := p.outline()
		o.Chapters = append(o.Chapters[2:], o.Chapters[:2]...) // a person may write them in any order
		o.Chapters[0].ChapterNumber = 9
		return []Deed{submit(s, OutlineNode, SchemaOutline, []byte(mustEncode(o)), "")}
	})
	if got, err := guide.chapters(b.run, b.body); err != nil || b.run.Approved(OutlineNode).ID == stood || !slices.Equal(got, []int{2, 9}) {
		t.Errorf("by another outline: %v, %v", got, err)
	}
}
