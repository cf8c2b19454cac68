package sqlitestore

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"sluice/internal/digest"
	"sluice/internal/journal"
)

const stepsPerRun = 7

// BenchmarkAppend measures durable steps: each appends about 700 bytes of events and a blob of 1 KB. The first step of
// a run makes it, the last one changes its status. With files, each step also has a checkout row, marked as written
// before the next.
func BenchmarkAppend(b *testing.B) {
	for _, c := range []struct {
		name     string
		inFlight int
		files    bool
	}{{"1", 1, false}, {"16", 16, false}, {"1-files", 1, true}, {"16-files", 16, true}} {
		b.Run(c.name, func(b *testing.B) {
			s := mustOpen(b, b.TempDir())
			events := append(append([]byte(`[{"text":"`), bytes.Repeat([]byte("event "), 113)...), `"}]`...)
			b.ResetTimer()
			steps := make(chan int)
			var group sync.WaitGroup
			for range c.inFlight {
				group.Go(func() {
					for run := range steps {
						benchRun(b, s, run, events, c.files)
					}
				})
			}
			for i := 0; i < b.N; i += stepsPerRun {
				steps <- i
			}
			close(steps)
			group.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
			b.ReportMetric(float64(b.N)/float64(s.Commits()), "steps/commit")
		})
	}
}

func benchRun(b *testing.B, s *Store, run int, events []byte, files bool) {
	id := fmt.Sprintf("run-%d", run)
	head := journal.Head{Line: "task", Title: "a run", Status: "running", Labels: map[string]string{"project": "p"}}
	for i := range int64(stepsPerRun) {
		if i == stepsPerRun-1 {
			head.Status = "done"
		}
		body := benchPayload()
		batch := journal.Batch{Run: id, After: i, At: time.Now(), Count: 1, Events: events, Head: head,
			Blobs: []journal.Blob{{Digest: digest.Of(body), Body: body}}}
		if files {
			batch.Checkouts = []journal.Checkout{{Path: fmt.Sprintf("%s/%d.md", id, i), Run: id, Seq: i + 1,
				Digest: batch.Blobs[0].Digest, Role: journal.Working}}
		}
		err := s.Append(b.Context(), batch)
		if err == nil {
			err = s.MarkWritten(b.Context(), batch.Checkouts...)
		}
		if err != nil {
			b.Error(err)
			return
		}
	}
}

func benchPayload() []byte {
	out := make([]byte, 0, 1000)
	for range 125 {
		out = fmt.Appendf(out, "%08x", rand.Uint32())
	}
	return out
}

// BenchmarkList measures a page among 100,000 runs for each kind of filter.
func BenchmarkList(b *testing.B) {
	s := mustOpen(b, b.TempDir())
	fillRuns(b, s, 100_000)
	for name, f := range listFilters() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.List(b.Context(), f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func listFilters() map[string]journal.Filter {
	return map[string]journal.Filter{
		"all":                  {},
		"middle":               {Cursor: strconv.FormatInt(50_000, 36)},
		"line":                 {Line: "novel"},
		"status":               {Status: []string{"done"}},
		"status-rare":          {Status: []string{"failed"}},
		"status-three":         {Status: []string{"done", "running", "failed"}},
		"line-status":          {Line: "task", Status: []string{"running"}},
		"label":                {Labels: map[string]string{"owner": "o7"}},
		"label-common":         {Labels: map[string]string{"team": "all"}},
		"label-two":            {Labels: map[string]string{"team": "all", "owner": "o7"}},
		"label-and-rare":       {Labels: map[string]string{"team": "all"}, Status: []string{"failed"}},
		"label-line-status":    {Labels: map[string]string{"owner": "o7"}, Line: "task", Status: []string{"done"}},
		"nothing-matches":      {Line: "scene", Labels: map[string]string{"owner": "o7"}},
		"label-common-line-st": {Labels: map[string]string{"team": "all"}, Line: "novel", Status: []string{"done"}},
	}
}

// fillRuns appends n runs of one batch, many at once so that they share commits.
func fillRuns(b *testing.B, s *Store, n int) {
	lines, statuses := []string{"novel", "spec", "task"}, []string{"running", "parked", "done", "done"}
	var group sync.WaitGroup
	const workers = 64
	for w := range workers {
		group.Go(func() {
			for i := w; i < n; i += workers {
				status := statuses[i%len(statuses)]
				if i%10_000 == 17 {
					status = "failed"
				}
				err := s.Append(b.Context(), journal.Batch{Run: fmt.Sprintf("run-%06d", i), At: time.Now(), Count: 1,
					Events: []byte(`[{}]`), Head: journal.Head{Line: lines[i%len(lines)], Title: "a run", Status: status,
						Summary: []byte(`{"done":3,"of":12}`),
						Labels:  map[string]string{"owner": fmt.Sprintf("o%d", i%1000), "team": "all"}}})
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
}

// BenchmarkRead measures the reads that a step makes.
func BenchmarkRead(b *testing.B) {
	s := mustOpen(b, b.TempDir())
	first := batch("r1", 0)
	first.Checkouts = []journal.Checkout{{Path: "a.md", Digest: digest.Of(nil), Role: journal.Working}}
	mustAppend(b, s, first)
	b.Run("checkout", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := s.Checkout(b.Context(), "a.md"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Load(b.Context(), "r1", 0); err != nil {
				b.Fatal(err)
			}
		}
	})
}
