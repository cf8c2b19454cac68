package watch

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"sluice/internal/app"
	"sluice/internal/termtext"
)

// sideBySide is from how many columns on the text stands beside the list.
const sideBySide = 90

// View draws the screen.
func (v *inboxView) View() tea.View {
	switch {
	case v.width == 0 || v.height == 0:
		return screen("")
	case !v.isLoaded:
		return screen(termtext.Cut("reading the inbox …", v.width))
	case v.inHelp:
		return screen(render(helpRows(inboxKeys), v.width, v.height))
	}
	foot := v.foot()
	content := v.body(v.height - len(foot))
	for i, line := range foot {
		if i > 0 || v.height > len(foot) {
			content += "\n"
		}
		content += line
	}
	return screen(content)
}

// body shows the list and the text: side by side, one above the other, or only one of them where there is no room.
func (v *inboxView) body(height int) string {
	if height < 1 {
		return ""
	}
	if len(v.items) == 0 {
		text := "nothing waits for you"
		if v.filter != "" {
			text += " that has " + fmt.Sprintf("%q", termtext.Line(v.filter)) + " in it"
		}
		return render(fill([]row{{text, bold}}, height), v.width, height)
	}
	if v.isFull {
		return render(fill(v.textRows(v.width, height), height), v.width, height)
	}
	if v.width >= sideBySide {
		left := v.width * 2 / 5
		return beside(v.listRows(left, height), v.textRows(v.width-left-3, height), left, v.width, height)
	}
	list := height
	if height >= 8 {
		list = min(len(v.items)+1, max(3, height/3))
	}
	rows := fill(v.listRows(v.width, list), list)
	if rest := height - list; rest > 1 {
		rows = append(rows, row{strings.Repeat("─", v.width), faint})
		rows = append(rows, fill(v.textRows(v.width, rest-1), rest-1)...)
	}
	return render(rows, v.width, height)
}

// listRows lists the asks around the cursor.
func (v *inboxView) listRows(width, height int) []row {
	var rows []row
	if height >= 3 || height > len(v.items) {
		title := termtext.Count(len(v.asks), "ask") + " open"
		if v.filter != "" {
			title = fmt.Sprintf("%d of %s with %q", len(v.items), termtext.Count(len(v.asks), "ask"), termtext.Line(v.filter))
		}
		rows, height = append(rows, row{title, faint}), height-1
	}
	v.first = window(v.first, v.cursor, len(v.items), height)
	for i := v.first; i < min(len(v.items), v.first+height); i++ {
		rows = append(rows, v.listRow(v.items[i], width, i == v.cursor))
	}
	return rows
}

func (v *inboxView) listRow(it item, width int, isSelected bool) row {
	a := it.ask
	mark := "? "
	r := row{style: plain}
	if it.gone != "" {
		mark, r.style = "✓ ", faint
	}
	where := " " + termtext.Line(termtext.ShortID(a.Run))
	where = termtext.Cut(where, max(6, width/3))
	room := width - termtext.Columns(where) - 2
	r.text = mark + termtext.Pad(termtext.Cut(a.Kind+": "+termtext.Line(a.Title), room), room) + where
	if isSelected {
		r.text, r.style = termtext.Pad(termtext.Cut(r.text, width), width), chosen
	}
	return r
}

// textRows shows what the selected ask is about.
func (v *inboxView) textRows(width, height int) []row {
	it := v.items[v.cursor]
	if v.lines == nil || v.fitted != width {
		v.lines, v.fitted = termtext.Wrap(v.text(it), width), width
	}
	v.scroll = max(0, min(v.scroll, len(v.lines)-height))
	var rows []row
	for i, line := range v.lines[v.scroll:min(len(v.lines), v.scroll+height)] {
		style := plain
		if i+v.scroll == 0 {
			style = bold
		}
		rows = append(rows, row{line, style})
	}
	if below := len(v.lines) - v.scroll - len(rows); below > 0 && height > 3 {
		rows[len(rows)-1] = row{fmt.Sprintf("… %s more below, page down scrolls", termtext.Count(below+1, "line")), faint}
	}
	return rows
}

// text is the whole text of the pane: what is asked, how it can be answered, and what it is about.
func (v *inboxView) text(it item) string {
	var b strings.Builder
	a := it.ask
	fmt.Fprintf(&b, "%s: %s\n", a.Kind, termtext.Line(a.Title))
	about := "run " + termtext.Line(a.Run) + ", node " + termtext.Line(a.Node)
	if a.Version != "" {
		about = "run " + termtext.Line(a.Run) + ", " + termtext.Line(a.Version) + " (" + a.Digest.Short() + ")"
	}
	b.WriteString(about + ", ask " + termtext.Line(a.Ask) + ", " + since(v.o.Now().Sub(a.Since)) + "\n")
	switch {
	case it.gone != "":
		b.WriteString("it is " + it.gone + "\n")
	case v.broken != "":
		return b.String() + "\n" + v.broken
	case v.shown.Ask.Ask != a.Ask:
		return b.String() + "\nreading …"
	}
	if v.shown.Ask.Ask == a.Ask {
		v.writeAsked(&b)
	}
	return b.String()
}

func since(d time.Duration) string {
	if d < time.Minute {
		return "just opened"
	}
	return duration(d.Truncate(time.Minute)) + " old"
}

func (v *inboxView) writeAsked(b *strings.Builder) {
	if v.shown.Rehearsal {
		b.WriteString(rehearsalNote + "\n")
	}
	for _, q := range v.shown.Ask.Questions {
		b.WriteString(termtext.Line(q.ID+": "+q.Text) + choices(q.Choices) + "\n")
	}
	for i, c := range v.shown.Choices {
		line := fmt.Sprintf("%d %s", i+1, termtext.Line(c.Value))
		if c.Label != "" {
			line += ": " + termtext.Line(c.Label)
		}
		b.WriteString(line + needText(c.Need) + "\n")
	}
	b.WriteString("\n")
	if v.mode == showDiff {
		b.WriteString(orElse(v.diff, "comparing …"))
		return
	}
	for i, t := range v.shown.Texts {
		if i > 0 || len(v.shown.Texts) > 1 {
			b.WriteString("── " + termtext.Line(t.Name) + "\n")
		}
		if t.Binary {
			fmt.Fprintf(b, "no text, %s bytes\n", termtext.Thousands(int(t.Cut)))
			continue
		}
		b.WriteString(strings.TrimRight(termtext.Block(readable(t.Body)), "\n") + "\n")
		if t.Cut > 0 {
			fmt.Fprintf(b, "… and %s bytes that are not shown here\n", termtext.Thousands(int(t.Cut)))
		}
	}
}

func choices(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return " (" + termtext.Line(strings.Join(all, ", ")) + ")"
}

func needText(n app.Need) string {
	switch n {
	case app.NeedReason:
		return ", with a reason"
	case app.NeedContent:
		return ", with a text (s writes one line; -f FILE takes more)"
	case app.NeedAnswers:
		return ", question by question (s)"
	}
	return ""
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// foot is what was just done or asked, and the keys or the field. Each line is ready to be shown.
func (v *inboxView) foot() []string {
	var lines []string
	room := 2
	if v.height >= 10 {
		room = 4
	}
	if v.note.text != "" && v.height >= 3 {
		wrapped := termtext.Wrap(v.note.text, v.width)
		if len(wrapped) >= room {
			wrapped = append(wrapped[:room-2], termtext.Cut(strings.Join(wrapped[room-2:], " "), v.width))
		}
		for _, l := range wrapped {
			lines = append(lines, v.note.style.Render(l))
		}
	}
	switch {
	case v.field != nil:
		lines = append(lines, v.field.view(v.width))
	case v.height >= 4:
		lines = append(lines, faint.Render(termtext.Cut(v.keys(), v.width)))
	}
	return lines
}

func (v *inboxView) keys() string {
	if v.cursor < len(v.items) && v.items[v.cursor].gone != "" {
		return "↑↓ go on  / filter  q leave  ? help"
	}
	if v.selected() == "" {
		return "/ filter  q leave  ? help"
	}
	var keys []string
	for _, c := range v.shown.Choices {
		switch {
		case c.Value == "approve" || c.Value == "apply":
			keys = append(keys, "a "+c.Value)
		case c.Value == "reject":
			keys = append(keys, "r reject")
		case c.Need == app.NeedAnswers || c.Need == app.NeedContent:
			keys = append(keys, "s answer")
		}
	}
	if len(v.shown.Choices) > len(keys) {
		keys = append(keys, "1–9 choose")
	}
	if v.shown.Against != "" {
		keys = append(keys, "d diff")
	}
	return strings.Join(append(keys, "enter show", "/ filter", "q leave", "? help"), "  ")
}

var inboxKeys = []keyHelp{
	{"↑ ↓ j k", "another ask"},
	{"a", "approve exactly the version that is shown"},
	{"r", "reject it; asks for the reason"},
	{"1 to 9", "answer with that choice"},
	{"s", "answer its questions, or write what it wants"},
	{"d", "what changed since the approved version, or the text again"},
	{"enter", "the text alone on the screen, or beside the list"},
	{"pgup pgdn", "scroll the text (also b, space)"},
	{"/", "show only asks with these words; esc shows all"},
	{"ctrl+z", "put it aside; fg brings it back"},
	{"q ctrl+c", "leave"},
}
