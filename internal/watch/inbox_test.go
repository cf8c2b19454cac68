package watch

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"sluice/internal/app"
	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/golden"
)

func TestInboxScreensGolden(t *testing.T) {
	var b strings.Builder
	show := func(name string, width, height int, keys ...string) {
		s := sit(t, newInboxView(t.Context(), fullBasket(), "", testOptions()), width, height)
		for _, k := range keys {
			if text, ok := strings.CutPrefix(k, "type "); ok {
				s.types(text)
			} else {
				s.keys(k)
			}
		}
		b.WriteString(framed(name, width, height, s.screen()))
	}
	show("side by side", 110, 16)
	show("Russian, below the list", 80, 20, "down")
	show("Chinese, side by side", 110, 16, "down", "down")
	show("Chinese, narrow", 40, 24, "down", "down")
	show("Chinese, alone on the screen", 40, 12, "down", "down", "enter")
	show("hostile", 80, 20, "G")
	show("tiny", 40, 5)
	show("one line", 40, 1)
	show("very narrow", 10, 12)
	show("difference", 80, 20, "d")
	show("asks for the reason", 80, 16, "r", "type the hours are missing 开门时间")
	show("rejected", 80, 16, "r", "type the hours are missing", "enter")
	show("approved", 110, 10, "a")
	show("no such choice", 80, 16, "down", "down", "a")
	show("a question", 80, 16, "down", "down", "down", "s", "type readers", "enter")
	show("filtered", 80, 16, "/", "type глава", "enter")
	show("help", 60, 14, "?")
	empty := sit(t, newInboxView(t.Context(), newBasket(), "", testOptions()), 60, 5)
	b.WriteString(framed("empty", 60, 5, empty.screen()))
	golden.Check(t, "inbox.golden", b.String())
}

func TestKeysAnswerThroughTheVerb(t *testing.T) {
	about := func(body string) digest.Digest { return digest.Of([]byte(body)) }
	for _, tt := range []struct {
		name  string
		downs int
		keys  []string
		want  app.Reply
	}{
		{"approve", 0, []string{"a"}, app.Reply{Ask: "a00000000001", Choice: "approve", Digest: about(greeting)}},
		{"reject with a reason", 1, []string{"r", "type нет дат", "enter"}, app.Reply{Ask: "a00000000002", Choice: "reject", Reason: "нет дат", Digest: about(russian)}},
		{"a choice by its number", 0, []string{"1"}, app.Reply{Ask: "a00000000001", Choice: "approve", Digest: about(greeting)}},
		{"questions", 3, []string{"s", "type readers", "enter", "type 2", "enter"}, app.Reply{Ask: "a00000000004", Set: map[string]string{"Q-1": "readers", "Q-2": "long"}}},
		{"a question that does not fit is asked again", 3, []string{"s", "enter", "type huge", "enter", "type short", "enter"},
			app.Reply{Ask: "a00000000004", Set: map[string]string{"Q-2": "short"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			desk := fullBasket()
			s := sit(t, newInboxView(t.Context(), desk, "", testOptions()), 80, 24)
			for range tt.downs {
				s.keys("down")
			}
			for _, k := range tt.keys {
				if text, ok := strings.CutPrefix(k, "type "); ok {
					s.types(text)
				} else {
					s.keys(k)
				}
			}
			if diff := cmp.Diff([]app.Reply{tt.want}, desk.replies); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNothingIsAnsweredByAccident(t *testing.T) {
	for _, tt := range []struct {
		name string
		keys []string
		says string
	}{
		{"no reason", []string{"r", "enter"}, "nothing was written"},
		{"a reason that is dropped", []string{"r", "type because", "esc"}, "nothing was answered"},
		{"a choice that there is not", []string{"9"}, ""},
		{"keys in the help", []string{"?", "a"}, ""},
		{"keys in the filter", []string{"/", "type a", "esc"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			desk := fullBasket()
			s := sit(t, newInboxView(t.Context(), desk, "", testOptions()), 80, 24)
			for _, k := range tt.keys {
				if text, ok := strings.CutPrefix(k, "type "); ok {
					s.types(text)
				} else {
					s.keys(k)
				}
			}
			if len(desk.replies) > 0 || !strings.Contains(s.screen(), tt.says) {
				t.Errorf("got %+v\n%s", desk.replies, s.screen())
			}
		})
	}
}

// TestAVersionThatMovedIsRefused judges what was on the screen, which no longer stands.
func TestAVersionThatMovedIsRefused(t *testing.T) {
	desk := fullBasket()
	s := sit(t, newInboxView(t.Context(), desk, "", testOptions()), 80, 24)
	moved := desk.texts["a00000000001"]
	moved.Ask.Digest = digest.Of([]byte("another text"))
	desk.texts["a00000000001"] = moved
	s.keys("a")
	if got := s.screen(); len(desk.replies) > 0 || !strings.Contains(got, "another version now [stale_verdict]") {
		t.Errorf("got %+v\n%s", desk.replies, got)
	}
}

// TestAnAskThatGoesAwayKeepsItsPlace: a key that was meant for it never meets the next one.
func TestAnAskThatGoesAwayKeepsItsPlace(t *testing.T) {
	desk := fullBasket()
	v := newInboxView(t.Context(), desk, "", testOptions())
	s := sit(t, v, 80, 24)
	s.keys("down")
	desk.drop("a00000000002")
	s.looks()
	s.keys("a", "r", "s", "1")
	if got := s.screen(); len(desk.replies) > 0 || v.field != nil || !strings.Contains(got, "no longer open") {
		t.Errorf("got %+v\n%s", desk.replies, got)
	}
	s.keys("down")
	if got := v.selected(); got != "a00000000003" {
		t.Errorf("the cursor went to %s", got)
	}
	s.keys("2", "up")
	if got := v.selected(); len(desk.replies) != 1 || desk.replies[0].Choice != "B" || got != "a00000000001" {
		t.Errorf("got %+v, and the cursor on %s", desk.replies, got)
	}
	desk.order = nil
	desk.version++
	s.looks()
	s.keys("down")
	if got := s.screen(); !strings.Contains(got, "nothing waits for you") {
		t.Errorf("got\n%s", got)
	}
}

func TestARefusedAnswerIsAskedAgain(t *testing.T) {
	desk := fullBasket()
	v := newInboxView(t.Context(), desk, "", testOptions())
	s := sit(t, v, 80, 24)
	desk.refuse = fault.New(fault.BadValue, "Q-1", "Q-1 takes a name")
	s.keys("down", "down", "down", "s")
	s.types("7")
	s.keys("enter", "enter")
	if got := s.screen(); v.field == nil || !strings.Contains(got, "Q-1 takes a name") {
		t.Fatalf("got\n%s", got)
	}
	desk.refuse = nil
	s.types("Ann")
	s.keys("enter", "enter")
	if len(desk.replies) != 1 || desk.replies[0].Set["Q-1"] != "Ann" {
		t.Errorf("got %+v", desk.replies)
	}
}

func TestPastedTextIsHarmless(t *testing.T) {
	desk := fullBasket()
	s := sit(t, newInboxView(t.Context(), desk, "", testOptions()), 80, 24)
	s.keys("r")
	s.tell(tea.PasteMsg{Content: hostile})
	s.screen()
	s.keys("enter")
	if got := desk.replies[0].Reason; strings.Contains(got, "\x1b") || strings.Contains(got, "\u202e") {
		t.Errorf("got %q", got)
	}
}

func TestInboxIsResizedAtAnyMoment(t *testing.T) {
	for _, keys := range [][]string{nil, {"enter"}, {"d"}, {"r"}, {"/"}, {"?"}} {
		s := sit(t, newInboxView(t.Context(), fullBasket(), "", testOptions()), 80, 24)
		s.keys(keys...)
		for _, size := range [][2]int{{200, 60}, {12, 4}, {5, 3}, {40, 2}, {90, 9}, {0, 0}, {80, 24}} {
			s.tell(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			s.screen()
		}
	}
}

func TestReadable(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"text stays", "a\nb", "a\nb"},
		{"broken JSON stays", `{"a":`, `{"a":`},
		{"an outline", `{"title":"春天","n":1.50,"ok":true,"none":null,"list":["x",{"y":"z"}],"empty":{},"text":"one\ntwo"}`,
			"title: 春天\nn: 1.50\nok: true\nnone: null\nlist:\n  - x\n  -\n    y: z\nempty: {}\ntext:\n  one\n  two"},
		{"an empty list", `[]`, `[]`},
		{"too deep", strings.Repeat("[", 100) + strings.Repeat("]", 100), strings.Repeat("[", 100) + strings.Repeat("]", 100)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, readable(tt.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
