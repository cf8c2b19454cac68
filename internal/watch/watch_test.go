package watch

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"sluice/internal/app"
	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/termtext"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func testOptions() Options {
	return Options{Now: func() time.Time { return noon }, Every: time.Nanosecond,
		Describe: func(d app.WatchDoc) []string {
			var types []string
			for _, e := range d.News {
				types = append(types, e.Type)
			}
			return types
		},
		Diff: func(d app.TextDiffDoc) string {
			return d.Texts[0].From + " → " + d.Texts[0].To + "\nThe library opens [-on Monday-]{+on Sunday+}.\n"
		},
		Command: func(c string) string { return c },
		Price:   func(d float64) string { return fmt.Sprintf("$%.2f", d) },
		Recorded: func(r app.Reply, d app.RunDoc) string {
			return "recorded " + r.Choice + "; run " + d.Run + " is " + d.Status
		},
	}
}

// pages is a follower that shows one page after another.
type pages struct {
	docs  []app.WatchDoc
	asked [][]string
	err   error
}

func (p *pages) Look(_ context.Context, nodes []string) (app.WatchDoc, error) {
	p.asked = append(p.asked, nodes)
	if p.err != nil {
		return app.WatchDoc{}, p.err
	}
	d := p.docs[min(len(p.asked), len(p.docs))-1]
	d.Words = map[string]int{}
	for i, n := range nodes {
		d.Words[n] = 100 * (i + 1)
	}
	return d, nil
}

// basket is a desk whose asks are in memory. A verdict counts for the digest it names, as in the law.
type basket struct {
	texts   map[string]app.AskText
	order   []string
	version int64
	replies []app.Reply
	refuse  error
}

func newBasket(texts ...app.AskText) *basket {
	b := &basket{texts: map[string]app.AskText{}, version: 1}
	for _, t := range texts {
		b.texts[t.Ask.Ask] = t
		b.order = append(b.order, t.Ask.Ask)
	}
	return b
}

func (b *basket) Changes(context.Context) (int64, error) { return b.version, nil }

func (b *basket) Inbox(context.Context, string) (app.InboxDoc, error) {
	var d app.InboxDoc
	for _, id := range b.order {
		d.Asks = append(d.Asks, b.texts[id].Ask)
	}
	return d, nil
}

func (b *basket) ShowAsk(_ context.Context, ask string) (app.AskText, error) {
	t, ok := b.texts[ask]
	if !ok {
		return t, fault.New(fault.AlreadyAnswered, ask, "ask %s is no longer open", ask)
	}
	return t, nil
}

func (b *basket) DiffAsk(_ context.Context, ask string) (app.TextDiffDoc, error) {
	t := b.texts[ask]
	return app.TextDiffDoc{Texts: []app.TextDelta{{From: t.Against, To: t.About}}}, nil
}

func (b *basket) Answer(_ context.Context, r app.Reply) (app.RunDoc, error) {
	t, ok := b.texts[r.Ask]
	switch {
	case b.refuse != nil:
		return app.RunDoc{}, b.refuse
	case !ok || t.Ask.Digest != r.Digest:
		return app.RunDoc{}, fault.New(fault.StaleVerdict, r.Ask, "ask %s is about another version now", r.Ask).
			With(fault.Action{Action: "inbox", Command: "sluice inbox"})
	}
	b.replies = append(b.replies, r)
	b.drop(r.Ask)
	return app.RunDoc{Run: t.Ask.Run, Status: "active"}, nil
}

func (b *basket) drop(ask string) {
	delete(b.texts, ask)
	b.order = slices.DeleteFunc(b.order, func(id string) bool { return id == ask })
	b.version++
}

// seat is a person before a view: what the view wants done is done at once, but for the clock.
type seat struct {
	t    *testing.T
	view tea.Model
	left bool
}

func sit(t *testing.T, view tea.Model, width, height int) *seat {
	s := &seat{t: t, view: view}
	s.tell(tea.WindowSizeMsg{Width: width, Height: height})
	s.do(view.Init())
	return s
}

func (s *seat) tell(msg tea.Msg) {
	_, cmd := s.view.Update(msg)
	s.do(cmd)
}

func (s *seat) do(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch m := cmd().(type) {
	case tickMsg: // the clock strikes when the test says so
	case tea.QuitMsg:
		s.left = true
	case tea.BatchMsg:
		for _, c := range m {
			s.do(c)
		}
	default:
		s.tell(m)
	}
}

// looks lets the clock strike.
func (s *seat) looks() { s.tell(tickMsg{}) }

func (s *seat) keys(keys ...string) {
	for _, k := range keys {
		s.tell(press(k))
	}
}

func (s *seat) types(text string) {
	for _, r := range text {
		s.tell(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

func press(key string) tea.KeyPressMsg {
	named := map[string]tea.KeyPressMsg{"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
		"pgdown": {Code: tea.KeyPgDown}, "pgup": {Code: tea.KeyPgUp}, "tab": {Code: tea.KeyTab}, "ctrl+c": {Code: 'c', Mod: tea.ModCtrl}}
	if k, ok := named[key]; ok {
		return k
	}
	return tea.KeyPressMsg{Code: []rune(key)[0], Text: key}
}

// sgr are the colours that we put there ourselves; every other escape sequence is a hole.
var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// screen gives what is to be seen, without colours, and checks that it fits the window and is harmless.
func (s *seat) screen() string {
	s.t.Helper()
	text := sgr.ReplaceAllString(s.view.View().Content, "")
	var width, height int
	switch v := s.view.(type) {
	case *runView:
		width, height = v.width, v.height
	case *inboxView:
		width, height = v.width, v.height
	}
	if width == 0 || height == 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	if len(lines) > height {
		s.t.Errorf("%d lines on a screen of %d:\n%s", len(lines), height, text)
	}
	var b strings.Builder
	for _, l := range lines {
		if strings.ContainsFunc(l, termtext.IsUnsafe) {
			s.t.Errorf("a line is not harmless: %q", l)
		}
		if n := termtext.Columns(l); n > width {
			s.t.Errorf("a line takes %d columns of %d: %q", n, width, l)
		}
		b.WriteString(strings.TrimRight(l, " ") + "\n")
	}
	return b.String()
}

// framed shows several screens in one golden file.
func framed(name string, width, height int, screen string) string {
	return fmt.Sprintf("== %s, %d×%d\n%s\n", name, width, height, screen)
}

func ask(id, run, node, kind, title, body string, choices ...app.AskChoice) app.AskText {
	d := digest.Of([]byte(body))
	t := app.AskText{Ask: app.AskDoc{Ask: id, Run: run, Node: node, Kind: kind, Title: title, Version: node + "@2", Digest: d, Since: noon.Add(-95 * time.Minute)},
		Line: "sample", Choices: choices, Texts: []app.AskedText{{Name: node + "@2", Body: body}}, Against: node + "@1", About: node + "@2"}
	for _, c := range choices {
		t.Ask.Options = append(t.Ask.Options, c.Value)
	}
	return t
}

func verdict() []app.AskChoice {
	return []app.AskChoice{{Value: "approve"}, {Value: "reject", Need: app.NeedReason}}
}

const (
	chinese  = "春天来了，图书馆星期天开门。读者可以在上午十点到下午四点之间借书、还书，也可以在窗边坐下来读一本好书。"
	russian  = "Пришла весна, и библиотека открыта по воскресеньям с десяти до четырёх: можно взять книгу, вернуть её или посидеть у окна."
	hostile  = "good\x1b[2J\x1b]0;owned\x07 bad\u202egnp.exe\u2066 \u009b31m end"
	greeting = "The library opens on Sunday. 🎉 Everybody is welcome."
)

func fullBasket() *basket {
	rehearsed := ask("a00000000001", "r1", "text", "approve", "Approve the announcement", greeting, verdict()...)
	rehearsed.Rehearsal = true
	questions := ask("a00000000004", "F-1", "clarify", "answer", "F-1: 2 open", "", app.AskChoice{Value: "answer", Need: app.NeedAnswers})
	questions.Ask.Version, questions.Ask.Digest, questions.Against, questions.Texts = "", "", "", nil
	questions.Ask.Questions = []kernel.Question{{ID: "Q-1", Text: "Who reads it?"}, {ID: "Q-2", Text: "How long?", Choices: []string{"short", "long"}}}
	return newBasket(rehearsed,
		ask("a00000000002", "книга", "chapter/001/text", "approve", "Глава первая", russian, verdict()...),
		ask("a00000000003", "shu", "第一章", "choose", "选一个开头", `{"variants":[{"label":"A","text":"`+chinese+`"},{"label":"B","text":"短"}]}`,
			app.AskChoice{Value: "A"}, app.AskChoice{Value: "B", Label: "short"}, app.AskChoice{Value: "reject", Need: app.NeedReason}),
		questions,
		ask("a00000000005", "r\x1b[2J", "no\u202ede", "approve", hostile, hostile, verdict()...))
}

func watched(n int) app.WatchDoc {
	d := app.WatchDoc{RunDoc: app.RunDoc{Run: "r1", Line: "sample", Title: "An announcement", Status: "active", Rehearsal: true,
		OpenedAt: noon.Add(-125 * time.Second), UpdatedAt: noon, Usage: app.UsageDoc{Calls: 4, InputTokens: 12000, OutputTokens: 345}},
		Labels: map[string]string{"project": "книга", "provider": "rehearsal"}}
	cost := 0.42
	d.Usage.Cost = &cost
	statuses := kernel.Statuses()
	for i := range n {
		node := app.NodeDoc{Node: fmt.Sprintf("chapter/%03d/text", i+1), Kind: "make", Title: "第" + fmt.Sprint(i+1) + "章 весна", Status: string(statuses[(i+4)%len(statuses)]), Attempts: i % 3}
		if i%2 == 0 {
			node.Newest = node.Node + "@1"
		}
		d.Nodes = append(d.Nodes, node)
	}
	for i := range 12 {
		d.News = append(d.News, app.EventDoc{Seq: int64(i + 1), At: noon.Add(time.Duration(i) * time.Second), Type: fmt.Sprintf("event %d о том, что было", i+1)})
	}
	d.Asks = []app.AskDoc{{Ask: "a00000000001", Kind: "approve", Title: "Approve 第1章"}, {Ask: "a00000000002", Kind: "choose", Title: hostile}}
	return d
}

var errBroken = errors.New("the disk is gone")
