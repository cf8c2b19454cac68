package wire

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"sluice/internal/app"
	"sluice/internal/config"
	"sluice/internal/digest"
	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/model"
	"sluice/internal/sqlitestore"
	"sluice/internal/workspace"
)

// A dry run is the verb itself on a copy of the store, with a model that writes calls down instead of answering, with
// files that are read and never written, and without programs. Nothing of the workspace changes.

// storeDir is where the store is: that of the workspace, or a private copy of it that goes when the house is closed.
func (h *house) storeDir(ctx context.Context, s Setup) (string, error) {
	own := filepath.Join(s.Root, ".sluice")
	if s.Dry == nil {
		return own, nil
	}
	var err error
	if h.scratch, err = os.MkdirTemp("", "sluice-dry-*"); err != nil {
		return "", cannotWrite(os.TempDir(), err)
	}
	if _, err := os.Stat(filepath.Join(own, "sluice.db")); errors.Is(err, fs.ErrNotExist) {
		return h.scratch, nil
	}
	if err := sqlitestore.Copy(ctx, own, h.scratch); err != nil {
		return "", err
	}
	return h.scratch, linkTree(filepath.Join(own, "blobs"), filepath.Join(h.scratch, "blobs"))
}

// openStore opens the store, and first removes what a killed process left unfinished.
func (h *house) openStore(ctx context.Context, s Setup) error {
	if s.Dry == nil {
		if _, err := h.tree.SweepKilled(); err != nil {
			return err
		}
	}
	dir, err := h.storeDir(ctx, s)
	if err != nil {
		return err
	}
	seal := &config.Seal{IsDry: s.Dry != nil}
	if own := config.UserFile(os.Getenv); own != "" {
		seal.File = filepath.Join(filepath.Dir(own), "seal.key")
	}
	h.store, err = sqlitestore.Open(ctx, dir, sqlitestore.Options{Seal: seal})
	return err
}

// linkTree makes the large contents of a store known to its copy. They never change.
func linkTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		if os.Symlink(path, filepath.Join(to, rel)) == nil {
			return nil
		}
		body, err := os.ReadFile(path) // not every system lets everybody link
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), body, 0o600)
	})
}

// still takes everything from an open workspace that would change something.
func (h *house) still(a *app.App) {
	tree := stillTree{h.tree}
	a.Tree, a.Space, a.Writer, a.Notes = tree, tree, tree, tree
	a.ErrorLog, a.Publisher = nil, nil
	a.Engine.Runner, a.Engine.Observe, a.Engine.Outlook = nil, nil, nil
	a.Engine.Survey = true
}

// stillTree is read and keeps what it is.
type stillTree struct{ *workspace.Tree }

func (stillTree) Write(string, []byte, fs.FileMode) error    { return nil }
func (stillTree) WriteNew(string, []byte, fs.FileMode) error { return nil }
func (stillTree) Remove(string, string) error                { return nil }
func (stillTree) Move(string, string) error                  { return nil }
func (stillTree) SetNote(string, []byte) error               { return nil }

// ReplaceDir lets the directory be filled with nothing.
func (stillTree) ReplaceDir(_ context.Context, _ string, fill func(write func(string, []byte) error) error) error {
	return fill(func(string, []byte) error { return nil })
}

// stillFiles says what files show, and leaves them so.
type stillFiles struct{ engine.Files }

// Place leaves every file as it is.
func (stillFiles) Place(context.Context, []journal.Checkout, map[digest.Digest][]byte) ([]journal.Edit, error) {
	return nil, nil
}

// Keep saves nothing.
func (stillFiles) Keep(_ context.Context, path string, _ []byte) (string, error) { return path, nil }

// Restore brings nothing back.
func (stillFiles) Restore(context.Context, bool, ...journal.Checkout) ([]journal.Edit, error) {
	return nil, nil
}

// diary writes calls down instead of making them. The refusal parks the node that asked, as a used up budget does: nothing
// goes on as if there had been an answer.
type diary struct {
	server string
	budget *model.Budget
	tell   func(app.DryCall)
}

func (d diary) Complete(ctx context.Context, r model.Request) (model.Reply, error) {
	name := r.Params.Model
	if name == "" {
		name = d.server
	}
	u, err := d.budget.Expect(ctx, r)
	if err != nil {
		return model.Reply{}, err
	}
	c := app.DryCall{Run: r.Scope.Run, Node: r.Scope.Node, Step: r.Scope.Step, Slot: r.Scope.Slot, Agent: r.Agent, Provider: d.server, Model: name,
		InputTokens: u.InputTokens, OutputTokens: u.OutputTokens}
	if p, ok := d.budget.Prices.Of(d.server, name, u.InputTokens); ok {
		dollars := p.Cost(u).Dollars()
		c.Cost = &dollars
	}
	if c.Refused, err = d.budget.Refusal(ctx, d.server, r); err != nil {
		return model.Reply{}, err
	}
	d.tell(c)
	return model.Reply{}, fault.New(fault.BudgetUsedUp, r.Agent, "this is a dry run; nobody is asked")
}
