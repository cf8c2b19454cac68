package app

import (
	"context"
	"strconv"

	"sluice/internal/kernel"
	"sluice/internal/line/sample"
)

// Counter reserves numbers that are unique in the workspace and only grow.
type Counter interface {
	Reserve(ctx context.Context, name string, n int64) (first int64, err error)
}

// StartSample starts a run of the sample line from a definition. Without an id it gets the next number.
func (a *App) StartSample(ctx context.Context, definition []byte, id string, drive bool) (RunDoc, error) {
	d, err := sample.ParseDefinition(definition)
	if err != nil {
		return RunDoc{}, err
	}
	if id == "" {
		n, err := a.Counter.Reserve(ctx, "run/"+sample.Name, 1)
		if err != nil {
			return RunDoc{}, err
		}
		id = sample.Name + "-" + strconv.FormatInt(n, 10)
	}
	run, err := kernel.ParseRunID(id)
	if err != nil {
		return RunDoc{}, err
	}
	open, err := sample.Open(run, d)
	if err != nil {
		return RunDoc{}, err
	}
	return a.StartRun(ctx, Start{Open: open, Drive: drive})
}

// StartDemo starts the run that `sluice demo` shows.
func (a *App) StartDemo(ctx context.Context) (RunDoc, error) {
	return a.StartSample(ctx, sample.Demo(), "", true)
}
