package novel

import (
	"testing"

	"sluice/internal/kernel"
	"sluice/internal/line/novel/story"
)

func TestChaptersOfRehearsalAreTold(t *testing.T) {
	p := &pen{chapters: 3, scenes: 2, say: map[string]func(inputs) string{"consistency": fixable(2)}}
	b := write(t, p, settings(func(s *story.Settings) { s.RevisionPolicy = story.AutoApply }), Goal{}, nil)
	of := func(id kernel.NodeID) kernel.AttemptID { return b.run.Approved(id).Attempt }
	for name, c := range map[string]struct {
		rehearsed []kernel.NodeID
		want      [3]bool
	}{
		"nothing":                          {nil, [3]bool{}},
		"one scene":                        {[]kernel.NodeID{SceneNode(1, 2)}, [3]bool{true, false, false}},
		"a text that was revised for real": {[]kernel.NodeID{SceneNode(2, 1), SceneNode(2, 2)}, [3]bool{}},
		"a revision":                       {[]kernel.NodeID{CandidateNode(2, 1)}, [3]bool{false, true, false}},
		"what is no text makes none of it": {[]kernel.NodeID{ChapterNode(3, StepPlan), ChapterNode(3, StepMemory)}, [3]bool{}},
	} {
		known := map[kernel.AttemptID]bool{}
		for _, id := range c.rehearsed {
			known[of(id)] = true
		}
		for n := 1; n <= 3; n++ {
			if got := Rehearsed(b.run, n, func(a kernel.AttemptID) bool { return known[a] }); got != c.want[n-1] {
				t.Errorf("%s: chapter %d is rehearsed: %v", name, n, got)
			}
		}
	}
	if Rehearsed(b.run, 9, func(kernel.AttemptID) bool { return true }) {
		t.Error("a chapter that is not there is rehearsed")
	}
}
