package novel

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/digest"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel/briefing"
	"sluice/internal/line/novel/story"
)

func TestALongOutlineIsMadeInParts(t *testing.T) {
	for chapters, calls := range map[int]int{1: 1, 20: 1, 21: 2, 40: 2, 41: 3, 103: 6} {
		p := &pen{chapters: chapters, scenes: 1}
		b := write(t, p, story.DefaultSettings(), Goal{Until: StepOutline}, nil)
		o, err := OutlineOf(b.run, b.body)
		if err != nil || o == nil {
			t.Fatalf("%d chapters: no outline: %v", chapters, err)
		}
		if len(o.Chapters) != chapters || o.Chapters[chapters-1].ChapterNumber != chapters || o.StoryPremise != "p" {
			t.Errorf("%d chapters: the outline has %d, %q", chapters, len(o.Chapters), o.StoryPremise)
		}
		if got := p.count("outline"); got != calls {
			t.Errorf("%d chapters: %d calls, want %d", chapters, got, calls)
		}
	}
}

// TestAPartThatDoesNotFitIsRefused: numbers are ours, and a part is held against all parts before it.
func TestAPartThatDoesNotFitIsRefused(t *testing.T) {
	o := outlining{book: briefing.Book{Settings: story.Settings{TargetChapters: 30}}}
	part := func(n int, anchor string, dependsOn int) string {
		reply := outlineReply{StoryPremise: "p"}
		for range n {
			reply.Chapters = append(reply.Chapters, story.OutlineChapter{ChapterNumber: 7, TimelineAnchor: anchor,
				Dependencies: []story.Dependency{{ChapterNumber: dependsOn}}})
		}
		return mustEncode(reply)
	}
	first, flaws := o.with(part(15, "day 40", 0))
	if len(flaws) > 0 || first.so.Chapters[14].ChapterNumber != 15 || len(o.so.Chapters) != 0 {
		t.Fatalf("the first part: %v, %+v", flaws, first.so.Chapters)
	}
	first.parts++
	for name, c := range map[string]struct{ reply, want string }{
		"too few":                 {part(14, "day 41", 0), "there are 14 chapters, and chapters 16 to 30 are 15"},
		"time runs backwards":     {part(15, "day 39", 0), `chapters[0].timeline_anchor: chapter 16 is at "day 39", before chapter 1 at "day 40"`},
		"builds on a later one":   {part(15, "day 41", 30), "chapters[0].dependencies[0]: chapter 16 depends on chapter 30"},
		"it is no JSON":           {"{", "unexpected end of JSON input"},
		"of the parts before too": {part(15, "day 41", 16), "chapters[0].dependencies[0]: chapter 16 depends on chapter 16"},
	} {
		if _, flaws := first.with(c.reply); len(flaws) == 0 || !strings.Contains(flaws[0], c.want) {
			t.Errorf("%s: got %q, want %q", name, flaws, c.want)
		}
	}
	if _, flaws := first.with(part(15, "day 41", 15)); len(flaws) > 0 {
		t.Errorf("a part that fits: %q", flaws)
	}
}

// TestAnOutlineComesOutTheSameWithoutThen: whoever asks the step itself with all replies gets what going on gives.
func TestAnOutlineComesOutTheSameWithoutThen(t *testing.T) {
	l, err := New()
	if err != nil {
		t.Fatal(err)
	}
	p := &pen{chapters: 50}
	in := line.In{Run: kernel.NewRun(), Node: bookNodes()[4], Wanted: []kernel.NodeID{WorldNode, ThemeNode, CharactersNode}}
	s := story.DefaultSettings()
	s.TargetChapters = p.chapters
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	in.Inputs = []line.Doc{{Version: kernel.Version{Node: SettingsNode}, Body: raw}}
	step := l.Steps[StepOutline]
	then := step
	var prompts []string
	for range 10 {
		m, err := then(in)
		again, errAgain := step(in)
		if err != nil || errAgain != nil || cmp.Diff(m.Done, again.Done) != "" {
			t.Fatalf("the step says otherwise: %v, %v", err, errAgain)
		}
		if m.Done != nil {
			if len(prompts) != 3 || !strings.Contains(prompts[2], "owed since 33") || !strings.Contains(prompts[2], "33 Part 33") {
				t.Errorf("%d prompts, the last:\n%s", len(prompts), prompts[len(prompts)-1])
			}
			return
		}
		if len(m.Calls) != 1 || m.Calls[0].Prompt != again.Calls[0].Prompt || m.Calls[0].Slot != fmt.Sprint(len(prompts)+1) {
			t.Fatalf("other calls: %+v", m.Calls)
		}
		if flaws := m.Calls[0].Check(p.answer(m.Calls[0])); len(flaws) > 0 {
			t.Fatalf("a good part is refused: %q", flaws)
		}
		prompts = append(prompts, m.Calls[0].Prompt)
		in.Replies = append(in.Replies, line.Reply{Content: p.answer(m.Calls[0])})
		then = m.Then
	}
	t.Error("it does not end")
}

// TestGoodPartsOutliveSpoiltTakes: takes that were lost to unusable replies count for the calls of later ones, until content
// is thrown away on purpose.
func TestGoodPartsOutliveSpoiltTakes(t *testing.T) {
	stamp := kernel.Stamp{By: kernel.Actor{Kind: kernel.Engine}, At: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	node := makeNode(WorldNode, StepWorld, "World", params{})
	node.Attempts = 3
	r := kernel.NewRun()
	apply := func(c kernel.Command) {
		t.Helper()
		if _, err := kernel.Apply(r, c); err != nil {
			t.Fatal(err)
		}
	}
	apply(kernel.Open{Stamp: stamp, Run: "r", Line: Name, Title: "r", Nodes: []kernel.Node{node}})
	fail := func(class kernel.ErrorClass) func(kernel.Attempt) kernel.Command {
		return func(a kernel.Attempt) kernel.Command {
			return kernel.Fail{Stamp: stamp, Attempt: a.ID, Error: kernel.StepError{Code: "x", Message: "x", Class: class, Final: true}}
		}
	}
	bad, down := fail(kernel.BadReply), fail(kernel.Retryable)
	deliver := func(a kernel.Attempt) kernel.Command {
		return kernel.Deliver{Stamp: stamp, Attempt: a.ID, Content: kernel.Content{Digest: digest.Of([]byte(a.ID)), Size: 1, Schema: "s"}}
	}
	for i, c := range []struct {
		before kernel.Command
		end    func(kernel.Attempt) kernel.Command
		want   int
	}{
		{nil, bad, 0},
		{nil, down, 1},
		{kernel.Reopen{Stamp: stamp, Node: node.ID}, bad, 1},
		{nil, bad, 2},
		{kernel.Reopen{Stamp: stamp, Node: node.ID}, deliver, 3}, // a new wish after all attempts were used
		{kernel.Revise{Stamp: stamp, Nodes: []kernel.NodeID{node.ID}}, bad, 0},
		{nil, deliver, 1},
	} {
		n, _ := r.Node(node.ID)
		if c.before != nil && n.Status() != kernel.StatusReady {
			apply(c.before)
		}
		apply(kernel.Begin{Stamp: stamp, Node: node.ID})
		n, _ = r.Node(node.ID)
		a := *n.Open()
		if got := spoilt(line.In{Run: r, Node: node, Attempt: a}); got != c.want {
			t.Errorf("attempt %d of take %d: %d takes count before it, want %d", i+1, a.Take, got, c.want)
		}
		apply(c.end(a))
	}
	for i, want := range []int{0, 1, 1, 2, 3, 0, 1} { // the same when it is asked later, as a replay does
		a, _ := r.Attempt(kernel.AttemptID(r.AttemptsAt(node.ID)[i].ID))
		if got := spoilt(line.In{Run: r, Node: node, Attempt: *a}); got != want {
			t.Errorf("afterwards, attempt %d: %d, want %d", i+1, got, want)
		}
	}
}
