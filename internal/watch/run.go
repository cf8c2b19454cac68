package watch

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"sluice/internal/app"
	"sluice/internal/kernel"
	"sluice/internal/termtext"
)

// maxEvents is how many events can be scrolled back to.
const maxEvents = 1000

// runView shows one run. Bubble Tea calls it from one goroutine; looks run beside it and come back as messages.
type runView struct {
	ctx context.Context
	f   Follower
	o   Options

	width, height int
	doc           app.WatchDoc
	words         map[string]int
	events        []string
	isLoaded      bool
	err           error

	shown    []int // nodes that the filter lets through, by their place
	cursor   int   // among those
	isMoved  bool  // a person put the cursor there; before that it follows the work
	first    int   // the topmost that is on the screen
	back     int   // how far the events are scrolled back
	inEvents bool  // the events have the whole screen
	inHelp   bool
	filter   string
	field    *field
}

func newRunView(ctx context.Context, f Follower, o Options) *runView {
	return &runView{ctx: ctx, f: f, o: o, words: map[string]int{}}
}

func (v *runView) failure() error { return v.err }

// lookedMsg is what a look found.
type lookedMsg struct {
	doc app.WatchDoc
	err error
}

func (v *runView) look() tea.Cmd {
	wanted := v.onScreen()
	return func() tea.Msg {
		d, err := v.f.Look(v.ctx, wanted)
		return lookedMsg{d, err}
	}
}

// onScreen names the nodes that can be seen: only their words are counted.
func (v *runView) onScreen() []string {
	var ids []string
	for i := v.first; i < min(len(v.shown), v.first+v.height); i++ {
		ids = append(ids, v.doc.Nodes[v.shown[i]].Node)
	}
	return ids
}

// Init begins with a look.
func (v *runView) Init() tea.Cmd { return v.look() }

// Update takes what happened: a look, a key, another size of the terminal.
func (v *runView) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch m := msg.(type) {
	case tea.WindowSizeMsg:
		v.width, v.height = m.Width, m.Height
	case lookedMsg:
		if m.err != nil {
			v.err = m.err
			return v, tea.Quit
		}
		v.take(m.doc)
		return v, v.o.tick()
	case tickMsg:
		return v, v.look()
	case tea.PasteMsg:
		if v.field != nil {
			v.enter(m)
		}
	case tea.KeyPressMsg:
		return v, v.press(m)
	}
	return v, nil
}

// take shows what a look found. The cursor stays on its node.
func (v *runView) take(d app.WatchDoc) {
	texts := v.o.Describe(d)
	for i, e := range d.News {
		if text := termtext.Line(texts[i]); text != "" {
			v.events = append(v.events, e.At.Format("15:04:05")+" "+text)
			if v.back > 0 {
				v.back++
			}
		}
	}
	v.events = v.events[max(0, len(v.events)-maxEvents):]
	v.back = min(v.back, max(0, len(v.events)-1))
	for node, n := range d.Words {
		v.words[node] = n
	}
	before := v.selected()
	v.doc, v.isLoaded = d, true
	v.sift(before)
	v.follow()
}

// follow puts the cursor on what is worked on, or else on what waits for a person or failed, until a person moves it.
func (v *runView) follow() {
	if v.isMoved {
		return
	}
	best := -1
	for at, i := range v.shown {
		switch kernel.Status(v.doc.Nodes[i].Status) {
		case kernel.StatusRunning:
			v.cursor = at
			return
		case kernel.StatusAsking, kernel.StatusFailed, kernel.StatusBlocked:
			if best < 0 {
				best = at
			}
		}
	}
	if best >= 0 {
		v.cursor = best
	}
}

func (v *runView) selected() string {
	if v.cursor < len(v.shown) {
		return v.doc.Nodes[v.shown[v.cursor]].Node
	}
	return ""
}

// sift finds the nodes that the filter lets through, and the one that the cursor was on.
func (v *runView) sift(before string) {
	v.shown = v.shown[:0]
	v.cursor = min(v.cursor, max(0, len(v.doc.Nodes)-1))
	for i, n := range v.doc.Nodes {
		if !matches(v.filter, n.Node, n.Title, n.Status, n.Kind) {
			continue
		}
		if n.Node == before {
			v.cursor = len(v.shown)
		}
		v.shown = append(v.shown, i)
	}
	v.cursor = max(0, min(v.cursor, len(v.shown)-1))
}

func (v *runView) press(k tea.KeyPressMsg) tea.Cmd {
	if v.field != nil {
		v.enter(k)
		return nil
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
		v.field = newField("filter:", v.filter)
	case "esc":
		v.inEvents, v.back, v.isMoved = false, 0, false
		v.setFilter("")
		v.follow()
	case "tab", "e":
		v.inEvents, v.back = !v.inEvents, 0
	default:
		v.scroll(key)
	}
	return nil
}

func (v *runView) scroll(key string) {
	page := max(1, v.height/2)
	if !v.inEvents {
		at, ok := move(key, v.cursor, len(v.shown), page)
		v.cursor, v.isMoved = max(0, at), v.isMoved || ok
		return
	}
	last := len(v.events) - 1
	if at, ok := move(key, last-v.back, len(v.events), page); ok {
		v.back = max(0, last-at)
	}
}

// enter puts a key into the filter, which holds as it is typed.
func (v *runView) enter(msg tea.Msg) {
	done, dropped := v.field.update(msg)
	v.setFilter(v.field.value())
	if dropped {
		v.setFilter("")
	}
	if done || dropped {
		v.field = nil
	}
}

func (v *runView) setFilter(filter string) {
	before := v.selected()
	v.filter = filter
	v.sift(before)
}
