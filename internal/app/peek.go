package app

import (
	"context"

	"sluice/internal/journal"
	"sluice/internal/line/novel"
)

// Peek shows a run as the journal has it. Unlike Status it takes nothing over and adds nothing up: it is for those who
// look in passing, such as a shell that completes a word.
func (a *App) Peek(ctx context.Context, id string) (RunDoc, error) {
	run, err := a.resolve(ctx, id)
	if err != nil {
		return RunDoc{}, err
	}
	r, err := a.Engine.Load(ctx, run)
	if err != nil {
		return RunDoc{}, err
	}
	return a.runDocAt(r, UsageDoc{}), nil
}

// PeekBook shows the run of a book, by the book's name.
func (a *App) PeekBook(ctx context.Context, name string) (RunDoc, error) {
	page, err := a.Store.List(ctx, journal.Filter{Line: novel.Name, Labels: map[string]string{novel.LabelProject: name}, Limit: 1})
	if err != nil || len(page.Runs) == 0 {
		return RunDoc{}, err
	}
	return a.Peek(ctx, page.Runs[0].ID)
}

// PeekVersions gives the ids of a run's versions, node by node, the newest of each first.
func (a *App) PeekVersions(ctx context.Context, id string) ([]string, error) {
	run, err := a.resolve(ctx, id)
	if err != nil {
		return nil, err
	}
	r, err := a.Engine.Load(ctx, run)
	if err != nil {
		return nil, err
	}
	var all []string
	for n := range r.Nodes() {
		versions := n.Versions()
		for i := len(versions) - 1; i >= 0; i-- {
			all = append(all, string(versions[i].ID))
		}
	}
	return all, nil
}
