package cli

import (
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/internal/app"
)

// logOfAll is how many events a log of all runs shows unless more is asked for.
const logOfAll = 50

func (k *Kit) log() *cobra.Command {
	var q app.LogQuery
	var since, until string
	var follow bool
	c := &cobra.Command{
		Use:   "log [RUN]",
		Short: "List what happened, in a run or in all of them",
		Long: `Lists events: when, by whom, what. Without RUN the newest of all runs. Events can be asked for by node (with
what is below it), kind, person and time; all that is given must hold. A time is 2026-11-15,
2026-11-15T09:30:00Z, or an age such as 90m, 2h or 3d. With --follow the log goes on until the run is over or
you stop it. With --json each event has all its fields.

` + exits(0, 2, 3),
		Example: `  sluice log sample-1
  sluice log sample-1 --last 20
  sluice log sample-1 --node text --event review --event version
  sluice log --by ann --since 2d
  sluice log sample-1 --follow`,
		Args: fitUse,
	}
	f := c.Flags()
	f.IntVarP(&q.Last, "last", "n", 0, "only the last `N`; 0 is all of a run and "+strconv.Itoa(logOfAll)+" of the workspace")
	f.StringArrayVar(&q.Nodes, "node", nil, "only about this `NODE` and what is below it (repeat for more)")
	f.StringArrayVar(&q.Types, "event", nil, "only `EVENT`s of this name or beginning: ask, version_approved … (repeat for more)")
	f.StringVar(&q.By, "by", "", "only what `WHO` did: a part of the name")
	f.StringVar(&since, "since", "", "only from this `TIME` on")
	f.StringVar(&until, "until", "", "only up to this `TIME`")
	f.BoolVarP(&follow, "follow", "f", false, "go on with what happens next")
	c.RunE = func(c *cobra.Command, args []string) error {
		q.Run = strings.Join(args, "")
		if err := k.readLogQuery(c, &q, since, until, follow); err != nil {
			return err
		}
		return k.With(c.Context(), func(a *app.App) error {
			if follow {
				return k.followLog(c, a, q)
			}
			d, err := a.Log(c.Context(), q)
			if err != nil {
				return err
			}
			return k.Print(d, k.look().log(d))
		})
	}
	return c
}

func (k *Kit) readLogQuery(c *cobra.Command, q *app.LogQuery, since, until string, follow bool) (err error) {
	switch {
	case q.Last < 0:
		return wrongUse(c, "--last", "--last is %d; 0 or more is needed", q.Last)
	case follow && q.Run == "":
		return wrongUse(c, "RUN", "--follow needs a RUN")
	case follow && k.json:
		return wrongUse(c, "--follow", "--json is one document and --follow has no end; one of them is needed")
	}
	if q.Since, err = k.moment(c, "since", since); err != nil {
		return err
	}
	if q.Until, err = k.moment(c, "until", until); err != nil {
		return err
	}
	if q.Run == "" && q.Last == 0 {
		q.Last = logOfAll
	}
	return nil
}

// moment reads a time, or an age.
func (k *Kit) moment(c *cobra.Command, flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n < 100_000 {
			return k.env.Now().Add(-time.Duration(n) * 24 * time.Hour), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return k.env.Now().Add(-d), nil
	}
	return time.Time{}, wrongUse(c, "--"+flag, "--%s is %q; a time such as 2026-11-15T09:30:00Z or an age such as 2h is needed", flag, text)
}

func (k *Kit) followLog(c *cobra.Command, a *app.App, q app.LogQuery) error {
	isFirst := true
	return a.FollowLog(c.Context(), q, func(d app.LogDoc) error {
		text := k.look().log(d)
		if !isFirst {
			_, text, _ = strings.Cut(text, "\n") // the head is there already
		}
		isFirst = false
		return k.Print(d, text)
	})
}

// log lists events.
func (v look) log(d app.LogDoc) string {
	head := []string{"SEQ", "AT", "BY", "WHAT"}
	if d.Run == "" {
		head = append([]string{"RUN"}, head...)
	}
	rows := [][]string{head}
	for _, e := range d.Events {
		row := []string{strconv.FormatInt(e.Seq, 10), timeText(e.At), clean(e.By), clean(what(e))}
		if d.Run == "" {
			row = append([]string{clean(e.Run)}, row...)
		}
		rows = append(rows, row)
	}
	return table(v.width, rows...)
}
