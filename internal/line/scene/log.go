package scene

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"sluice/internal/kernel"
)

// LogText tells the transitions of a workflow, one line each, from the batches of its journal. It is the same whenever it
// is asked for, so a log that was lost or cut short is written again.
func LogText(batches [][]kernel.Event) ([]byte, error) {
	l := logging{run: kernel.NewRun()}
	for _, events := range batches {
		for _, e := range events {
			kernel.Evolve(l.run, e)
			if e.By.Kind != kernel.Rule {
				l.by = e.By
			}
			if _, began := e.Fact.(kernel.AttemptBegan); began { // what a batch begins and ends shows both
				if err := l.tell(e.At); err != nil {
					return nil, err
				}
			}
		}
		if len(events) > 0 {
			if err := l.tell(events[len(events)-1].At); err != nil {
				return nil, err
			}
		}
	}
	return l.out.Bytes(), nil
}

// logging is a run that is told again.
type logging struct {
	run    *kernel.Run
	by     kernel.Actor
	status string
	words  []string
	out    bytes.Buffer
}

// tell writes what changed since it was last asked.
func (l *logging) tell(at time.Time) error {
	kernel.Fold(l.run, nil) // what follows was settled when it was recorded
	w, err := Look(l.run, nil)
	if err != nil {
		return err
	}
	stamp := at.UTC().Format("2006-01-02T15:04:05.000Z")
	if l.words == nil {
		l.words = make([]string, len(w.Steps))
		for i := range l.words {
			l.words[i] = Pending
		}
	}
	for i, s := range w.Steps {
		if s.Word == l.words[i] {
			continue
		}
		line := fmt.Sprintf("%s %s %d (%s): %s -> %s", stamp, w.unit(), s.Number, s.Name, l.words[i], s.Word)
		if s.Attempts != nil && s.Word == InProgress {
			line += fmt.Sprintf(" attempt %d of %d", s.Attempts.Current, s.Attempts.Max)
		}
		l.write(line)
		l.words[i] = s.Word
	}
	if w.Status != l.status {
		before := l.status
		if before == "" {
			before = "new"
		}
		l.write(fmt.Sprintf("%s workflow %s: %s -> %s", stamp, w.ID, before, w.Status))
		l.status = w.Status
	}
	return nil
}

// write ends a line with who did it. Names come from outside and must not break it.
func (l *logging) write(line string) {
	by := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, l.by.String())
	l.out.WriteString(line + " by " + by + "\n")
}
