package watch

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sluice/internal/app"
	"sluice/internal/fault"
	"sluice/internal/termtext"
)

// inboxView shows what waits for people. Bubble Tea calls it from one goroutine; verbs run beside it and come back as
// messages.
type inboxView struct {
	ctx  context.Context
	desk Desk
	run  string // only of this run; empty: of all
	o    Options

	width, height int
	version       int64 // of the store's data, at the last look
	isLoaded      bool
	err           error

	asks   []app.AskDoc // open ones, as the last look found them
	items  []item       // what is listed: those that the filter lets through
	cursor int
	first  int
	filter string

	shown  app.AskText // what stands in the text pane, if it is the selected ask's
	broken string      // why there is none
	diff   string      // likewise as a difference, once it was asked for
	mode   mode
	lines  []string // the pane's text, wrapped
	fitted int      // the columns that lines were wrapped for
	scroll int
	isFull bool // the text has the whole screen
	inHelp bool

	field   *field
	filling bool // the field is the filter
	draft   *draft
	isBusy  bool // an answer is on its way
	note    row
}

// mode is what the text pane shows.
type mode string

const (
	showText mode = "text"
	showDiff mode = "diff"
)

// item is an ask in the list. One that is answered stays where it is until the cursor moves, so that a key that was
// meant for it never meets another.
type item struct {
	ask  app.AskDoc
	gone string // what became of it; empty while it is open
}

func newInboxView(ctx context.Context, d Desk, run string, o Options) *inboxView {
	return &inboxView{ctx: ctx, desk: d, run: run, o: o, mode: showText, version: -1}
}

func (v *inboxView) failure() error { return v.err }

// listedMsg is what a look at the inbox found; same says that nothing was committed since the last one.
type listedMsg struct {
	doc     app.InboxDoc
	version int64
	same    bool
	err     error
}

// askMsg is an ask with its content.
type askMsg struct {
	ask  string
	text app.AskText
	err  error
}

// diffMsg is the difference that an ask is about.
type diffMsg struct {
	ask  string
	text string
	err  error
}

// answeredMsg is what became of an answer.
type answeredMsg struct {
	reply app.Reply
	doc   app.RunDoc
	err   error
}

func (v *inboxView) look() tea.Cmd {
	last := v.version
	return func() tea.Msg {
		version, err := v.desk.Changes(v.ctx)
		if err != nil || version == last {
			return listedMsg{version: version, same: true, err: err}
		}
		d, err := v.desk.Inbox(v.ctx, v.run)
		return listedMsg{doc: d, version: version, err: err}
	}
}

// Init begins with a look.
func (v *inboxView) Init() tea.Cmd { return v.look() }

// Update takes what happened: a look, an answer, a key, another size of the terminal.
func (v *inboxView) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch m := msg.(type) {
	case tea.WindowSizeMsg:
		v.width, v.height = m.Width, m.Height
	case listedMsg:
		if m.err != nil {
			v.err = m.err
			return v, tea.Quit
		}
		if m.same {
			return v, v.o.tick()
		}
		v.version = m.version
		return v, tea.Batch(v.list(m.doc.Asks), v.o.tick())
	case tickMsg:
		v.warn()
		return v, v.look()
	case askMsg:
		v.showAsk(m)
	case diffMsg:
		if m.ask == v.selected() {
			v.diff, v.lines = m.text, nil
			if m.err != nil {
				v.mode = showText
				v.fail(m.err)
			}
		}
	case answeredMsg:
		v.answered(m)
	case tea.PasteMsg:
		if v.field != nil {
			return v, v.enter(m)
		}
	case tea.KeyPressMsg:
		return v, v.press(m)
	}
	return v, nil
}

// warn shows what was warned of beside the view.
func (v *inboxView) warn() {
	if v.o.Warnings == nil {
		return
	}
	if text := v.o.Warnings(); text != "" {
		v.note = row{termtext.Line("warning: " + text), waiting}
	}
}

func (v *inboxView) fail(err error) {
	f := fault.From(err)
	text := f.Error() + " [" + string(f.Code) + "]"
	if len(f.Next) > 0 && f.Next[0].Command != "" {
		text += "; " + v.o.Command(f.Next[0].Command)
	}
	v.note = row{termtext.Line(text), alarming}
}

func (v *inboxView) selected() string {
	if v.cursor < len(v.items) {
		return v.items[v.cursor].ask.Ask
	}
	return ""
}

// list takes the asks that are open now. The cursor stays where it is, also on an ask that is gone.
func (v *inboxView) list(asks []app.AskDoc) tea.Cmd {
	v.asks, v.isLoaded = asks, true
	var at item
	if v.cursor < len(v.items) {
		at = v.items[v.cursor]
	}
	return v.sift(at)
}

// setFilter lists what a filter lets through. The cursor stays on its ask if that is among them.
func (v *inboxView) setFilter(filter string) tea.Cmd {
	v.filter = filter
	id := v.selected()
	var at item
	for _, a := range v.asks {
		if a.Ask == id && matches(filter, askWords(a)...) {
			at = v.items[v.cursor]
		}
	}
	return v.sift(at)
}

func askWords(a app.AskDoc) []string { return []string{a.Ask, a.Run, a.Node, a.Kind, a.Title} }

// sift lists what the filter lets through, with the one that the cursor must stay on, and shows the selected ask if it is
// another one now.
func (v *inboxView) sift(at item) tea.Cmd {
	var items []item
	found := false
	for _, a := range v.asks {
		if a.Ask == at.ask.Ask {
			found, v.cursor = true, len(items)
			items = append(items, item{ask: a, gone: at.gone})
		} else if matches(v.filter, askWords(a)...) {
			items = append(items, item{ask: a})
		}
	}
	if at.ask.Ask != "" && !found {
		if at.gone == "" {
			at.gone = "no longer open"
		}
		v.cursor = min(v.cursor, len(items))
		items = slices.Insert(items, v.cursor, at)
	}
	v.items = items
	v.cursor = max(0, min(v.cursor, len(items)-1))
	return v.open()
}

// open fetches the content of the selected ask, unless it is there.
func (v *inboxView) open() tea.Cmd {
	id := v.selected()
	if id == "" || v.shown.Ask.Ask == id || v.items[v.cursor].gone != "" {
		return nil
	}
	v.shown, v.broken, v.diff, v.lines, v.scroll, v.mode = app.AskText{}, "", "", nil, 0, showText
	return func() tea.Msg {
		t, err := v.desk.ShowAsk(v.ctx, id)
		return askMsg{id, t, err}
	}
}

func (v *inboxView) showAsk(m askMsg) {
	if m.ask != v.selected() {
		return // the cursor went on meanwhile
	}
	v.lines = nil
	if m.err != nil {
		v.broken = termtext.Line(fault.From(m.err).Error())
		return
	}
	v.shown = m.text
}

// answered tells what an answer did, or why it did nothing.
func (v *inboxView) answered(m answeredMsg) {
	v.isBusy, v.version = false, -1 // the next look reads the inbox anew
	if m.err != nil {
		v.fail(m.err)
		if v.draft != nil && fault.CodeOf(m.err) == fault.BadValue { // it is asked again
			v.draft.again(v)
			return
		}
		v.draft = nil
		return
	}
	v.draft = nil
	v.note = row{termtext.Line(v.o.Recorded(m.reply, m.doc)), pleasing}
	for i := range v.items {
		if v.items[i].ask.Ask == m.reply.Ask {
			v.items[i].gone = "answered"
		}
	}
}

func (v *inboxView) press(k tea.KeyPressMsg) tea.Cmd {
	if v.field != nil {
		return v.enter(k)
	}
	key := k.String()
	if v.inHelp {
		v.inHelp = false
		if key != "q" && key != "ctrl+c" {
			return nil
		}
	}
	switch key {
	case "q", "ctrl+c":
		return tea.Quit
	case "ctrl+z":
		return tea.Suspend
	case "?":
		v.inHelp = true
	case "/":
		v.field, v.filling = newField("filter:", v.filter), true
	case "esc":
		v.isFull, v.note = false, row{}
		return v.setFilter("")
	case "enter":
		v.isFull = !v.isFull
	case "d":
		return v.compare()
	case "a":
		return v.decide("approve", "apply")
	case "r":
		return v.decide("reject")
	case "s":
		return v.supply()
	default:
		if n, err := strconv.Atoi(key); err == nil && n >= 1 && n <= len(v.shown.Choices) {
			return v.decide(v.shown.Choices[n-1].Value)
		}
		return v.travel(key)
	}
	return nil
}

// travel moves the cursor, or the text where that has the whole screen.
func (v *inboxView) travel(key string) tea.Cmd {
	page := max(1, v.height/2)
	if v.isFull || key == "pgup" || key == "pgdown" || key == "space" || key == "b" {
		if at, ok := move(key, v.scroll, len(v.lines), page); ok {
			v.scroll = at
		}
		return nil
	}
	at, ok := move(key, v.cursor, len(v.items), page)
	if !ok || at == v.cursor && (len(v.items) == 0 || v.items[v.cursor].gone == "") {
		return nil
	}
	v.note = row{}
	if v.items[v.cursor].gone != "" { // it has been seen, and leaves the list
		v.items = slices.Delete(v.items, v.cursor, v.cursor+1)
		if at > v.cursor {
			at--
		}
	}
	v.cursor = max(0, min(at, len(v.items)-1))
	return v.open()
}

// compare shows the difference, or the text again.
func (v *inboxView) compare() tea.Cmd {
	id := v.shown.Ask.Ask
	switch {
	case id == "" || id != v.selected():
		return nil
	case v.mode == showDiff:
		v.mode, v.lines, v.scroll = showText, nil, 0
		return nil
	case v.shown.Against == "":
		v.note = row{"there is nothing before it that it could be compared with", waiting}
		return nil
	}
	v.mode, v.lines, v.scroll = showDiff, nil, 0
	if v.diff != "" {
		return nil
	}
	return func() tea.Msg {
		d, err := v.desk.DiffAsk(v.ctx, id)
		return diffMsg{id, strings.TrimRight(v.o.Diff(d), "\n"), err}
	}
}

// ready says whether the selected ask can be answered: it is open, and what it is about is on the screen.
func (v *inboxView) ready() bool {
	switch {
	case len(v.items) == 0 || v.isBusy:
		return false
	case v.items[v.cursor].gone != "":
		v.note = row{"this ask is " + v.items[v.cursor].gone + "; the arrow keys go on", waiting}
		return false
	case v.shown.Ask.Ask != v.selected():
		v.note = row{"its content is not on the screen yet", waiting}
		return false
	}
	return true
}

// decide answers with the first of some choices that the ask has.
func (v *inboxView) decide(values ...string) tea.Cmd {
	if !v.ready() {
		return nil
	}
	for _, value := range values {
		for _, c := range v.shown.Choices {
			if c.Value == value {
				return v.begin(c)
			}
		}
	}
	v.note = row{fmt.Sprintf("this ask does not take %s; %s", values[0], choiceText(v.shown.Choices)), waiting}
	return nil
}

// supply answers with what the ask wants to be given.
func (v *inboxView) supply() tea.Cmd {
	if !v.ready() {
		return nil
	}
	for _, c := range v.shown.Choices {
		if c.Need == app.NeedAnswers || c.Need == app.NeedContent {
			return v.begin(c)
		}
	}
	v.note = row{"this ask wants nothing to be written; " + choiceText(v.shown.Choices), waiting}
	return nil
}

func choiceText(choices []app.AskChoice) string {
	var all []string
	for i, c := range choices {
		all = append(all, strconv.Itoa(i+1)+" "+termtext.Line(c.Value))
	}
	return "it takes " + strings.Join(all, ", ")
}
