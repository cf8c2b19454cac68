package watch

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"sluice/internal/app"
	"sluice/internal/golden"
	"sluice/internal/kernel"
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

// plan is a plan of n tasks in the middle of its work: their ids say nothing, and one of them is made.
func plan(n, running int) app.WatchDoc {
	d := watched(0)
	d.Run, d.Line, d.Title = "8de8e4bd-e64f-5a41-9899-d75e0c7ae322", "task", "Вечер чтения 阅读之夜"
	for i := range n {
		status := kernel.StatusDone
		switch {
		case i == running:
			status = kernel.StatusRunning
		case i > running:
			status = kernel.StatusWaiting
		}
		d.Nodes = append(d.Nodes, app.NodeDoc{Node: fmt.Sprintf("%08x-0000-4000-8000-%012x", i+1, i+1), Kind: "make",
			Title: fmt.Sprintf("Часть %d 部分", i+1), Status: string(status), Attempts: 1})
	}
	return d
}

func TestPlanScreensGolden(t *testing.T) {
	var b strings.Builder
	for _, size := range [][2]int{{80, 16}, {40, 10}, {20, 5}} {
		s := sit(t, newRunView(t.Context(), &pages{docs: []app.WatchDoc{plan(200, 120)}}, testOptions()), size[0], size[1])
		b.WriteString(framed("plan", size[0], size[1], s.screen()))
	}
	golden.Check(t, "plan.golden", b.String())
}

func TestCursorFollowsTheWorkUntilItIsMoved(t *testing.T) {
	asking := plan(200, 200)
	asking.Nodes[70].Status = string(kernel.StatusAsking)
	v := newRunView(t.Context(), &pages{docs: []app.WatchDoc{plan(200, 20), plan(200, 90), plan(200, 91), asking}}, testOptions())
	s := sit(t, v, 80, 24)
	at := func(want string) {
		t.Helper()
		if !strings.HasPrefix(v.selected(), want) {
			t.Errorf("the cursor is on %s, want %s", v.selected(), want)
		}
	}
	at("00000015")
	s.looks()
	at("0000005b")
	s.keys("down", "down")
	at("0000005d")
	s.looks()
	at("0000005d")
	s.keys("esc")
	at("0000005c")
	s.looks()
	at("00000047") // nothing is worked on: what waits for a person
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
