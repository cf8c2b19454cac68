package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestALongOutlineKilledBetweenItsParts kills the outlining of a long book just before and after everything that becomes
// durable: no part is paid for twice, and the outline is the one that comes out undisturbed.
func TestALongOutlineKilledBetweenItsParts(t *testing.T) {
	s := newShell(t)
	s.write("sluice.yaml", "engine:\n  workers: 1\n")
	p := &planned{dir: s.dir}
	s.mustRun(0, "novel", "new", "b", "--premise", "Часовщица находит часы, которые идут назад", "--chapters", "105", "--words-per-scene", "20")
	s.mustRun(0, "novel", "run", "b", "--until", "characters")
	args := []string{"novel", "run", "b", "--until", "outline"}
	points, whole := p.points(t, args...)
	want, keys := whole.book(), whole.paid("novel-b")
	var o struct {
		Chapters []struct {
			Number int    `json:"chapter_number"`
			Anchor string `json:"timeline_anchor"`
		}
	}
	if err := json.Unmarshal([]byte(want["outline.json"]), &o); err != nil {
		t.Fatal(err)
	}
	if len(o.Chapters) != 105 || len(keys) != 9 || points < 30 {
		t.Fatalf("%d chapters, %d calls and %d points: want 105 chapters of 6 calls after 3", len(o.Chapters), len(keys), points)
	}
	for i, c := range o.Chapters {
		if c.Number != i+1 {
			t.Errorf("chapter %d has number %d", i+1, c.Number)
		}
	}
	for _, at := range sample(t, points, 8) {
		t.Run(fmt.Sprintf("point %d of %d", at, points), func(t *testing.T) {
			t.Parallel()
			s := p.killed(t, at, args...)
			s.mustRun(0, args...)
			if diff := cmp.Diff(want, s.book()); diff != "" {
				t.Errorf("the outline differs from one that was made undisturbed (-want +got):\n%s", diff)
			}
			if paid := s.paid("novel-b"); !maps.Equal(keys, paid) {
				t.Errorf("other calls were paid for (-want +got):\n%s", cmp.Diff(keys, paid))
			}
			s.mustRun(0, "verify")
		})
	}
}
