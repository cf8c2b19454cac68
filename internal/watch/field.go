package watch

import (
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"sluice/internal/termtext"
)

// maxTyped bounds what a person types or pastes into one line.
const maxTyped = 16 << 10

// field takes one line from the person.
type field struct {
	label string
	input textinput.Model
}

func newField(label, value string) *field {
	in := textinput.New()
	in.Prompt, in.CharLimit = "", maxTyped
	in.KeyMap.Paste = key.NewBinding() // it would start a program; terminals paste by themselves
	in.Focus()
	in.SetValue(value)
	return &field{label: label, input: in}
}

// update takes a key or a paste. done says that the line is finished, dropped that it is not wanted.
func (f *field) update(msg tea.Msg) (done, dropped bool) {
	switch m := msg.(type) {
	case tea.KeyPressMsg:
		switch m.String() {
		case "enter":
			return true, false
		case "esc", "ctrl+c":
			return false, true
		}
	case tea.PasteMsg:
		msg = tea.PasteMsg{Content: termtext.Line(strings.TrimSpace(m.Content))}
	}
	f.input, _ = f.input.Update(msg)
	return false, false
}

func (f *field) value() string { return strings.TrimSpace(f.input.Value()) }

// view shows the label and as much of the line as fits.
func (f *field) view(width int) string {
	label := termtext.Cut(f.label, max(1, width/2)) + " "
	room := width - termtext.Columns(label) - 2 // the cursor takes one, and the last column stays free
	if room < 2 {
		label, room = "", max(1, width-2)
	}
	f.input.SetWidth(room)
	return bold.Render(label) + f.input.View()
}
