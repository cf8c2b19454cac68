package doctor

import (
	"bytes"
	"context"
	"fmt"
)

// Copy is a file that shows what the store holds and belongs to no run, such as the ledger.
type Copy interface {
	Path() string
	Want(ctx context.Context) ([]byte, error) // nil: there is nothing to show
	Have(ctx context.Context) ([]byte, error) // nil: the file is not there
	Put(ctx context.Context) error            // shows what the store holds
}

// copies compares such files with what they should show.
func (w Workspace) copies(ctx context.Context, all *Report) error {
	for _, c := range w.Copies {
		want, err := c.Want(ctx)
		if err != nil {
			return err
		}
		have, err := c.Have(ctx)
		if err != nil {
			return err
		}
		f := Finding{Severity: Warning, Path: c.Path(), Repairable: true, Command: repairCommand}
		switch {
		case bytes.Equal(want, have), want == nil:
			continue
		case have == nil:
			f.Code, f.Message = FileMissing, fmt.Sprintf("file %s is not there", c.Path())
		default:
			f.Code, f.Severity, f.Message = FileDamaged, Error, fmt.Sprintf("file %s does not show what the store holds", c.Path())
		}
		all.add(f)
	}
	return nil
}

// recopy puts a finding about such a file right; ok is false where it is about something else.
func (w Workspace) recopy(ctx context.Context, f Finding) (ok bool, err error) {
	for _, c := range w.Copies {
		if f.Run == "" && f.Path == c.Path() {
			return true, c.Put(ctx)
		}
	}
	return false, nil
}
