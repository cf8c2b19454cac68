package app

import "context"

// WasteQuery says how far making room goes.
type WasteQuery struct {
	Remove    bool // do it; otherwise it is only shown
	Folds     bool // folded states of every run, which are made anew when they are needed
	Cancelled bool // replies that only runs use that were cancelled or dropped: resuming them pays again
}

// WasteDoc lists what nothing needs. No version, event, review or file of a person is ever among it.
type WasteDoc struct {
	Items   []WasteItem `json:"items"`
	Bytes   int64       `json:"bytes"`
	Removed bool        `json:"removed"`
}

// WasteItem is one thing, or many small ones of a kind.
type WasteItem struct {
	Kind  string `json:"kind"`           // orphaned_content, unfinished_file, stale_lock, old_fold, fold or cancelled_reply
	Name  string `json:"name,omitempty"` // of a file below .sluice, or of the run
	Count int    `json:"count"`
	Bytes int64  `json:"bytes"`
	Why   string `json:"why"`
}

// Waste shows what can be removed without losing anything, and removes it if that is wanted.
func (a *App) Waste(ctx context.Context, q WasteQuery) (WasteDoc, error) {
	d, err := a.Keeper.Waste(ctx, q)
	d.Items, d.Removed = orEmpty(d.Items), q.Remove && err == nil
	for _, i := range d.Items {
		d.Bytes += i.Bytes
	}
	return d, err
}
