package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"sluice/internal/digest"
	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// draft is one text by a model, checked out, with a gate of its own.
func draft(gate string) string {
	return `{"title":"draft","nodes":[
	{"id":"text","kind":"make","step":"write","performer":"engine","attempts":2,"gate":` + gate + `,"params":{"path":"text.md","words":3}},
	{"id":"after","kind":"make","step":"assemble","performer":"engine","attempts":1,"needs":[{"node":"text"}],"params":{"path":"after.md"}}]}`
}

func outage(line.Call) (string, error) {
	return "", &line.CallError{StepError: kernel.StepError{Code: "model_unavailable", Message: "server is down", Class: kernel.Retryable, Final: true}}
}

func TestOutageFailsTheNodeAndRunAgainTriesIt(t *testing.T) {
	h := newHouse(t, outage)
	r, err := h.OpenAndDrive(t.Context(), h.open(t, "r1", draft("{}")), engine.Plan{})
	if err != nil {
		t.Fatal(err)
	}
	mustStatus(t, r, kernel.RunFailed)
	h.model.answer = polite
	if _, err := h.Do(t.Context(), "r1", engine.Act{Command: kernel.Resume{Stamp: ann(h)}}); err != nil {
		t.Fatal(err)
	}
	if r, err = h.Drive(t.Context(), "r1", engine.Plan{}); err != nil {
		t.Fatal(err)
	}
	mustStatus(t, r, kernel.RunDone)
}

func TestUnusableRepliesUseUpAttemptsAndAsk(t *testing.T) {
	h := newHouse(t, func(line.Call) (string, error) { return "  ", nil })
	r, err := h.OpenAndDrive(t.Context(), h.open(t, "r1", draft("{}")), engine.Plan{})
	if err != nil {
		t.Fatal(err)
	}
	mustStatus(t, r, kernel.RunParked)
	if n, _ := r.Node("text"); n.Take() != 2 || n.Attempts() != 2 {
		t.Errorf("text has take %d after %d attempts, want 2 and 2", n.Take(), n.Attempts())
	}
	if a := firstAsk(t, r); a.Reason != kernel.UsedUp {
		t.Errorf("the ask is for %s, want %s", a.Reason, kernel.UsedUp)
	}
}

func TestInterruptionWithdrawsAndGoesOn(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	asked := make(chan struct{}, 1)
	h := newHouse(t, nil)
	h.model.answer = func(line.Call) (string, error) {
		asked <- struct{}{}
		<-ctx.Done()
		return "", ctx.Err()
	}
	go func() { <-asked; stop() }()
	_, err := h.OpenAndDrive(ctx, h.open(t, "r1", draft("{}")), engine.Plan{})
	if !errors.Is(err, fault.Interrupted) {
		t.Fatalf("got %v, want interrupted", err)
	}
	if f := fault.From(err); len(f.Next) == 0 || f.Next[0].Command != "sluice run r1" {
		t.Errorf("next actions %v do not say how to go on", f.Next)
	}
	h.model.answer = polite
	r, err := h.Drive(t.Context(), "r1", engine.Plan{})
	if err != nil {
		t.Fatal(err)
	}
	mustStatus(t, r, kernel.RunDone)
	if n, _ := r.Node("text"); n.Take() != 0 || n.Used() != 0 {
		t.Errorf("the interruption cost a take or an attempt: take %d used %d", n.Take(), n.Used())
	}
}

// TestRehearsalDoesNotTakeUpRealWork: what a process that is gone was asking a real model for is not finished by rehearsal, no
// more than it would be begun.
func TestRehearsalDoesNotTakeUpRealWork(t *testing.T) {
	h := newHouse(t, polite)
	h.model.isReal = true
	open := h.open(t, "r1", `{"title":"two","nodes":[
	{"id":"a","kind":"make","step":"write","performer":"engine","attempts":1,"params":{"path":"a.md","words":3}},
	{"id":"b","kind":"make","step":"write","performer":"engine","attempts":1,"needs":[{"node":"a"}],"params":{"path":"b.md","words":3}}]}`)
	onlyA := engine.Plan{Only: func(n kernel.Node) bool { return n.ID == "a" }}
	if _, err := h.OpenAndDrive(t.Context(), open, onlyA); err != nil {
		t.Fatal(err)
	}
	left := kernel.Begin{Stamp: kernel.Stamp{By: kernel.Actor{Kind: kernel.Engine}, At: h.Now()}, Node: "b", Provider: kernel.ProviderReal}
	if _, err := h.Do(t.Context(), "r1", engine.Act{Command: left}); err != nil {
		t.Fatal(err)
	}
	h.model.isReal = false
	_, err := h.Drive(t.Context(), "r1", engine.Plan{})
	if fault.CodeOf(err) != fault.ProviderChanged || !slices.ContainsFunc(fault.From(err).Next, func(a fault.Action) bool {
		return a.Command == "sluice run r1 --provider rehearsal"
	}) {
		t.Fatalf("got %v, next %v", err, fault.From(err).Next)
	}
	r, err := h.Drive(t.Context(), "r1", engine.Plan{Switch: true})
	if err != nil {
		t.Fatal(err)
	}
	mustStatus(t, r, kernel.RunDone)
}

func TestEditDuringWorkStaysAndAsks(t *testing.T) {
	h := newHouse(t, polite)
	path := filepath.Join(h.tree.Dir(), "sample/r1/text.md")
	if _, err := h.OpenAndDrive(t.Context(), h.open(t, "r1", draft("{}")), engine.Plan{}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Do(t.Context(), "r1", engine.Act{Command: kernel.Revise{Stamp: ann(h), Nodes: []kernel.NodeID{"text"}}}); err != nil {
		t.Fatal(err)
	}
	mine := "my own words stand here\n"
	h.model.answer = func(c line.Call) (string, error) {
		if err := os.WriteFile(path, []byte(mine), 0o644); err != nil {
			t.Error(err)
		}
		return "what the model wrote instead", nil
	}
	r, err := h.Drive(t.Context(), "r1", engine.Plan{})
	if err != nil {
		t.Fatal(err)
	}
	mustStatus(t, r, kernel.RunParked)
	a := firstAsk(t, r)
	if a.Reason != kernel.OfferAsks {
		t.Fatalf("the ask is for %s, want %s", a.Reason, kernel.OfferAsks)
	}
	if got, _ := os.ReadFile(path); string(got) != mine {
		t.Fatalf("the file shows %q, want what the person wrote", got)
	}
	if _, err := h.Do(t.Context(), "r1", engine.Act{Command: kernel.Answer{Stamp: ann(h), Ask: a.ID, Choice: "take"}}); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); !strings.Contains(string(got), "model wrote") {
		t.Errorf("the file shows %q, want the offer that was taken", got)
	}
}

func TestChangedFilesAreTakenOver(t *testing.T) {
	tests := map[string]struct {
		change     func(path string) error
		wantStatus kernel.Status
		wantFile   string // what the file must hold then
	}{
		"an edit is a human version": {
			change:     func(p string) error { return os.WriteFile(p, []byte("by hand\n"), 0o644) },
			wantStatus: kernel.StatusDone, wantFile: "by hand\n",
		},
		"a removed file is to be made again": {
			change: os.Remove, wantStatus: kernel.StatusRework,
		},
		"a broken file is put back": {
			change:     func(p string) error { return os.WriteFile(p, []byte(" \n"), 0o644) },
			wantStatus: kernel.StatusDone, wantFile: strings.TrimSpace(strings.Repeat("word ", 80)) + "\n",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, polite)
			if _, err := h.OpenAndDrive(t.Context(), h.open(t, "r1", draft("{}")), engine.Plan{}); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(h.tree.Dir(), "sample/r1/text.md")
			if err := tt.change(path); err != nil {
				t.Fatal(err)
			}
			if _, err := h.Adopt(t.Context(), "r1"); err != nil {
				t.Fatal(err)
			}
			r, err := h.Load(t.Context(), "r1")
			if err != nil {
				t.Fatal(err)
			}
			if n, _ := r.Node("text"); n.Status() != tt.wantStatus {
				t.Errorf("text is %s, want %s", n.Status(), tt.wantStatus)
			}
			got, err := os.ReadFile(path)
			if tt.wantFile != "" && string(got) != tt.wantFile {
				t.Errorf("the file shows %q (%v), want %q", got, err, tt.wantFile)
			}
			again, err := h.Adopt(t.Context(), "r1")
			if err != nil || len(again) > 1 || len(again) == 1 && tt.wantStatus != kernel.StatusRework {
				t.Errorf("looking again finds %v %v", again, err)
			}
		})
	}
}

func TestWorkersBoundWhatRunsSideBySide(t *testing.T) {
	nodes := make([]string, 12)
	for i := range nodes {
		nodes[i] = fmt.Sprintf(`{"id":"t%d","kind":"make","step":"write","performer":"engine","attempts":1}`, i)
	}
	var calls, now, most atomic.Int64
	three := make(chan struct{})
	h := newHouse(t, func(line.Call) (string, error) {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		if calls.Add(1) == 3 {
			close(three)
		}
		<-three // the first three wait for each other
		now.Add(-1)
		return "text", nil
	})
	r, err := h.OpenAndDrive(t.Context(), h.open(t, "r1", `{"title":"wide","nodes":[`+strings.Join(nodes, ",")+`]}`), engine.Plan{Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	mustStatus(t, r, kernel.RunDone)
	if most.Load() != 3 {
		t.Errorf("at most %d calls ran side by side, want 3", most.Load())
	}
}

func TestPeopleOfOtherProcessesAreHeard(t *testing.T) {
	dir := t.TempDir()
	asked := make(chan struct{})
	h := openHouse(t, dir, nil)
	h.model.answer = func(line.Call) (string, error) {
		close(asked)
		<-t.Context().Done() // until the driver gives the call up
		return "", context.Canceled
	}
	h.Model = hangingModel{h.model, asked}
	other := openHouse(t, dir, polite)
	done := make(chan error, 1)
	go func() {
		_, err := h.OpenAndDrive(t.Context(), h.open(t, "r1", draft("{}")), engine.Plan{})
		done <- err
	}()
	<-asked
	if _, err := other.Drive(t.Context(), "r1", engine.Plan{}); !errors.Is(err, fault.LeaseHeld) {
		t.Errorf("a second driver got %v, want lease_held", err)
	}
	if _, err := other.Do(t.Context(), "r1", engine.Act{Command: kernel.Cancel{Stamp: ann(other), Reason: "enough"}}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	r, err := other.Load(t.Context(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	mustStatus(t, r, kernel.RunCancelled)
}

// hangingModel answers nothing until its context ends.
type hangingModel struct {
	*scriptModel
	asked chan struct{}
}

func (m hangingModel) Ask(ctx context.Context, _ engine.Place, _ line.Call) (line.Reply, error) {
	close(m.asked)
	<-ctx.Done()
	return line.Reply{}, ctx.Err()
}

// fuseJournal refuses appends with a conflict so often, as if others had been faster.
type fuseJournal struct {
	engine.Journal
	conflicts atomic.Int64
	meanwhile func()
}

func (j *fuseJournal) Append(ctx context.Context, b ...journal.Batch) error {
	if j.conflicts.Add(-1) == 0 {
		j.meanwhile()
	}
	return j.Journal.Append(ctx, b...)
}

// TestWhatWasReplacedMeanwhileIsNotBuiltOn: content that was made from a version which a person replaced before it could be
// committed is made again from the one that stands.
func TestWhatWasReplacedMeanwhileIsNotBuiltOn(t *testing.T) {
	for name, second := range map[string]string{
		"without a model": `"step":"assemble","performer":"engine","attempts":1,"needs":[{"node":"a"}],"params":{"path":"b.md"}`,
		"with a model":    `"step":"write","performer":"engine","attempts":1,"needs":[{"node":"a"}],"params":{"path":"b.md","words":3}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			h, other := openHouse(t, dir, polite), openHouse(t, dir, polite)
			open := h.open(t, "r1", `{"title":"two","nodes":[
			{"id":"a","kind":"make","step":"write","performer":"engine","attempts":1,"params":{"path":"a.md","words":3}},
			{"id":"b","kind":"make",`+second+`}]}`)
			if _, err := h.OpenAndDrive(t.Context(), open, engine.Plan{Only: func(n kernel.Node) bool { return n.ID == "a" }}); err != nil {
				t.Fatal(err)
			}
			fuse := &fuseJournal{Journal: h.Journal}
			fuse.conflicts.Store(1)
			fuse.meanwhile = func() {
				mine := []byte("what a person wrote instead of it\n")
				c := kernel.Content{Digest: digest.Of(mine), Size: int64(len(mine)), Schema: "text"}
				_, err := other.Do(t.Context(), "r1", engine.Act{Command: kernel.Submit{Stamp: ann(other), Node: "a", Content: c}, Blobs: []journal.Blob{{Digest: c.Digest, Body: mine}}})
				if err != nil {
					t.Error(err)
				}
			}
			h.Journal = fuse
			var told []string
			h.model.answer = func(c line.Call) (string, error) {
				told = append(told, c.Prompt)
				return polite(c)
			}
			r, err := h.Drive(t.Context(), "r1", engine.Plan{})
			if err != nil {
				t.Fatal(err)
			}
			mustStatus(t, r, kernel.RunDone)
			v := r.Approved("b")
			if a := r.Approved("a"); !slices.Contains(v.Parents, a.ID) {
				t.Errorf("b was made from %v, and %s stands", v.Parents, a.ID)
			}
			body, err := h.store.Blob(t.Context(), "r1", v.Seq, v.Digest)
			if err != nil {
				t.Fatal(err)
			}
			if all := string(body) + strings.Join(told, "\n"); !strings.Contains(all, "what a person wrote") || len(told) > 1 {
				t.Errorf("b does not follow what a person wrote: %q", all)
			}
		})
	}
}

// TestWhatComesNextIsAskedAgainWhenOthersAppended: a plan that found nothing more to do is asked once more where a person's
// command was committed before what it had looked at.
func TestWhatComesNextIsAskedAgainWhenOthersAppended(t *testing.T) {
	h := newHouse(t, polite)
	other := openHouse(t, h.tree.Dir(), polite)
	scope := map[kernel.NodeID]bool{"a": true}
	isToldOnce := false
	plan := engine.Plan{Only: func(n kernel.Node) bool { return scope[n.ID] }, Next: func(l engine.Look) ([]engine.Act, error) {
		if a, _ := l.Run().Node("a"); a.Status() == kernel.StatusDone && !isToldOnce {
			isToldOnce = true
			relabel := kernel.Relabel{Stamp: ann(other), Set: map[string]string{"wanted": "b"}}
			if _, err := other.Do(t.Context(), "r1", engine.Act{Command: relabel}); err != nil {
				t.Error(err)
			}
		}
		if id := kernel.NodeID(l.Run().Labels()["wanted"]); id != "" {
			scope[id] = true
		}
		return nil, nil
	}}
	r, err := h.OpenAndDrive(t.Context(), h.open(t, "r1", `{"title":"two","nodes":[
	{"id":"a","kind":"make","step":"write","performer":"engine","attempts":1,"params":{"path":"a.md","words":3}},
	{"id":"b","kind":"make","step":"write","performer":"engine","attempts":1,"params":{"path":"b.md","words":3}}]}`), plan)
	if err != nil {
		t.Fatal(err)
	}
	mustStatus(t, r, kernel.RunDone)
}

func TestConflictIsDecidedAgain(t *testing.T) {
	dir := t.TempDir()
	h, other := openHouse(t, dir, polite), openHouse(t, dir, polite)
	fuse := &fuseJournal{Journal: h.Journal}
	fuse.conflicts.Store(2)
	fuse.meanwhile = func() {
		_, err := other.Do(t.Context(), "r1", engine.Act{Command: kernel.Record{Stamp: ann(other),
			Evidence: []kernel.Evidence{{ID: "E-1", Type: "log", Ref: "between", Hash: digest.Of(nil)}}}})
		if err != nil {
			t.Error(err)
		}
	}
	h.Journal = fuse
	r, err := h.OpenAndDrive(t.Context(), h.open(t, "r1", draft("{}")), engine.Plan{})
	if err != nil {
		t.Fatal(err)
	}
	mustStatus(t, r, kernel.RunDone)
	if len(r.Evidence()) != 1 || len(h.model.asked) != 1 {
		t.Errorf("%d pieces of evidence and %d calls, want one each", len(r.Evidence()), len(h.model.asked))
	}
}
