package novel

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel/story"
)

// once lets a person act once, when the book has come to rest before a chapter that waits.
func once(act func(b *book, s kernel.Stamp) []Deed) func(*book, kernel.Stamp) []Deed {
	isDone := false
	return func(b *book, s kernel.Stamp) []Deed {
		if isDone || len(Pending(b.run)) == 0 {
			return nil
		}
		isDone = true
		s.By = kernel.Actor{Kind: kernel.Person, Name: "ann", Via: "cli"}
		return act(b, s)
	}
}

func must(t *testing.T) func([]Deed, error) []Deed {
	return func(d []Deed, err error) []Deed {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
}

func manual() story.Settings {
	return settings(func(s *story.Settings) { s.RevisionPolicy = story.ManualConfirm })
}

func TestApplyOpensTheGate(t *testing.T) {
	p := &pen{chapters: 2, scenes: 1, say: map[string]func(inputs) string{"consistency": fixable(1)}}
	b := write(t, p, manual(), Goal{}, once(func(b *book, s kernel.Stamp) []Deed { return must(t)(Apply(b.run, b.body, s, 1, false)) }))
	if !strings.Contains(b.text(1).Scenes[0].Content, "mended") {
		t.Error("the candidate is not the chapter")
	}
	rev := b.revision(1)
	if rev.Status != story.RevisionAccepted || rev.DecisionAt == "" || !strings.Contains(rev.DecidedBy, "ann") {
		t.Errorf("the revision is %+v", rev)
	}
	text, memory := b.run.Approved(ChapterNode(1, StepText)), b.run.Approved(ChapterNode(1, StepMemory))
	if text.By.Name != "ann" || !slices.Contains(memory.Parents, text.ID) || b.run.Approved(ChapterNode(2, StepText)) == nil {
		t.Errorf("text by %s, memory of %v", text.By, memory.Parents)
	}
	if p.count("consistency") != 2 || p.count("revision") != 1 {
		t.Errorf("asked %v: what was applied is not checked again", p.asked)
	}
}

func TestRejectKeepsTheChapter(t *testing.T) {
	p := &pen{chapters: 2, scenes: 1, say: map[string]func(inputs) string{"consistency": fixable(1)}}
	b := write(t, p, manual(), Goal{}, once(func(b *book, s kernel.Stamp) []Deed { return must(t)(Reject(b.run, b.body, s, 1, "it is fine")) }))
	if n, _ := b.run.Node(ChapterNode(1, StepText)); len(n.Versions()) != 1 || b.revision(1).Status != story.RevisionRejected || b.run.Approved(ChapterNode(2, StepText)) == nil {
		t.Errorf("versions %v, revision %+v", n.Versions(), b.revision(1))
	}
}

func TestACandidateOfAnotherTextIsStale(t *testing.T) {
	p := &pen{chapters: 2, scenes: 1, say: map[string]func(inputs) string{"consistency": fixable(1)}}
	step := 0
	write(t, p, manual(), Goal{}, func(b *book, s kernel.Stamp) []Deed {
		s.By = kernel.Actor{Kind: kernel.Person, Name: "ann"}
		if len(Pending(b.run)) == 0 {
			return nil
		}
		switch step++; step {
		case 1: // the text is edited by hand, which clears nothing
			c := b.text(1)
			c.Scenes[0].Content = "By hand."
			return []Deed{submit(s, ChapterNode(1, StepText), SchemaText, []byte(mustEncode(c)), "")}
		case 2:
			if !slices.Equal(Pending(b.run), []int{1}) {
				t.Error("an edit cleared the pending")
			}
			if _, err := Apply(b.run, b.body, s, 1, false); fault.CodeOf(err) != fault.StaleCandidate {
				t.Errorf("got %v, want stale_candidate", err)
			}
			return must(t)(Apply(b.run, b.body, s, 1, true))
		}
		return nil
	})
	if step < 2 {
		t.Errorf("%d steps were taken", step)
	}
}

func TestRegenSupersedesAndChecksAgain(t *testing.T) {
	checks := 0
	p := &pen{chapters: 2, scenes: 2, say: map[string]func(inputs) string{"consistency": func(in inputs) string {
		if checks++; checks == 1 {
			return fixable(1)(in)
		}
		return `{"summary":"fine","issues":[]}`
	}}}
	regen := Goal{Until: StepText, Alone: true, Chapters: []int{1}}
	b := write(t, p, manual(), Goal{}, once(func(b *book, s kernel.Stamp) []Deed { return Force(b.run, s, regen) }))
	if len(Pending(b.run)) != 0 || b.run.Approved(ChapterNode(2, StepText)) == nil {
		t.Errorf("pending %v", Pending(b.run))
	}
	if p.count("scene-text") != 6 || p.count("chapter-plan") != 2 || p.count("consistency") != 3 {
		t.Errorf("asked %v", p.asked)
	}
	if rev, _ := RevisionOf(b.run, b.body, 1); rev != nil {
		t.Errorf("the revision is still shown: %+v", rev)
	}
	if again := Force(b.run, kernel.Stamp{}, regen); len(again) < 2 {
		t.Errorf("a forced scope that is done is not forced again: %v", again)
	}
}

func TestReviewReleasesAHandRepairedText(t *testing.T) {
	blocking := settings(func(s *story.Settings) { s.LogicReviewPolicy = story.LogicBlocking })
	for name, tt := range map[string]struct {
		second int
		isOpen bool
	}{"a pass supersedes": {80, true}, "a fail renews": {30, false}} {
		t.Run(name, func(t *testing.T) {
			reviews := 0
			p := &pen{chapters: 2, scenes: 1, say: map[string]func(inputs) string{"logic-review": func(in inputs) string {
				if reviews++; reviews == 1 {
					return scored(1, 20)(in)
				}
				return scored(in.Chapter, tt.second)(in)
			}}}
			step := 0
			b := write(t, p, blocking, Goal{}, func(now *book, s kernel.Stamp) []Deed {
				if step == 0 && len(Pending(now.run)) == 0 {
					return nil
				}
				step++
				s.By = kernel.Actor{Kind: kernel.Person, Name: "ann"}
				switch step {
				case 1:
					c := now.text(1)
					c.Scenes[0].Content = "By hand, and better."
					text := submit(s, ChapterNode(1, StepText), SchemaText, []byte(mustEncode(c)), "")
					return []Deed{text}
				case 2:
					d, id, err := WishReport(now.run, now.body, s, 1, StepLogic, false)
					now.also = []kernel.NodeID{id}
					return must(t)(d, err)
				case 3:
					return must(t)(ReviewOutcome(now.run, now.body, s, 1))
				}
				return nil
			})
			if isOpen := len(Pending(b.run)) == 0; isOpen != tt.isOpen || isOpen != (b.run.Approved(ChapterNode(2, StepText)) != nil) {
				t.Errorf("pending %v after a review with %d", Pending(b.run), tt.second)
			}
			if !tt.isOpen && b.revision(1).Base != string(b.run.Approved(ChapterNode(1, StepText)).Digest) {
				t.Errorf("the pending was not renewed: %+v", b.revision(1))
			}
		})
	}
}

func TestRollbackTakesBackWhatFollows(t *testing.T) {
	p := &pen{chapters: 3, scenes: 2}
	b := write(t, p, settings(nil), Goal{}, nil)
	has := func(ids []kernel.NodeID, id kernel.NodeID) bool { return slices.Contains(ids, id) }
	for name, tt := range map[string]struct {
		got      []kernel.NodeID
		in, out_ []kernel.NodeID
	}{
		"chapter": {RollbackTo(b.run, "", 2, 0), []kernel.NodeID{ChapterNode(2, StepPlan), ChapterNode(3, StepMemory)}, []kernel.NodeID{ChapterNode(1, StepText), OutlineNode}},
		"scene":   {RollbackTo(b.run, "", 2, 2), []kernel.NodeID{SceneNode(2, 2), ChapterNode(2, StepText), ChapterNode(3, StepPlan)}, []kernel.NodeID{SceneNode(2, 1), ChapterNode(2, StepPlan)}},
		"text":    {RollbackTo(b.run, StepText, 0, 0), []kernel.NodeID{SceneNode(1, 1), ChapterNode(3, StepText)}, []kernel.NodeID{ChapterNode(1, StepPlan)}},
		"outline": {RollbackTo(b.run, StepOutline, 0, 0), []kernel.NodeID{OutlineNode, ChapterNode(1, StepPlan)}, []kernel.NodeID{WorldNode}},
	} {
		for _, id := range tt.in {
			if !has(tt.got, id) {
				t.Errorf("%s: %s stays", name, id)
			}
		}
		for _, id := range tt.out_ {
			if has(tt.got, id) {
				t.Errorf("%s: %s goes back", name, id)
			}
		}
	}
}

// TestAPendingBeginsByTheJournalNotByTheClock: a chapter that was written anew and waits again, all within a second, is not
// released by another review of that text: it has failed, and what waited before is another matter.
func TestAPendingBeginsByTheJournalNotByTheClock(t *testing.T) {
	score := 60
	p := &pen{chapters: 2, scenes: 1, say: map[string]func(inputs) string{"logic-review": func(in inputs) string { return scored(1, score)(in) }}}
	step := 0
	b := write(t, p, settings(func(s *story.Settings) { s.LogicReviewPolicy = story.LogicBlocking }), Goal{}, func(b *book, s kernel.Stamp) []Deed {
		s.By = kernel.Actor{Kind: kernel.Person, Name: "ann"}
		if len(Pending(b.run)) == 0 {
			return nil
		}
		switch step++; step {
		case 1:
			return Force(b.run, s, Goal{Until: StepText, Alone: true, Chapters: []int{1}})
		case 2:
			n, _ := b.run.Node(ChapterNode(1, StepRevision))
			opened, _, err := pendingSince(b.run, n, withinASecond(b.body))
			if err != nil || opened != n.Newest() || opened.Seq < b.run.Approved(ChapterNode(1, StepText)).Seq {
				t.Errorf("it is pending since %+v (%v), and the newest is %+v", opened, err, n.Newest())
			}
			score = 100
			deeds, node, err := WishReport(b.run, b.body, s, 1, StepLogic, true)
			b.also = []kernel.NodeID{node}
			return must(t)(deeds, err)
		case 3:
			if deeds := must(t)(ReviewOutcome(b.run, withinASecond(b.body), s, 1)); len(deeds) > 0 {
				t.Errorf("a second review of the text that failed releases it: %+v", deeds)
			}
		}
		return nil
	})
	if step < 3 || !slices.Equal(Pending(b.run), []int{1}) {
		t.Errorf("after %d steps %v are pending", step, Pending(b.run))
	}
}

// withinASecond reads every date as the same.
func withinASecond(body line.Body) line.Body {
	dates := regexp.MustCompile(`"created_at": "[^"]*"`)
	return func(v *kernel.Version) ([]byte, error) {
		raw, err := body(v)
		return dates.ReplaceAll(raw, []byte(`"created_at": "2026-01-01T00:00:00Z"`)), err
	}
}
