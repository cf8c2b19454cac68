package watch

import (
	"context"
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"sluice/internal/app"
)

// Follower gives a run as it stands, whoever works on it. Looks never overlap.
type Follower interface {
	// Look tells what happened since the last look, and counts the words of some nodes.
	Look(ctx context.Context, nodes []string) (app.WatchDoc, error)
}

// Desk is where asks are read and answered: the verbs of app.
type Desk interface {
	// Changes gives another number whenever something was committed.
	Changes(ctx context.Context) (int64, error)
	Inbox(ctx context.Context, run string) (app.InboxDoc, error)
	ShowAsk(ctx context.Context, ask string) (app.AskText, error)
	DiffAsk(ctx context.Context, ask string) (app.TextDiffDoc, error)
	Answer(ctx context.Context, r app.Reply) (app.RunDoc, error)
}

// Options are what views need of the outside, and how things are worded elsewhere.
type Options struct {
	In       io.Reader
	Out      io.Writer
	Now      func() time.Time
	Every    time.Duration                      // between looks
	Describe func(app.WatchDoc) []string        // the news of a look in words, an entry for each
	Diff     func(app.TextDiffDoc) string       // a difference, marked and harmless
	Command  func(command string) string        // a command as this person must type it
	Price    func(dollars float64) string       // an amount of money
	Warnings func() (message string)            // what was warned of since the last call; nil: nothing is
	Recorded func(app.Reply, app.RunDoc) string // what an answer did, and how it goes on
}

// Run shows a run until the person leaves or ctx ends. Leaving changes nothing for whoever drives the run.
func Run(ctx context.Context, f Follower, o Options) error {
	return show(ctx, newRunView(ctx, f, o), o)
}

// Inbox shows what waits for people, of one run or of all, until the person leaves or ctx ends.
func Inbox(ctx context.Context, d Desk, run string, o Options) error {
	return show(ctx, newInboxView(ctx, d, run, o), o)
}

// failing is a view that can end with an error.
type failing interface {
	tea.Model
	failure() error
}

// show hands the terminal to a view and takes it back as it was. Signals stay with the program, which ends ctx.
func show(ctx context.Context, v failing, o Options) error {
	p := tea.NewProgram(v, tea.WithContext(ctx), tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithoutSignalHandler())
	_, err := p.Run()
	switch {
	case ctx.Err() != nil, errors.Is(err, tea.ErrInterrupted):
		return nil
	case err != nil:
		return err
	}
	return v.failure()
}

// tickMsg says that it is time for a look.
type tickMsg struct{}

func (o Options) tick() tea.Cmd {
	return tea.Tick(o.Every, func(time.Time) tea.Msg { return tickMsg{} })
}
