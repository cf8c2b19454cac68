package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"sluice/internal/digest"
	"sluice/internal/engine"
	"sluice/internal/journal"
	"sluice/internal/kernel"
)

const runsPerRound = 200

// steps measures durable steps per second of the real engine beside the floor, in turns.
func steps(ctx context.Context, rounds int, name string, inFlight int, checkout bool) error {
	var rates, floors []float64
	for range rounds {
		f, err := floor(runsPerRound, inFlight)
		if err != nil {
			return err
		}
		r, _, err := stepRate(ctx, inFlight, checkout)
		if err != nil {
			return err
		}
		floors, rates = append(floors, f), append(rates, r)
	}
	reportAgainst(name, median(rates), "steps/s", median(floors))
	return nil
}

// stepRate drives 200 runs of seven steps in a new workspace and gives steps per second and commits per step.
func stepRate(ctx context.Context, inFlight int, checkout bool) (rate, commits float64, err error) {
	h, err := openHouse(ctx, checkout)
	if err != nil {
		return 0, 0, err
	}
	defer h.close()
	before := h.store.Commits()
	started := time.Now()
	if err := h.driveAll(ctx, "run", runsPerRound, inFlight, func(id string) kernel.Open { return chain(id, stepsPerRun) }); err != nil {
		return 0, 0, err
	}
	n := float64(runsPerRound * stepsPerRun)
	return n / time.Since(started).Seconds(), float64(h.store.Commits()-before) / n, nil
}

func commitsPerStep(ctx context.Context, rounds int) error {
	var all []float64
	for range rounds {
		_, c, err := stepRate(ctx, 1, false)
		if err != nil {
			return err
		}
		all = append(all, c)
	}
	report("commits_per_step", median(all), "commits")
	return nil
}

// parked measures what 10,000 runs that wait for people cost on disk and in the speed of those that do not.
func parked(ctx context.Context, rounds int) error {
	const many = 10000
	empty, err := openHouse(ctx, false)
	if err != nil {
		return err
	}
	defer empty.close()
	full, err := openHouse(ctx, false)
	if err != nil {
		return err
	}
	defer full.close()
	before := size(full.dir)
	if err := full.driveAll(ctx, "parked", many, 16, gated); err != nil {
		return err
	}
	if err := full.store.Flush(ctx); err != nil {
		return err
	}
	report("parked_bytes", float64(size(full.dir)-before)/many, "bytes")
	var effects []float64
	for i := range rounds {
		rates := [2]float64{}
		for j, h := range []*house{empty, full} {
			started := time.Now()
			if err := h.driveAll(ctx, fmt.Sprintf("live-%d", i), runsPerRound, 1, func(id string) kernel.Open { return chain(id, stepsPerRun) }); err != nil {
				return err
			}
			rates[j] = 1 / time.Since(started).Seconds()
		}
		effects = append(effects, rates[1]/rates[0])
	}
	report("parked_effect", median(effects), "ratio")
	return nil
}

func size(dir string) int64 {
	var total int64
	filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if info, err := d.Info(); err == nil {
			total += info.Size()
		}
		return nil
	})
	return total
}

// answer measures a person's answer to an ask, from the wish to the durable record.
func answer(ctx context.Context, rounds int) error {
	h, err := openHouse(ctx, false)
	if err != nil {
		return err
	}
	defer h.close()
	n := 20 * rounds
	if err := h.driveAll(ctx, "ask", n, 16, gated); err != nil {
		return err
	}
	var times []float64
	for i := range n {
		id := fmt.Sprintf("ask-%d", i)
		asks, err := h.store.Asks(ctx, id, false)
		if err != nil || len(asks) != 1 {
			return fmt.Errorf("run %s has %d asks: %w", id, len(asks), err)
		}
		started := time.Now()
		_, err = h.Do(ctx, kernel.RunID(id), engine.Act{Command: kernel.Answer{Stamp: stamp(), Ask: kernel.AskID(asks[0].ID), Choice: "approve"}})
		if err != nil {
			return err
		}
		times = append(times, float64(time.Since(started).Microseconds())/1000)
	}
	report("answer_ms", median(times), "ms")
	return nil
}

// listPage measures one page of a list of 100,000 runs, with a filter and without.
func listPage(ctx context.Context, rounds int) error {
	const many = 100000
	h, err := openHouse(ctx, false)
	if err != nil {
		return err
	}
	defer h.close()
	for i := 0; i < many; i += 500 {
		batches := make([]journal.Batch, 0, 500)
		for j := i; j < i+500; j++ {
			status := "done"
			if j%10 == 0 {
				status = "parked"
			}
			batches = append(batches, journal.Batch{Run: fmt.Sprintf("run-%06d", j), At: time.Now(), Count: 1, Events: []byte(`[{}]`),
				Head: journal.Head{Line: "bench", Title: fmt.Sprintf("run number %d", j), Status: status}})
		}
		if err := h.store.Append(ctx, batches...); err != nil {
			return err
		}
	}
	worst := 0.0
	for _, f := range []journal.Filter{{}, {Line: "bench", Status: []string{"parked"}}, {Status: []string{"parked"}}} {
		var times []float64
		for range 10 * rounds {
			started := time.Now()
			page, err := h.store.List(ctx, f)
			if err != nil || len(page.Runs) == 0 {
				return fmt.Errorf("page of %d runs: %w", len(page.Runs), err)
			}
			times = append(times, float64(time.Since(started).Microseconds())/1000)
			f.Cursor = page.Next
		}
		worst = max(worst, median(times))
	}
	report("list_page_ms", worst, "ms")
	return nil
}

// law measures Decide, Evolve and Pending per step in one run of 20,000 nodes against a hundred runs of 200, so that
// both have the same memory under them and only the size of a run differs.
func law(_ context.Context, rounds int) error {
	var ratios []float64
	for range rounds {
		small, err := lawCost(200, 100)
		if err != nil {
			return err
		}
		large, err := lawCost(20000, 1)
		if err != nil {
			return err
		}
		ratios = append(ratios, large/small)
	}
	report("law_20000_over_200", median(ratios), "ratio")
	return nil
}

// lawCost gives the time of one step, begun and delivered with its duties read, in runs of n nodes of which every tenth
// needs the one before and all belong to one group. The runs take turns. It is the best of several stretches: what else
// the machine does can only make a stretch longer.
func lawCost(n, runs int) (float64, error) {
	const stretches, stretch = 10, 1000
	some := digest.Of([]byte("content"))
	all := make([]*kernel.Run, runs)
	for i := range all {
		var err error
		if all[i], err = wideRun(n); err != nil {
			return 0, err
		}
	}
	runtime.GC()
	best, next := time.Duration(0), 0
	for range stretches {
		started := time.Now()
		for range stretch {
			if err := lawStep(all[next%runs], some); err != nil {
				return 0, err
			}
			next++
		}
		if spent := time.Since(started); best == 0 || spent < best {
			best = spent
		}
	}
	return float64(best) / stretch, nil
}

func wideRun(n int) (*kernel.Run, error) {
	open := kernel.Open{Stamp: stamp(), Run: "law", Line: "bench", Nodes: []kernel.Node{{ID: "all", Kind: kernel.Group}}}
	for i := range n {
		node := kernel.Node{ID: kernel.NodeID(fmt.Sprintf("n%05d", i)), Kind: kernel.Make, Parent: "all", Performer: kernel.Engine, Attempts: 1}
		if i%10 == 9 {
			node.Needs = []kernel.Need{{Node: open.Nodes[i].ID}}
		}
		open.Nodes = append(open.Nodes, node)
	}
	r := kernel.NewRun()
	_, err := kernel.Apply(r, open)
	return r, err
}

func lawStep(r *kernel.Run, some digest.Digest) error {
	var next kernel.NodeID
	read := 0
	for duty := range kernel.Pending(r) {
		if step, ok := duty.(kernel.PerformStep); ok && next == "" {
			next = step.Node
		}
		if read++; read == 16 {
			break
		}
	}
	if _, err := kernel.Apply(r, kernel.Begin{Stamp: stamp(), Node: next}); err != nil {
		return err
	}
	n, _ := r.Node(next)
	_, err := kernel.Apply(r, kernel.Deliver{Stamp: stamp(), Attempt: n.Open().ID, Content: kernel.Content{Digest: some, Size: 7}})
	return err
}

// load measures a run with 20,000 events, from the store to a folded state, with the cache of folds and without.
func load(ctx context.Context, rounds int) error {
	h, err := openHouse(ctx, false)
	if err != nil {
		return err
	}
	defer h.close()
	if _, err := h.OpenAndDrive(ctx, chain("long", 5000), engine.Plan{}); err != nil {
		return err
	}
	var cold, warm []float64
	for range rounds {
		started := time.Now()
		bare := engine.Engine{Journal: h.store, Folds: noFolds{}, Lines: h.Lines, Log: h.Log}
		r, err := bare.Load(ctx, "long")
		if err != nil {
			return err
		}
		if r.Seq() < 20000 {
			return fmt.Errorf("the run has %d events", r.Seq())
		}
		cold = append(cold, float64(time.Since(started).Microseconds())/1000)
		started = time.Now()
		if _, err := h.Load(ctx, "long"); err != nil {
			return err
		}
		warm = append(warm, float64(time.Since(started).Microseconds())/1000)
	}
	report("load_cold_ms", median(cold), "ms")
	report("load_ms", median(warm), "ms")
	return nil
}

// noFolds is a cache that never has anything.
type noFolds struct{}

func (noFolds) Fold(context.Context, string, string) (journal.Fold, bool, error) {
	return journal.Fold{}, false, nil
}
func (noFolds) SaveFold(context.Context, journal.Fold) error { return nil }
