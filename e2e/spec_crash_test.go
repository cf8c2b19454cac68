package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/app"
	"sluice/internal/line/spec"
	"sluice/internal/line/spec/ledger"
)

// feature is a spec on its way from a brief that says too little, over answers, a review and a publication, to an amendment
// that is published too. One of its processes is killed.
type feature struct {
	*shell
	killed bool
}

const crashBrief = "# Book search\n\n## Background\nThe shop has ten thousand books.\n\n## Acceptance criteria\n- a word finds it\n"

func newFeature(t *testing.T, at int) (*feature, string) {
	t.Helper()
	f := &feature{shell: newShell(t)}
	f.write("brief.md", crashBrief)
	f.write("rules.yaml", "- agent: compile\n  when: {round: 1}\n  reply: {goal: null}\n")
	f.write("sluice.yaml", "engine:\n  workers: 1\n") // so that every play has the same points in the same order
	fuse := filepath.Join(t.TempDir(), "fuse")
	f.env = []string{"SLUICE_E2E_FUSE=" + fuse, "SLUICE_E2E_AT=" + strconv.Itoa(at)}
	return f, fuse
}

// do runs a command that may be killed.
func (f *feature) do(args ...string) {
	f.t.Helper()
	cmd := f.command(f.t.Context(), "", append([]string{"--json", "--rehearsal", "rules.yaml", "spec"}, args...)...)
	out, err := cmd.Output()
	switch code := cmd.ProcessState.ExitCode(); {
	case code == -1 && !f.killed:
		f.killed, f.env = true, nil
	case code != 0 && code != 4:
		f.t.Fatalf("sluice spec %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// play goes on from wherever it is until the amendment is published.
func (f *feature) play() string {
	f.t.Helper()
	for range 40 {
		env := f.env
		f.env = nil // looking is no part of the story
		listed, _ := f.mustRun(0, "--json", "spec", "list")
		var all app.SpecListDoc
		if err := json.Unmarshal([]byte(listed), &all); err != nil || len(all.Features) > 1 {
			f.t.Fatalf("%v in %s", err, listed)
		}
		if len(all.Features) == 0 {
			f.env = env
			f.do("new", "-f", "brief.md")
			continue
		}
		at := all.Features[0]
		id := at.FeatureID
		passes := f.passes(id)
		f.env = env
		switch {
		case at.Status == spec.Published && passes == 2:
			return id
		case at.Status == spec.Published:
			f.do("amend", id, "AC-2: what was found can be saved")
		case at.WaitingFor == "answers":
			f.do("answer", id, "-a", "spec.goal=Find a book by any word of its title")
		case at.WaitingFor == "review":
			f.do("review", id, "go", "--reason", "as agreed")
		case at.Status == spec.ExecutableReady:
			f.do("publish", id, "--target", "file")
		default:
			f.do("run", id)
		}
	}
	f.t.Fatal("the feature is never published")
	return ""
}

// passes counts the runs of a feature.
func (f *feature) passes(id string) int {
	f.t.Helper()
	out, _ := f.mustRun(0, "--json", "spec", "snapshots", id)
	var doc app.SpecSnapshotsDoc
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		f.t.Fatal(err)
	}
	runs := map[string]bool{}
	for _, s := range doc.Snapshots {
		runs[s.Snapshot.RunID] = true
	}
	return len(runs)
}

var (
	idForm   = regexp.MustCompile(`\b[FRSEL]-[0-9]{4,8}(-[0-9]{3,})?\b`)
	timeForm = regexp.MustCompile(`\b[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z`)
	hashForm = regexp.MustCompile(`\b(sha256: [0-9a-f]{64}|origin: [0-9a-f]+)`)
)

// told is what a feature came to, without what differs from one play to the next: ids are reserved before they are used,
// so that a kill leaves gaps.
func (f *feature) told(id string) map[string]string {
	f.t.Helper()
	f.env = nil
	plain := func(s string) string {
		return hashForm.ReplaceAllString(timeForm.ReplaceAllString(idForm.ReplaceAllString(s, "ID"), "TIME"), "HASH")
	}
	all := map[string]string{"published": plain(f.files("published")[id+".md"])}
	names := []string{}
	for name := range f.files("specs") {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		all[fmt.Sprintf("version %d", i+1)] = plain(string(mustRead(filepath.Join(f.dir, "specs", name))))
	}
	var evidence []string
	for _, body := range f.files("evidence") {
		evidence = append(evidence, plain(body))
	}
	slices.Sort(evidence)
	all["evidence"] = strings.Join(slices.Compact(evidence), "\n")
	out, _ := f.mustRun(0, "--json", "spec", "snapshots", id)
	var doc app.SpecSnapshotsDoc
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		f.t.Fatal(err)
	}
	for _, s := range doc.Snapshots { // those of attempts that a kill ended tell of that, and nothing else does
		if s.Snapshot.SpecVersionOut == nil && s.Snapshot.Step.Name != spec.StepIngest {
			continue
		}
		if s.Snapshot.Step.Name == spec.StepPublish {
			continue // which may have been found done
		}
		gate, err := json.Marshal(s.Snapshot.Outputs.GateResult)
		if err != nil {
			f.t.Fatal(err)
		}
		all["steps"] += fmt.Sprintf("%s %v %s\n", s.Snapshot.Step.Name, s.Snapshot.Decisions, gate)
	}
	return all
}

// TestSpecKilled kills a process just before and after everything that becomes durable, from the first word to the second
// publication: what follows goes on from there, makes every version once, pays for no answer twice and publishes once.
func TestSpecKilled(t *testing.T) {
	whole, fuse := newFeature(t, -1)
	undisturbed := whole.play()
	points := len(mustRead(fuse))
	want, paid := whole.told(undisturbed), len(whole.paid(undisturbed))
	t.Logf("%d points, %d versions, %d calls", points, len(want)-3, paid)
	if points < 100 || paid < 7 || len(want) < 10 {
		t.Fatalf("%d points, %d calls and %d documents are too few to crash", points, paid, len(want))
	}
	for _, at := range sample(t, points, 6) {
		t.Run(fmt.Sprintf("point %d of %d", at, points), func(t *testing.T) {
			t.Parallel()
			f, _ := newFeature(t, at)
			id := f.play()
			if !f.killed {
				t.Fatal("the process was never killed")
			}
			// Killed before it was recorded, the feature is begun anew under the next id, and the model is told another one.
			if diff := cmp.Diff(want, f.told(id)); diff != "" && id == undisturbed {
				t.Errorf("it differs from an undisturbed play (-want +got):\n%s", diff)
			}
			calls := f.paid(id)
			for key, n := range calls {
				if n > 1 {
					t.Errorf("call %s was paid for %d times", key, n)
				}
			}
			if len(calls) != paid {
				t.Errorf("%d calls were answered, want %d", len(calls), paid)
			}
			_, done := ledgerOf(t, f.shell)
			if done[ledger.Created] != 1 || done[ledger.Updated] != 1 || done[ledger.Noop] > 1 {
				t.Errorf("the ledger says %v", done)
			}
			if left, err := os.ReadDir(filepath.Join(f.dir, "published")); err != nil || len(left) != 1 {
				t.Errorf("%v were published (%v)", left, err)
			}
			if _, err := newRecorded(f.dir, absolute(t, "..", "schemas")); err != nil {
				t.Error(err)
			}
			f.mustRun(0, "verify")
			f.mustRun(0, "doctor")
			if d := f.replayed(0, id); !d.Same {
				t.Errorf("replay: %+v", d)
			}
		})
	}
}
