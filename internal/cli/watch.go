package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/watch"
)

func (k *Kit) watch() *cobra.Command {
	var plain bool
	c := &cobra.Command{
		Use:   "watch RUN",
		Short: "Show a run while it is worked on, by whatever process",
		Long: `Shows a run live: its nodes with status, tries and words, what it waits for, what happened last, what it has cost. It
changes nothing, and leaving it stops nobody who works on the run. Keys: arrows scroll, / filters, tab shows events
only, q leaves, ? helps.

Without a terminal, or with --plain, it prints a line per event until the run waits for a person or is over, and ends
with the run's exit code. With --json each line is a document: {"event": …} for each event, {"run": …} at the end.

` + exits(0, 2, 3, 4, 6),
		Example: "  sluice watch sample-1\n  sluice watch sample-1 --plain\n  sluice watch sample-1 --json",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			return k.aside(c, func(a *app.App, o watch.Options) error {
				w, err := a.Watch(c.Context(), args[0])
				if err != nil {
					return err
				}
				if k.hasScreen() && !plain {
					return watch.Run(c.Context(), w, o)
				}
				return k.watchPlain(c, w)
			})
		},
	}
	c.Flags().BoolVar(&plain, "plain", false, "print lines, also on a terminal")
	return c
}

// lookEvery is the pause between looks of a live view.
const lookEvery = 250 * time.Millisecond

// hasScreen says whether a live view can be shown and typed at.
func (k *Kit) hasScreen() bool {
	return !k.json && k.env.OutWidth() > 0 && k.env.IsTerminal != nil && k.env.IsTerminal() && k.env.Getenv("TERM") != "dumb"
}

// aside opens the workspace for a view: what happens is told by the view, not beside it.
func (k *Kit) aside(c *cobra.Command, verb func(*app.App, watch.Options) error) (err error) {
	var warnings warnings
	o := k.options()
	o.Observe, o.Verbose, o.Warn = nil, false, warnings.add
	a, done, err := k.env.Open(c.Context(), o)
	if err != nil {
		return err
	}
	defer func() {
		if closing := done(); err == nil {
			err = closing
		}
		if text := warnings.take(); text != "" {
			k.progress.warn(text)
		}
	}()
	v := k.look()
	return verb(a, watch.Options{In: k.env.Stdin, Out: k.env.Stdout, Now: k.env.Now, Every: lookEvery, Warnings: warnings.take,
		Describe: newTelling().news, Diff: v.textDiff, Command: v.command, Price: dollars, Recorded: recordedLine(v)})
}

// recordedLine says in one line what an answer did, and how the run goes on.
func recordedLine(v look) func(app.Reply, app.RunDoc) string {
	return func(r app.Reply, d app.RunDoc) string {
		verb := r.Choice
		if verb == "" {
			verb = "answer"
		}
		text := "recorded " + verb + "; run " + d.Run + " is " + d.Status
		if next := beyondAsks(d); len(next) > 0 && next[0].Command != "" {
			text += "; next: " + v.command(next[0].Command)
		}
		return text
	}
}

// warnings keeps what is warned of while a view has the terminal. It is safe for concurrent use.
type warnings struct {
	mu  sync.Mutex
	all []string
}

func (w *warnings) add(message string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, message)
}

func (w *warnings) take() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := strings.Join(w.all, "; ")
	w.all = nil
	return text
}

// watchPlain prints events as they come, then how the run came to rest.
func (k *Kit) watchPlain(c *cobra.Command, w *app.Watch) error {
	telling := newTelling()
	d, err := w.Follow(c.Context(), func(d app.WatchDoc) error {
		texts := telling.news(d)
		for i, e := range d.News {
			if k.json {
				if err := k.printLine(struct {
					Event app.EventDoc `json:"event"`
				}{e}); err != nil {
					return err
				}
				continue
			}
			if _, err := io.WriteString(k.env.Stdout, timeText(e.At)+"  "+clean(e.By)+"  "+clean(texts[i])+"\n"); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || c.Context().Err() != nil {
		return err
	}
	k.exit = d.Exit()
	if k.json {
		return k.printLine(struct {
			Run app.RunDoc `json:"run"`
		}{d.RunDoc})
	}
	return k.Print(d.RunDoc, k.look().summary(d.RunDoc))
}

// watchInbox shows asks live, or prints each as it is opened.
func (k *Kit) watchInbox(c *cobra.Command, run string, plain bool) error {
	return k.aside(c, func(a *app.App, o watch.Options) error {
		if _, err := a.Inbox(c.Context(), run); err != nil { // a run that does not exist is told of before the screen is taken
			return err
		}
		if k.hasScreen() && !plain {
			return watch.Inbox(c.Context(), a, run, o)
		}
		return a.FollowInbox(c.Context(), run, func(ask app.AskDoc) error {
			if k.json {
				return k.printLine(ask)
			}
			line := timeText(ask.Since) + "  " + clean(ask.Ask) + "  " + clean(ask.Run) + "  " + ask.Kind + ": " + clean(ask.Title)
			_, err := io.WriteString(k.env.Stdout, line+"\n")
			return err
		})
	})
}

// printLine prints a document as one line of JSON.
func (k *Kit) printLine(doc any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(doc); err != nil {
		return err
	}
	_, err := io.WriteString(k.env.Stdout, escapeJSON(b.String()))
	return err
}
