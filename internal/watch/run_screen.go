package watch

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"sluice/internal/app"
	"sluice/internal/kernel"
	"sluice/internal/termtext"
)

// rehearsalNote labels what no real model wrote.
const rehearsalNote = "rehearsal: its text comes from the offline placeholder model"

// View draws the screen.
func (v *runView) View() tea.View {
	if v.width == 0 || v.height == 0 {
		return screen("")
	}
	if !v.isLoaded {
		return screen(termtext.Cut("reading the journal …", v.width))
	}
	if v.inHelp {
		return screen(render(helpRows(runKeys), v.width, v.height))
	}
	rows := v.head()
	foot := v.foot()
	room := v.height - len(rows) - len(foot)
	switch {
	case room < 1:
		rows = rows[:max(0, v.height-len(foot))]
		room = 0
	case v.inEvents:
		rows = append(rows, v.eventRows(room)...)
	default:
		rows = append(rows, v.body(room)...)
	}
	rows = append(fill(rows, v.height-len(foot)), foot...)
	content := render(rows, v.width, v.height)
	if v.field != nil {
		content = render(rows[:v.height-1], v.width, v.height)
		if v.height > 1 {
			content += "\n"
		}
		content += v.field.view(v.width)
	}
	return screen(content)
}

// head says what run it is, where it stands and what it has cost.
func (v *runView) head() []row {
	d := v.doc
	run, title := termtext.Line(termtext.ShortID(d.Run)), termtext.Line(d.Title)
	rows := []row{{fmt.Sprintf("%s (%s) is %s: %s", run, d.Line, d.Status, title), bold}}
	if v.width < 40 { // what is there to see comes first
		rows = []row{{d.Status + " " + run + ": " + title, bold}}
	}
	if v.height < 8 {
		return rows
	}
	if d.Rehearsal {
		rows = append(rows, row{rehearsalNote, waiting})
	}
	facts := []string{strings.Join(v.facts(), " · ")}
	if v.height >= 16 {
		facts = termtext.Wrap(facts[0], v.width)
	}
	for _, f := range facts[:min(3, len(facts))] {
		rows = append(rows, row{f, plain})
	}
	if labels := labelText(d.Labels); labels != "" && v.height >= 12 {
		rows = append(rows, row{labels, faint})
	}
	return rows
}

func (v *runView) facts() []string {
	d := v.doc
	done, total, running := 0, 0, 0
	for _, n := range d.Nodes {
		switch {
		case kernel.Kind(n.Kind) == kernel.Group:
			continue
		case kernel.Status(n.Status) == kernel.StatusDone:
			done++
		case kernel.Status(n.Status) == kernel.StatusRunning:
			running++
		}
		total++
	}
	facts := []string{fmt.Sprintf("%d of %s done", done, termtext.Count(total, "step"))}
	if running > 0 {
		facts = append(facts, fmt.Sprintf("%d running", running))
	}
	if u := d.Usage; u.Calls > 0 || u.Reused > 0 {
		facts = append(facts, termtext.Count(u.Calls, "call"), termtext.Thousands(u.InputTokens+u.OutputTokens)+" tokens")
		if u.Cost != nil {
			facts = append(facts, v.o.Price(*u.Cost))
		}
	}
	return append(facts, v.age())
}

// age is how long the run has been worked on: up to now, or to when it came to rest.
func (v *runView) age() string {
	end := v.doc.UpdatedAt
	if !v.doc.IsResting() {
		end = v.o.Now()
	}
	return duration(end.Sub(v.doc.OpenedAt))
}

func labelText(labels map[string]string) string {
	var all []string
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		if k != kernel.LabelProvider {
			all = append(all, termtext.Line(k+"="+labels[k]))
		}
	}
	return strings.Join(all, ", ")
}

// body shows nodes, then what is asked, then what happened last, each with the room that is left for it.
func (v *runView) body(room int) []row {
	asks := v.askRows(room / 4)
	events := v.eventRows(min(9, room/3))
	if room < 6 {
		asks, events = nil, nil
	}
	rows := v.nodeRows(room - len(asks) - len(events))
	rows = fill(rows, room-len(asks)-len(events))
	return append(append(rows, asks...), events...)
}

func (v *runView) nodeRows(room int) []row {
	if room < 1 {
		return nil
	}
	hasTitle := room >= 4
	if hasTitle {
		room--
	}
	if !v.isMoved { // with what comes next below it
		v.first = v.cursor - room/3
	}
	v.first = window(v.first, v.cursor, len(v.shown), room)
	var rows []row
	if hasTitle {
		rows = append(rows, row{v.nodeTitle(room), faint})
	}
	seen := v.shown[v.first:min(len(v.shown), v.first+room)]
	wide := 0
	for _, i := range seen {
		wide = max(wide, termtext.Columns(nodeName(v.doc.Nodes[i])))
	}
	wide = min(wide, max(8, v.width*2/5))
	for at, i := range seen {
		rows = append(rows, v.nodeRow(v.doc.Nodes[i], wide, v.first+at == v.cursor))
	}
	return rows
}

// nodeTitle says how many nodes there are, and which of them are on the screen.
func (v *runView) nodeTitle(room int) string {
	title := termtext.Count(len(v.shown), "node")
	if v.filter != "" {
		title += " of " + strconv.Itoa(len(v.doc.Nodes)) + " with " + strconv.Quote(termtext.Line(v.filter))
	}
	if len(v.shown) > room {
		title += fmt.Sprintf(", %d–%d", v.first+1, v.first+room)
	}
	return title
}

// nodeName is the node's id, or as much of it as commands need.
func nodeName(n app.NodeDoc) string { return termtext.Line(termtext.ShortID(n.Node)) }

func (v *runView) nodeRow(n app.NodeDoc, wide int, isSelected bool) row {
	mark, style := statusLook(n.Status)
	text := mark + " " + termtext.Pad(termtext.Cut(nodeName(n), wide), wide) + " " + termtext.Pad(n.Status, 9)
	if n.Attempts > 0 {
		text += fmt.Sprintf(" %2d×", n.Attempts)
	} else {
		text += "    "
	}
	if v.width >= 60 {
		words := ""
		if w, ok := v.words[n.Node]; ok && n.Newest != "" {
			words = termtext.Count(w, "word")
		}
		text += " " + termtext.Pad(words, 13)
	}
	note := n.Title
	if n.Reason != "" {
		note = n.Reason
	}
	if n.Stale {
		note = "stale " + note
	}
	text += " " + termtext.Line(note)
	if isSelected {
		style = chosen
		text = termtext.Pad(text, v.width)
	}
	return row{text, style}
}

// askRows shows the first few asks.
func (v *runView) askRows(room int) []row {
	n := len(v.doc.Asks)
	if n == 0 || room < 2 {
		return nil
	}
	rows := []row{{"waits for you: " + termtext.Count(n, "ask") + "; " + v.o.Command("sluice inbox "+termtext.ShortID(v.doc.Run)+" --watch"), waiting}}
	for _, a := range v.doc.Asks[:min(n, room-1)] {
		rows = append(rows, row{"  " + termtext.Line(a.Ask) + " " + a.Kind + ": " + termtext.Line(a.Title), plain})
	}
	return rows
}

// eventRows shows the newest events that fit, or those before them where one has scrolled back.
func (v *runView) eventRows(room int) []row {
	if room < 2 || len(v.events) == 0 {
		return nil
	}
	end := len(v.events) - v.back
	start := max(0, end-(room-1))
	title := "events"
	if v.back > 0 {
		title = fmt.Sprintf("events, %d newer below", v.back)
	}
	rows := []row{{title, faint}}
	for _, e := range v.events[start:end] {
		rows = append(rows, row{e, plain})
	}
	return rows
}

func (v *runView) foot() []row {
	switch {
	case v.height < 4 && v.field == nil:
		return nil
	case v.inEvents:
		return []row{{"↑↓ scroll  tab nodes  q leave  ? help", faint}}
	}
	return []row{{"↑↓ scroll  / filter  tab events  q leave  ? help", faint}}
}

// duration is a time in the two largest units that fit.
func duration(d time.Duration) string {
	d = max(0, d)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d/time.Second))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d/time.Minute), int(d/time.Second)%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d/time.Hour), int(d/time.Minute)%60)
	}
	return fmt.Sprintf("%dd%02dh", int(d/(24*time.Hour)), int(d/time.Hour)%24)
}

// keyHelp says what a key does.
type keyHelp struct{ key, does string }

var runKeys = []keyHelp{
	{"↑ ↓ j k", "one node up or down"},
	{"pgup pgdn", "half a screen up or down (also b, space)"},
	{"g G", "first, last"},
	{"/", "show only nodes with these words in id, title, kind or status"},
	{"esc", "show all again, and follow the work"},
	{"tab", "nodes, or events only"},
	{"ctrl+z", "put it aside; fg brings it back"},
	{"q ctrl+c", "leave; whoever works on the run goes on"},
}

func helpRows(keys []keyHelp) []row {
	rows := []row{{"keys", bold}}
	for _, k := range keys {
		rows = append(rows, row{"  " + termtext.Pad(k.key, 10) + " " + k.does, plain})
	}
	return append(rows, row{"any key goes back", faint})
}
