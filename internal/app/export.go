package app

import (
	"context"
	"path"

	"sluice/internal/export"
)

// ExportDoc says what an export wrote.
type ExportDoc struct {
	Run      string          `json:"run"`
	Dir      string          `json:"dir"` // relative to the workspace
	Files    []string        `json:"files"`
	Manifest export.Manifest `json:"manifest"`
}

// Export writes the approved versions of a run with a manifest. Without a directory they go to exports/RUN.
func (a *App) Export(ctx context.Context, id, dir string, candidates bool) (ExportDoc, error) {
	run, err := a.load(ctx, id)
	if err != nil {
		return ExportDoc{}, err
	}
	if dir == "" {
		dir = path.Join("exports", string(run.ID()))
	}
	sel := export.Selection{At: a.Now(), IncludeCandidates: candidates}
	if l := a.lineOf(run); l != nil && l.Export != nil {
		for _, w := range l.Export(run) {
			sel.Wanted = append(sel.Wanted, export.Wanted{Node: w.Node, Path: w.Path})
		}
	}
	manifest, items, err := export.Plan(run, sel)
	if err != nil {
		return ExportDoc{}, err
	}
	if err := export.Write(ctx, a.Tree, dir, manifest, items, a.Engine.Journal); err != nil {
		return ExportDoc{}, err
	}
	d := ExportDoc{Run: string(run.ID()), Dir: dir, Files: []string{}, Manifest: manifest}
	for _, item := range items {
		d.Files = append(d.Files, path.Join(dir, item.Path))
	}
	return d, nil
}
