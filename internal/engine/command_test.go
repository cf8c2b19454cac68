package engine_test

import (
	"context"
	"errors"
	"testing"

	"sluice/internal/digest"
	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
)

func note(h *house, id string) engine.Act {
	return engine.Act{Command: kernel.Record{Stamp: ann(h),
		Evidence: []kernel.Evidence{{ID: id, Type: "log", Ref: "note", Hash: digest.Of(nil)}}}}
}

func TestAStepThatTheLineDoesNotHaveFailsItsNode(t *testing.T) {
	h := newHouse(t, polite)
	r, err := h.OpenAndDrive(t.Context(), h.open(t, "r1", `{"title":"t","nodes":[
		{"id":"x","kind":"make","step":"conjure","performer":"engine","attempts":1}]}`), engine.Plan{})
	if err != nil {
		t.Fatal(err)
	}
	mustStatus(t, r, kernel.RunFailed)
}

// whileDriven drives a run until its model is asked, lets do happen, and ends the drive.
func whileDriven(t *testing.T, h *house, do func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	asked, done := make(chan struct{}), make(chan error, 1)
	h.Model = hangingModel{h.model, asked}
	go func() {
		_, err := h.OpenAndDrive(ctx, h.open(t, "r1", draft("{}")), engine.Plan{})
		done <- err
	}()
	<-asked
	do()
	stop()
	if err := <-done; err != nil && !errors.Is(err, fault.Interrupted) {
		t.Errorf("the drive ended with %v", err)
	}
}

func TestCommandsHandedToTheOwnerAreAllOrNone(t *testing.T) {
	h := newHouse(t, nil)
	whileDriven(t, h, func() {
		_, err := h.Do(t.Context(), "r1", note(h, "E-1"), engine.Act{Command: kernel.Reopen{Stamp: ann(h), Node: "nowhere"}})
		if !errors.Is(err, fault.UnknownNode) {
			t.Errorf("got %v, want unknown_node", err)
		}
		if _, err := h.Do(t.Context(), "r1", note(h, "E-2")); err != nil {
			t.Error(err)
		}
	})
	r, err := h.Load(t.Context(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Evidence(); len(got) != 1 || got[0].ID != "E-2" {
		t.Errorf("evidence is %v, want E-2 alone", got)
	}
}

func TestTheOwnerTellsWhetherACommandWasTakenWhenOthersAppended(t *testing.T) {
	dir := t.TempDir()
	h, other := openHouse(t, dir, nil), openHouse(t, dir, polite)
	fuse := &fuseJournal{Journal: h.Journal}
	h.Journal = fuse
	whileDriven(t, h, func() {
		fuse.meanwhile = func() {
			if _, err := other.Do(t.Context(), "r1", engine.Act{Command: kernel.Cancel{Stamp: ann(other)}}); err != nil {
				t.Error(err)
			}
		}
		fuse.conflicts.Store(1)
		_, err := h.Do(t.Context(), "r1", engine.Act{Command: kernel.Cancel{Stamp: ann(h)}})
		if !errors.Is(err, fault.RunClosed) {
			t.Errorf("got %v, want run_closed: the run was cancelled meanwhile", err)
		}
	})
}

// editedFiles finds an edit once, right after files were placed.
type editedFiles struct {
	engine.Files
	edits []journal.Edit
}

func (f *editedFiles) Place(ctx context.Context, rows []journal.Checkout, bodies map[digest.Digest][]byte) ([]journal.Edit, error) {
	edits, err := f.Files.Place(ctx, rows, bodies)
	edits = append(edits, f.edits...)
	f.edits = nil
	return edits, err
}

func TestAConflictOverAFoundEditDoesNotRepeatTheCommand(t *testing.T) {
	dir := t.TempDir()
	h, other := openHouse(t, dir, polite), openHouse(t, dir, polite)
	if _, err := h.OpenAndDrive(t.Context(), h.open(t, "r1", draft("{}")), engine.Plan{}); err != nil {
		t.Fatal(err)
	}
	row, _, err := h.Files.Checkout(t.Context(), "sample/r1/text.md")
	if err != nil {
		t.Fatal(err)
	}
	mine := []byte("my own words\n")
	h.Files = &editedFiles{Files: h.Files, edits: []journal.Edit{{Kind: journal.Edited, Row: row, Body: mine, Digest: digest.Of(mine)}}}
	fuse := &fuseJournal{Journal: h.Journal, meanwhile: func() {
		if _, err := other.Do(t.Context(), "r1", note(other, "E-9")); err != nil {
			t.Error(err)
		}
	}}
	fuse.conflicts.Store(2) // the command itself is the first
	h.Journal = fuse
	revise := engine.Act{Command: kernel.Revise{Stamp: ann(h), Nodes: []kernel.NodeID{"after"}, Note: "once"}}
	r, err := h.Do(t.Context(), "r1", revise, note(h, "E-1"))
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := r.Node("text"); n.Newest().Digest != digest.Of(mine) {
		t.Error("the edit was not taken over")
	}
	got := ""
	for _, e := range r.Evidence() {
		got += " " + string(e.ID)
	}
	if got != " E-1 E-9" {
		t.Errorf("evidence is%s, want E-1 E-9, each once", got)
	}
}
