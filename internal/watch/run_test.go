package watch

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"sluice/internal/app"
	"sluice/internal/golden"
)

func TestRunScreensGolden(t *testing.T) {
	var b strings.Builder
	show := func(name string, width, height int, keys ...string) {
		s := sit(t, newRunView(t.Context(), &pages{docs: []app.WatchDoc{watched(40)}}, testOptions()), width, height)
		s.looks() // the second look knows the words of what is on the screen
		for _, k := range keys {
			if text, ok := strings.CutPrefix(k, "type "); ok {
				s.types(text)
			} else {
				s.keys(k)
			}
		}
		b.WriteString(framed(name, width, height, s.screen()))
	}
	show("wide", 120, 30)
	show("normal", 80, 24, "down", "down")
	show("narrow", 40, 20)
	show("tiny", 40, 5)
	show("one line", 40, 1)
	show("very narrow", 12, 10)
	show("at the end", 80, 16, "G")
	show("filtered", 80, 16, "/", "type done", "enter")
	show("while filtering", 80, 8, "/", "type 第3")
	show("nothing passes", 80, 12, "/", "type xyz", "enter")
	show("events", 80, 12, "tab", "up", "up")
	show("help", 60, 12, "?")
	golden.Check(t, "run.golden", b.String())
}

func TestRunGrowsUnderTheCursor(t *testing.T) {
	small, large := watched(3), watched(12)
	small.Nodes = small.Nodes[1:]
	large.News = nil
	p := &pages{docs: []app.WatchDoc{small, large}}
	v := newRunView(t.Context(), p, testOptions())
	s := sit(t, v, 80, 24)
	s.keys("down")
	if got := v.selected(); got != "chapter/003/text" {
		t.Fatalf("the cursor is on %s", got)
	}
	s.looks()
	if got := v.selected(); got != "chapter/003/text" {
		t.Errorf("the cursor went to %s", got)
	}
	if len(v.events) != 12 {
		t.Errorf("got %d events, want 12", len(v.events))
	}
	if got := p.asked[1]; len(got) != 2 || got[0] != "chapter/002/text" {
		t.Errorf("the words of %v were wanted, not of the two nodes on the screen", got)
	}
}

func TestRunIsResizedAtAnyMoment(t *testing.T) {
	s := sit(t, newRunView(t.Context(), &pages{docs: []app.WatchDoc{watched(40)}}, testOptions()), 80, 24)
	s.keys("G")
	for _, size := range [][2]int{{200, 60}, {1, 1}, {3, 2}, {40, 3}, {80, 9}, {0, 0}, {80, 24}} {
		s.tell(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		s.screen()
	}
	if !strings.Contains(s.screen(), "chapter/040/text") {
		t.Error("the selected node is not on the screen any more")
	}
}

func TestRunEnds(t *testing.T) {
	for _, key := range []string{"q", "ctrl+c"} {
		s := sit(t, newRunView(t.Context(), &pages{docs: []app.WatchDoc{watched(1)}}, testOptions()), 80, 24)
		s.keys("?", key)
		if !s.left {
			t.Errorf("%s does not leave", key)
		}
	}
	v := newRunView(t.Context(), &pages{err: errBroken}, testOptions())
	if s := sit(t, v, 80, 24); !s.left || v.failure() != errBroken {
		t.Errorf("a look that fails ends with %v", v.failure())
	}
}

func TestEventsAreBounded(t *testing.T) {
	v := newRunView(t.Context(), &pages{docs: []app.WatchDoc{watched(1)}}, testOptions())
	for range 200 {
		v.take(watched(1))
	}
	if len(v.events) != maxEvents {
		t.Errorf("got %d events, want %d", len(v.events), maxEvents)
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{-time.Second: "0s", 59 * time.Second: "59s", 125 * time.Second: "2m05s", 3 * time.Hour: "3h00m", 49 * time.Hour: "2d01h"} {
		if got := duration(d); got != want {
			t.Errorf("%s: got %s, want %s", d, got, want)
		}
	}
}
