package wire

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"sluice/internal/kernel"
	"sluice/internal/line/spec"
)

// errorLog keeps the errors of specs' steps, a JSON line each, in a file per day. It is the user's own, outside of every
// workspace, unless a place for logs is set.
type errorLog struct {
	dir string // empty: there is no place for it
	log *slog.Logger
}

func newErrorLog(dir string, log *slog.Logger) errorLog {
	if dir == "" {
		if home, err := os.UserHomeDir(); err == nil {
			dir = filepath.Join(home, ".canonical", "logs")
		}
	}
	return errorLog{dir, log}
}

// path is where errors of that day stand.
func (l errorLog) path(at time.Time) string {
	if l.dir == "" {
		return ""
	}
	return filepath.Join(l.dir, spec.LogName(at))
}

// observing tells the log of what is committed, then the one who watches.
func (l errorLog) observing(next func(*kernel.Run, []kernel.Event)) func(*kernel.Run, []kernel.Event) {
	return func(r *kernel.Run, events []kernel.Event) {
		if r.Line() == spec.Name {
			if lines := spec.LogLines(r, events); len(lines) > 0 {
				if err := l.write(lines); err != nil { // the errors are in the journal in any case
					l.log.Warn("errors are not in their log", "path", l.path(r.Updated()), "error", err)
				}
			}
		}
		if next != nil {
			next(r, events)
		}
	}
}

// write appends all lines at once, so that those of several processes do not mix.
func (l errorLog) write(lines []spec.LogLine) error {
	if l.dir == "" {
		return os.ErrNotExist
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	at := time.Now()
	for _, line := range lines {
		if err := enc.Encode(line); err != nil {
			return err
		}
		if told, err := time.Parse(time.RFC3339, line.At); err == nil {
			at = told
		}
	}
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(l.path(at), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.Write(out.Bytes()); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
