package watch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sluice/internal/app"
	"sluice/internal/kernel"
	"sluice/internal/termtext"
)

// draft is an answer that is being put together. It is for the ask, and the version, that was on the screen when it was
// begun.
type draft struct {
	reply     app.Reply
	need      app.Need
	questions []kernel.Question
	at        int // the question that is asked
}

// begin answers with a choice: at once, or after what it needs was typed.
func (v *inboxView) begin(c app.AskChoice) tea.Cmd {
	d := &draft{reply: app.Reply{Ask: v.shown.Ask.Ask, Choice: c.Value, Digest: v.shown.Ask.Digest}, need: c.Need, questions: v.shown.Ask.Questions}
	v.draft, v.note = d, row{}
	if c.Need == app.NeedNothing {
		return v.send()
	}
	if c.Need == app.NeedAnswers {
		d.reply.Choice, d.reply.Set = "", map[string]string{}
	}
	if c.Need == app.NeedContent {
		d.reply.Choice = ""
	}
	d.ask(v)
	return nil
}

// ask opens the field for what comes next.
func (d *draft) ask(v *inboxView) {
	label := "reason:"
	switch d.need {
	case app.NeedContent:
		label = "text:"
	case app.NeedAnswers:
		q := d.questions[d.at]
		label = termtext.Line(q.ID) + ":"
		text := termtext.Line(q.Text)
		for i, c := range q.Choices {
			text += fmt.Sprintf("  %d %s", i+1, termtext.Line(c))
		}
		if v.note.text == "" || d.at > 0 {
			v.note = row{text, bold}
		}
	}
	v.field, v.filling = newField(label, ""), false
}

// again asks for everything once more, after a refusal that is on the screen.
func (d *draft) again(v *inboxView) {
	d.at = 0
	if d.need == app.NeedNothing {
		v.draft = nil
		return
	}
	if d.need == app.NeedAnswers {
		d.reply.Set = map[string]string{}
	}
	d.ask(v)
}

// enter puts a key or a paste into the field, and goes on once the line is finished.
func (v *inboxView) enter(msg tea.Msg) tea.Cmd {
	done, dropped := v.field.update(msg)
	value := v.field.value()
	if v.filling {
		if dropped {
			value = ""
		}
		if done || dropped {
			v.field = nil
		}
		return v.setFilter(value)
	}
	switch {
	case dropped:
		v.field, v.draft, v.note = nil, nil, row{"nothing was answered", waiting}
		return nil
	case !done:
		return nil
	}
	return v.typed(value)
}

// typed takes a finished line into the draft.
func (v *inboxView) typed(value string) tea.Cmd {
	d := v.draft
	isEmpty := value == ""
	switch d.need {
	case app.NeedReason:
		d.reply.Reason = value
	case app.NeedContent:
		d.reply.Content = []byte(value + "\n")
	case app.NeedAnswers:
		q := d.questions[d.at]
		if n, err := strconv.Atoi(value); err == nil && n >= 1 && n <= len(q.Choices) {
			value = q.Choices[n-1]
		}
		if value != "" && len(q.Choices) > 0 && !slices.Contains(q.Choices, value) {
			v.note = row{termtext.Line(q.ID + " takes " + strings.Join(q.Choices, ", ")), alarming}
			v.field = newField(v.field.label, "")
			return nil
		}
		if value != "" {
			d.reply.Set[q.ID] = value
		}
		if d.at++; d.at < len(d.questions) {
			d.ask(v)
			return nil
		}
		isEmpty = len(d.reply.Set) == 0
	}
	if isEmpty {
		v.note = row{"nothing was written, so nothing was answered", waiting}
		v.field, v.draft = nil, nil
		return nil
	}
	return v.send()
}

// send hands the answer to the verb. It is refused there if the version moved on.
func (v *inboxView) send() tea.Cmd {
	v.field, v.isBusy = nil, true
	v.note = row{"recording …", faint}
	reply := v.draft.reply
	return func() tea.Msg {
		d, err := v.desk.Answer(v.ctx, reply)
		return answeredMsg{reply, d, err}
	}
}
