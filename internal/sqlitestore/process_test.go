package sqlitestore

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"sluice/internal/fault"
	"sluice/internal/journal"
)

// A worker is this test binary started again with these variables.
const (
	workerDir  = "SQLITESTORE_WORKER_DIR"
	workerName = "SQLITESTORE_WORKER_NAME"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(workerDir); dir != "" && os.Getenv(workerName) == readOnly {
		fmt.Print(fault.CodeOf(tryToWrite(context.Background(), dir)))
		os.Exit(0)
	}
	if dir := os.Getenv(workerDir); dir != "" {
		if err := work(context.Background(), dir, os.Getenv(workerName)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// readOnly is the worker that tries to write where it may not, and says what it is told.
const readOnly = "readonly"

func tryToWrite(ctx context.Context, dir string) error {
	s, err := Open(ctx, dir, Options{Busy: shortBusy})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Append(ctx, batch("r1", 0))
}

// workSteps is how often a worker appends to its own run and to the shared one. The doomed worker never stops.
const workSteps = 60

// work hammers a store: it leases its own run, and says on its output each number it has stored in the shared one.
func work(ctx context.Context, dir, name string) error {
	s, err := Open(ctx, dir, Options{Busy: 20 * time.Second})
	if err != nil {
		return err
	}
	made := event("own-"+name, 0, name, 0)
	made.Driver = s.Driver()
	if err := s.Append(ctx, made); err != nil {
		return err
	}
	if err := s.Append(ctx, event("shared", 0, "nobody", 0)); err != nil && !errors.Is(err, fault.RunExists) {
		return err
	}
	for i := 1; name == "doomed" || i <= workSteps; i++ {
		own := event("own-"+name, int64(i), name, i)
		own.Epoch = 1
		if err := s.Append(ctx, own); err != nil {
			return err
		}
		if err := appendShared(ctx, s, name, i); err != nil {
			return err
		}
		fmt.Println(i)
	}
	return s.Close()
}

func event(run string, after int64, by string, n int) journal.Batch {
	b := batch(run, after)
	b.Events = fmt.Appendf(nil, `[{"by":%q,"n":%d}]`, by, n)
	return b
}

// appendShared appends to a run that everybody appends to: load, try, and again if another was faster.
func appendShared(ctx context.Context, s *Store, name string, n int) error {
	for {
		info, err := s.Run(ctx, "shared")
		if err != nil {
			return err
		}
		err = s.Append(ctx, event("shared", info.Seq, name, n))
		if err == nil || !errors.Is(err, fault.Conflict) {
			return err
		}
	}
}

func TestFourProcessesShareAStore(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	dir := t.TempDir() // empty: they also race to make the schema
	names := []string{"a", "b", "c"}
	var workers []*exec.Cmd
	for _, name := range names {
		c := worker(t, dir, name)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		workers = append(workers, c)
	}
	doomed := worker(t, dir, "doomed")
	acknowledged := killMidway(t, doomed)

	s := mustOpen(t, dir)
	lease, err := s.Acquire(t.Context(), "own-doomed")
	if err != nil || lease.Epoch != 2 {
		t.Errorf("take-over gave %v, %v; want epoch 2 at once", lease, err)
	}
	for i, c := range workers {
		if err := c.Wait(); err != nil {
			t.Errorf("worker %s: %v", names[i], err)
		}
	}
	seen := map[string]int{}
	for _, b := range mustChain(t, s, "shared")[1:] {
		var events []struct {
			By string
			N  int
		}
		if err := json.Unmarshal(b.Events, &events); err != nil {
			t.Fatal(err)
		}
		e := events[0]
		if e.N != seen[e.By]+1 {
			t.Fatalf("worker %s stored %d after %d: lost or doubled", e.By, e.N, seen[e.By])
		}
		seen[e.By] = e.N
	}
	for _, name := range names {
		if got := len(mustChain(t, s, "own-"+name)); got != workSteps+1 || seen[name] != workSteps {
			t.Errorf("worker %s: %d batches of its own and %d shared, want %d and %d",
				name, got, seen[name], workSteps+1, workSteps)
		}
	}
	if got := seen["doomed"]; got < acknowledged {
		t.Errorf("the killed worker had %d steps acknowledged and %d are stored", acknowledged, got)
	}
	mustChain(t, s, "own-doomed")
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func worker(t *testing.T, dir, name string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), workerDir+"="+dir, workerName+"="+name)
	c.Stderr = t.Output()
	return c
}

// killMidway starts a worker, kills it once it has made some progress, and gives the last step it acknowledged.
func killMidway(t *testing.T, c *exec.Cmd) int {
	t.Helper()
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	last := 0
	for last < 20 && lines.Scan() {
		if _, err := fmt.Sscan(lines.Text(), &last); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() { // what it said before it died
		if _, err := fmt.Sscan(lines.Text(), &last); err != nil {
			break // a line cut off
		}
	}
	if err := c.Wait(); err == nil || last < 20 {
		t.Fatalf("the doomed worker ended by itself after %d steps: %v", last, err)
	}
	return last
}
