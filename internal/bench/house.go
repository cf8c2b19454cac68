package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"sync"
	"time"

	"sluice/internal/engine"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/sqlitestore"
	"sluice/internal/workspace"
)

// house is a workspace with the real engine and lines made to be measured.
type house struct {
	*engine.Engine
	store *sqlitestore.Store
	tree  *workspace.Tree
	dir   string
}

func openHouse(ctx context.Context, checkout bool) (*house, error) {
	dir, err := os.MkdirTemp("", "sluice-bench")
	if err != nil {
		return nil, err
	}
	h := &house{dir: dir}
	if h.store, err = sqlitestore.Open(ctx, filepath.Join(dir, ".sluice"), sqlitestore.Options{}); err != nil {
		return nil, err
	}
	l := benchLine()
	h.Engine = &engine.Engine{Journal: h.store, Leaser: h.store, Folds: h.store, Now: time.Now,
		Lines: map[string]*line.Line{l.Name: l}, Log: slog.New(slog.DiscardHandler)}
	if !checkout {
		return h, nil
	}
	if h.tree, err = workspace.Open(dir); err != nil {
		return nil, err
	}
	h.Files = workspace.NewCheckouts(h.tree, h.store, h.store, nil)
	l.Files = func(r *kernel.Run, n kernel.View) []line.File {
		return []line.File{{Path: path.Join("bench", string(r.ID()), string(n.ID())+".txt"), Version: n.Newest(), Role: journal.Working}}
	}
	return h, nil
}

func (h *house) close() error {
	if h.tree != nil {
		h.tree.Close()
	}
	h.store.Close()
	return os.RemoveAll(h.dir)
}

// benchLine has one code step of 1 KB.
func benchLine() *line.Line {
	return &line.Line{Name: "bench", Steps: map[string]line.Step{
		"kilobyte": func(line.In) (line.Move, error) {
			return line.Move{Done: &line.Out{Body: payload(), Schema: "text/plain"}}, nil
		},
	}}
}

// chain is a run of n sequential code steps.
func chain(id string, n int) kernel.Open {
	open := kernel.Open{Run: kernel.RunID(id), Line: "bench", Title: "bench", Stamp: stamp()}
	for i := range n {
		node := kernel.Node{ID: kernel.NodeID(fmt.Sprintf("step-%d", i+1)), Kind: kernel.Make, Step: "kilobyte",
			Performer: kernel.Engine, Attempts: 1}
		if i > 0 {
			node.Needs = []kernel.Need{{Node: open.Nodes[i-1].ID}}
		}
		open.Nodes = append(open.Nodes, node)
	}
	return open
}

// gated is a run whose one step waits for a person at once.
func gated(id string) kernel.Open {
	open := chain(id, 1)
	open.Nodes[0].Gate.Person = true
	return open
}

func stamp() kernel.Stamp {
	return kernel.Stamp{By: kernel.Actor{Kind: kernel.Person, Name: "bench"}, At: time.Now().UTC()}
}

// driveAll makes and drives runs, so many in flight.
func (h *house) driveAll(ctx context.Context, prefix string, runs, inFlight int, open func(id string) kernel.Open) error {
	ids := make(chan string)
	errs := make(chan error, inFlight)
	var wg sync.WaitGroup
	for range inFlight {
		wg.Go(func() {
			for id := range ids {
				if _, err := h.OpenAndDrive(ctx, open(id), engine.Plan{}); err != nil {
					select {
					case errs <- err:
					default:
					}
				}
			}
		})
	}
	for i := range runs {
		ids <- fmt.Sprintf("%s-%d", prefix, i)
	}
	close(ids)
	wg.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}
