package feishu_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/feishutest"
	"sluice/internal/line/spec/ledger"
	"sluice/internal/publish"
	"sluice/internal/publish/feishu"
	"sluice/internal/publishtest"
)

// What a process that publishes is told by the test that started it.
const (
	dirVariable = "PUBLISH_TEST_DIR"
	urlVariable = "PUBLISH_TEST_URL"
)

var published = publishtest.Request("F-2026-001", "S-20260113-0001", "export with one click")

// TestPublisherProcess is the whole of a process that publishes once; on its own it does nothing.
func TestPublisherProcess(t *testing.T) {
	dir := os.Getenv(dirVariable)
	if dir == "" {
		t.Skip("not started by another test")
	}
	d := publish.NewDesk(publishtest.Open(t, dir), publish.Options{}, feishu.New(options(t, os.Getenv(urlVariable))))
	if _, err := d.Publish(t.Context(), feishu.Name, published); err != nil {
		t.Fatal(err)
	}
}

func process(t *testing.T, dir, url string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPublisherProcess$")
	c.Env = append(os.Environ(), dirVariable+"="+dir, urlVariable+"="+url)
	return c
}

func recorded(t *testing.T, dir, url string) []ledger.Record {
	t.Helper()
	d := publish.NewDesk(publishtest.Open(t, dir), publish.Options{}, feishu.New(options(t, url)))
	all, err := d.Records(t.Context(), "F-2026-001")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func operations(all []ledger.Record) map[ledger.Operation]int {
	n := map[ledger.Operation]int{}
	for _, r := range all {
		n[r.Operation]++
	}
	return n
}

func TestTenProcessesAtOnce(t *testing.T) {
	s, dir := newServer(t), t.TempDir()
	s.Slow(100 * time.Millisecond)
	publishtest.Open(t, dir) // ten that also make the store would test the store
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			if out, err := process(t, dir, s.URL).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	group.Wait()
	if got := len(s.Records()); got != 1 {
		t.Errorf("%d records outside", got)
	}
	if diff := cmp.Diff(map[ledger.Operation]int{ledger.Created: 1, ledger.Noop: 9}, operations(recorded(t, dir, s.URL))); diff != "" {
		t.Error(diff)
	}
}

// TestKilledAfterTheCall kills a process when its record stands outside and before it has heard so, while others wait.
func TestKilledAfterTheCall(t *testing.T) {
	s, dir := newServer(t), t.TempDir()
	publishtest.Open(t, dir)
	created, killed := make(chan bool), make(chan bool)
	var once sync.Once
	s.Hold(func(op feishutest.Op) {
		if op == feishutest.Create {
			once.Do(func() {
				created <- true
				<-killed
			})
		}
	})
	first := process(t, dir, s.URL)
	var out bytes.Buffer
	first.Stdout = &out
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	<-created
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			if out, err := process(t, dir, s.URL).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := first.Wait(); err == nil || strings.Contains(out.String(), "PASS") {
		t.Errorf("the killed process ended well: %v", err)
	}
	close(killed)
	group.Wait()
	if got := len(s.Records()); got != 1 {
		t.Errorf("%d records outside", got)
	}
	if s.Calls(feishutest.Create) != 1 {
		t.Errorf("%d creations were asked for: the target was not looked at first", s.Calls(feishutest.Create))
	}
	if diff := cmp.Diff(map[ledger.Operation]int{ledger.Created: 1, ledger.Noop: 2}, operations(recorded(t, dir, s.URL))); diff != "" {
		t.Error(diff)
	}
}
