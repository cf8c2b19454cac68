package kernel

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var record = flag.Bool("record", false, "record journals of histories that have none yet; those that exist are never changed")

// TestHistories plays testdata/histories and checks the law after every line.
func TestHistories(t *testing.T) {
	for _, path := range mustGlob(t, "testdata/histories/*.txt") {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		t.Run(name, func(t *testing.T) {
			h := tell(t, string(mustRead(t, path)))
			if *record {
				recordJournal(t, name, h)
			}
		})
	}
}

func recordJournal(t *testing.T, name string, h *history) {
	t.Helper()
	path := filepath.Join("testdata", "journals", name+".jsonl")
	if _, err := os.Stat(path); err == nil {
		return
	}
	var out bytes.Buffer
	for _, b := range h.batches {
		raw, err := Encode(b)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(raw, '\n'))
	}
	mustWrite(t, path, out.Bytes())
	mustWrite(t, strings.TrimSuffix(path, ".jsonl")+".summary", []byte(summary(h.run)))
}

// TestJournalsLoadForEver folds every journal ever recorded to the summary that was recorded with it.
func TestJournalsLoadForEver(t *testing.T) {
	seen := map[string]bool{}
	for _, path := range mustGlob(t, "testdata/journals/*.jsonl") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			r := NewRun()
			var all []Event
			for line := range bytes.Lines(mustRead(t, path)) {
				events, err := Decode(line)
				if err != nil {
					t.Fatal(err)
				}
				Fold(r, events)
				all = append(all, events...)
				raw, err := Encode(events)
				if err != nil {
					t.Fatal(err)
				}
				if got, want := string(raw), strings.TrimSpace(string(line)); got != want {
					t.Errorf("a batch is written otherwise than it was read (-want +got):\n%s", cmp.Diff(want, got))
				}
			}
			want := string(mustRead(t, strings.TrimSuffix(path, ".jsonl")+".summary"))
			if diff := cmp.Diff(want, summary(r)); diff != "" {
				t.Errorf("the journal folds to another run (-recorded +now):\n%s", diff)
			}
			for _, v := range VerifyJournal(all) {
				t.Errorf("verify: %v", v)
			}
			for _, e := range all {
				seen[e.Fact.word()] = true
			}
		})
	}
	for _, word := range everyWord() {
		if !seen[word] {
			t.Errorf("no journal holds %s", word)
		}
	}
}

// summary is a folded run in a form that a person can compare.
func summary(r *Run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "run %s line=%s seq=%d status=%s provider=%s evidence=%d calls=%d\n",
		r.ID(), r.Line(), r.Seq(), r.Status(), r.Provider(), len(r.Evidence()), r.Usage().Calls)
	for v := range r.Nodes() {
		fmt.Fprintf(&b, "%s %s status=%s newest=%s approved=%s attempts=%d used=%d take=%d stale=%t asks=%d\n", v.Node().Kind, v.ID(),
			v.Status(), nameOf(v.Newest()), nameOf(v.Approved()), v.Attempts(), v.Used(), v.Take(), v.IsStale(), len(v.Asks()))
	}
	for d := range Pending(r) {
		fmt.Fprintf(&b, "duty %T%v\n", d, d)
	}
	for a := range r.OpenAsks() {
		fmt.Fprintf(&b, "ask %s %s of %s about %s\n", a.ID, a.Reason, a.Node, a.Version)
	}
	return b.String()
}

func mustGlob(t testing.TB, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no file matches %s: %v", pattern, err)
	}
	return paths
}

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n"))
}

func mustWrite(t testing.TB, path string, raw []byte) {
	t.Helper()
	if err := os.WriteFile(path, raw, 0o644); err != nil {
		t.Fatal(err)
	}
}
