package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/internal/fault"
	"sluice/internal/line/spec"
)

const brief = `# Book search

## Goal
Find a book by any word of its title.

## Acceptance criteria
- a word finds it
- an unknown word finds none
`

// withFeature makes a workspace with a feature that waits for its review.
func withFeature(t *testing.T) *person {
	t.Helper()
	p := newPerson(t)
	p.must(0, "init")
	if err := os.WriteFile(filepath.Join(p.env.Dir, "brief.md"), []byte(brief), 0o600); err != nil {
		t.Fatal(err)
	}
	p.must(fault.ExitParked, "spec", "new", "-f", "brief.md")
	return p
}

const first = "F-2026-001"

func TestSpecIsTracedToItsWriter(t *testing.T) {
	p := withFeature(t)
	for path, says := range map[string][]string{
		"spec.goal":                         {"written by person ana via cli in the input", "doc://brief.md#L4-L4"},
		"spec.acceptance_criteria[AC-2]":    {"an unknown word finds none", "doc://brief.md#L8-L8"},
		"spec.acceptance_criteria[0]":       {"spec.acceptance_criteria[AC-1] of", "a word finds it"},
		"quality.completeness_score":        {"computed"},
		"planning.tasks[T-1].scope":         {"plan_tasks of R-20260102-0001"},
		"spec.acceptance_criteria[AC-1].id": {`"AC-1"`, "computed"},
	} {
		out := p.must(0, "spec", "trace", first, path)
		for _, s := range says {
			if !strings.Contains(out, s) {
				t.Errorf("%s: %q is not in\n%s", path, s, out)
			}
		}
	}
	p.must(3, "spec", "trace", first, "spec.nothing")
	p.must(3, "spec", "trace", first, "planning.tasks[T-99]")
	p.must(2, "spec", "trace", first, "../../etc/passwd")
}

func TestSpecSaysThatItIsRehearsed(t *testing.T) {
	p := withFeature(t)
	for _, args := range [][]string{{"run", first}, {"questions", first}, {"list"}, {"review", first, "go", "--reason", "agreed"}} {
		code := 0
		if args[0] == "run" {
			code = fault.ExitParked
		}
		if out := p.must(code, append([]string{"spec"}, args...)...); !strings.Contains(out, "rehearsal") {
			t.Errorf("%v says nothing of rehearsal:\n%s", args, out)
		}
	}
	if out := p.must(0, "spec", "list", "--json"); !strings.Contains(out, `"rehearsal": true`) {
		t.Errorf("got %s", out)
	}
}

// A step that is made anew behind a decision would let go stand for a version that nobody saw.
func TestSpecIsChangedByItsOwnCommandsAlone(t *testing.T) {
	p := withFeature(t)
	before := p.must(0, "log", first, "--json")
	for _, args := range [][]string{{"revise", first, "p1/r1/vv"}, {"revise", first, "p1/r1/review"}, {"rollback", first, "p1/r1/vv", "--reason", "x"}, {"rollback", first, "--undo"}} {
		code, _, stderr := p.types(args...)
		if code != fault.ExitConflict || !strings.Contains(stderr, "next: sluice spec review") {
			t.Errorf("%v: exit %d: %s", args, code, stderr)
		}
	}
	if after := p.must(0, "log", first, "--json"); after != before {
		t.Error("a refusal left a trace")
	}
	p.must(0, "spec", "review", first, "go", "--reason", "agreed")
	code, _, stderr := p.types("spec", "review", first, "go", "--reason", "agreed")
	if code != fault.ExitConflict || strings.Contains(stderr, "sluice revise") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

func TestSpecPublishNeedsATarget(t *testing.T) {
	p := withFeature(t)
	code, _, stderr := p.types("spec", "publish", first)
	if code != fault.ExitUsage || !strings.Contains(stderr, "--target NAME") || !strings.Contains(stderr, "[usage]") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

func TestSpecAnswersAtTheTerminal(t *testing.T) {
	p := withFeature(t)
	p.must(0, "spec", "review", first, "hold", "--reason", "later")
	p.must(fault.ExitParked, "spec", "reopen", first)
	p.must(fault.ExitUsage, "spec", "answer", first) // nobody sits there
	p.sits()
	p.env.Stdin = strings.NewReader("nonsense\nspec.goal=short\nspec.background=A shop with many books.\n\n")
	code, _, stderr := p.types("spec", "answer", first)
	if code != fault.ExitParked || !strings.Contains(stderr, "PATH=VALUE is needed") || !strings.Contains(stderr, "it takes 10 to 500 characters") {
		t.Fatalf("exit %d\n%s", code, stderr)
	}
	out := p.must(0, "spec", "trace", first, "spec.background")
	if !strings.Contains(out, "answered by person ana via cli") || !strings.Contains(out, "A shop with many books.") {
		t.Error(out)
	}
	if out := p.must(0, "spec", "questions", first, "--history"); !strings.Contains(out, "spec.background = A shop with many books.") {
		t.Error(out)
	}
	p.env.Stdin = strings.NewReader("")
	if code, _, _ := p.types("spec", "answer", first); code != fault.ExitConflict {
		t.Errorf("a feature that asks nothing: exit %d", code)
	}
}

func TestSpecShowsWhatIsRecorded(t *testing.T) {
	p := withFeature(t)
	p.must(0, "spec", "review", first, "go", "--reason", "agreed")
	p.must(0, "spec", "publish", first, "--target", "file")
	p.must(0, "spec", "publish", first, "--target", "file") // nothing is left to do, and that is recorded
	var shots struct {
		Snapshots []spec.ShownSnapshot `json:"snapshots"`
	}
	if err := json.Unmarshal([]byte(p.must(0, "spec", "snapshots", "R-20260102-0001", "--json")), &shots); err != nil {
		t.Fatal(err)
	}
	for i, s := range shots.Snapshots { // the list is what the files show
		raw, err := os.ReadFile(filepath.Join(p.env.Dir, filepath.FromSlash(s.Path)))
		if err != nil {
			t.Fatal(err)
		}
		var file spec.Snapshot
		if err := json.Unmarshal(raw, &file); err != nil {
			t.Fatal(err)
		}
		if got, want := file.Step, s.Snapshot.Step; got != want || want.Seq != i+1 {
			t.Errorf("%s shows %+v, and %+v is listed", s.Path, got, want)
		}
	}
	if len(shots.Snapshots) != 9 {
		t.Errorf("%d snapshots", len(shots.Snapshots))
	}
	out := p.must(fault.ExitParked, "spec", "amend", first, "## Acceptance criteria\n- what was found can be saved")
	if !strings.Contains(out, "what was found can be saved") || !strings.Contains(out, "→") {
		t.Errorf("no delta in\n%s", out)
	}
	if again := p.must(0, "spec", "diff", first); !strings.HasPrefix(out, again) {
		t.Errorf("diff shows\n%s\nand amend showed\n%s", again, out)
	}
	if out := p.must(0, "spec", "replay", first); !strings.Contains(out, "came out the same") {
		t.Error(out)
	}
	if out := p.must(0, "spec", "list", "--status", "published"); !strings.Contains(out, "no features") {
		t.Error(out)
	}
	p.must(2, "spec", "list", "--status", "lost")
	if out := p.must(0, "spec", "validate", first, "--stage", "spec"); !strings.Contains(out, "stage spec is open") {
		t.Error(out)
	}
}

func TestFieldsAreShownOneByOne(t *testing.T) {
	for _, c := range []struct{ name, object, want string }{
		{"texts and others, in order", `{"b":"x","a":[1,{"c":2}]}`, "  b: x\n  a: [1,{\"c\":2}]\n"},
		{"lines below their name", `{"document":"# T\n\none\n"}`, "  document:\n    # T\n\n    one\n"},
		{"nothing that moves the cursor", `{"a":"x\u001b[2J","b":"y\nz\u001b[2J"}`, "  a: x\\x1b[2J\n  b:\n    y\n    z\\x1b[2J\n"},
		{"what is no object, as it is", `[1]`, "[1]\n"},
		{"what is broken, as it is", `{"a":`, "{\"a\":\n"},
	} {
		if got := fieldLines(json.RawMessage(c.object)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
