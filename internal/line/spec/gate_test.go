package spec

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func paths(all []MissingField) []string {
	out := []string{}
	for _, m := range all {
		out = append(out, m.Path)
	}
	return out
}

func TestGatesFindWhatIsMissing(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(s *CanonicalSpec)
		want   []string
	}{
		{"nothing", func(*CanonicalSpec) {}, []string{}},
		{"no goal", func(s *CanonicalSpec) { s.Spec.Goal = "" }, []string{"spec.goal"}},
		{"a goal of space", func(s *CanonicalSpec) { s.Spec.Goal = strings.Repeat(" \u200b", 20) }, []string{"spec.goal"}},
		{"a goal of 9", func(s *CanonicalSpec) { s.Spec.Goal = "九个字的目标不够长" }, []string{"spec.goal"}},
		{"a goal of 10", func(s *CanonicalSpec) { s.Spec.Goal = "这个目标刚好有十个字" }, []string{}},
		{"a goal of 500", func(s *CanonicalSpec) { s.Spec.Goal = strings.Repeat("字", 500) }, []string{}},
		{"a goal of 501", func(s *CanonicalSpec) { s.Spec.Goal = strings.Repeat("字", 501) }, []string{"spec.goal"}},
		{"no criteria", func(s *CanonicalSpec) { s.Spec.AcceptanceCriteria = nil }, []string{"spec.acceptance_criteria"}},
		{"an empty criterion", func(s *CanonicalSpec) { s.Spec.AcceptanceCriteria[1].Criteria = "\n" }, []string{"spec.acceptance_criteria[1].criteria"}},
		{"criteria with one id", func(s *CanonicalSpec) { s.Spec.AcceptanceCriteria[1].ID = "AC-1" }, []string{"spec.acceptance_criteria[1].id"}},
		{"no tasks", func(s *CanonicalSpec) { s.Planning.Tasks = nil },
			[]string{"planning.tasks", "planning.vv", "planning.vv[0].task_id", "planning.vv[1].task_id"}},
		{"an empty task", func(s *CanonicalSpec) { s.Planning.Tasks[1] = Task{TaskID: "T-2"} },
			[]string{"planning.tasks[1].title", "planning.tasks[1].type", "planning.tasks[1].scope"}},
		{"an unknown dependency", func(s *CanonicalSpec) { s.Planning.Tasks[1].Dependencies = []string{"T-9"} }, []string{"planning.tasks[1].dependencies"}},
		{"a task that waits for itself", func(s *CanonicalSpec) { s.Planning.Tasks[1].Dependencies = []string{"T-2"} }, []string{"planning.tasks[1].dependencies"}},
		{"a circle", func(s *CanonicalSpec) { s.Planning.Tasks[0].Dependencies = []string{"T-2"} },
			[]string{"planning.tasks[0].dependencies", "planning.tasks[1].dependencies"}},
		{"no vv", func(s *CanonicalSpec) { s.Planning.VV = nil }, []string{"planning.vv"}},
		{"a task without vv", func(s *CanonicalSpec) { s.Planning.VV = s.Planning.VV[:1] }, []string{"planning.vv"}},
		{"an empty vv", func(s *CanonicalSpec) { s.Planning.VV = append(s.Planning.VV, Verification{}) },
			[]string{"planning.vv[2].vv_id", "planning.vv[2].task_id", "planning.vv[2].procedure", "planning.vv[2].expected_result"}},
		{"a vv of no task", func(s *CanonicalSpec) {
			s.Planning.VV = append(s.Planning.VV, Verification{VVID: "VV-3", TaskID: "T-9", Procedure: "p", ExpectedResult: "e"})
		},
			[]string{"planning.vv[2].task_id"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := whole()
			c.change(&s)
			r := Evaluate(s, StageReady)
			if diff := cmp.Diff(c.want, paths(r.MissingFields)); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
			if r.OverallPass != (len(c.want) == 0) {
				t.Errorf("overall_pass is %v with %v missing", r.OverallPass, c.want)
			}
		})
	}
}

func TestStageSaysWhichGatesRelease(t *testing.T) {
	s := whole()
	s.Planning = Planning{}
	early, late := Evaluate(s, StageSpec), Evaluate(s, StageReady)
	if !early.OverallPass || early.NextStep != StepPlan || len(early.MissingFields) != 0 {
		t.Errorf("stage spec: %+v", early)
	}
	if early.GateT.Pass || early.GateV.Pass {
		t.Error("T and V are not shown as closed")
	}
	if late.OverallPass || late.NextStep != StepClarify {
		t.Errorf("stage ready: %+v", late)
	}
	if got := Evaluate(whole(), StageReady); got.NextStep != StepReview {
		t.Errorf("a whole spec goes to %s", got.NextStep)
	}
}

func TestScoreIsTheFormula(t *testing.T) {
	if got := Evaluate(CanonicalSpec{}, StageReady).CompletenessScore; got != 0 {
		t.Errorf("an empty spec scores %v", got)
	}
	// goal 36 runes, 2 criteria with one hint, 2 linked tasks of 2 types, both covered by vv of 2 types
	want := 0.30*(0.5+0.5*26.0/110) + 0.25*(0.7*2/3+0.3*0.5) + 0.25*(0.5*2/3+0.3*2/3+0.2) + 0.20*(0.7+0.3*2/3)
	if got := Evaluate(whole(), StageReady).CompletenessScore; math.Abs(got-want) > 1e-6 {
		t.Errorf("the score is %v, want %v", got, want)
	}
}

func TestSameSpecSameResult(t *testing.T) {
	s := whole()
	s.Planning.Tasks[0].Dependencies = []string{"T-2", "T-9"}
	s.Spec.Goal = ""
	first := fmt.Sprintf("%+v", Evaluate(s, StageReady))
	for range 1000 {
		if again := fmt.Sprintf("%+v", Evaluate(s, StageReady)); again != first {
			t.Fatalf("another result:\n%s\n%s", first, again)
		}
	}
}

func TestGatePassesOnlyWithNothingMissing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySpec(t)
		for _, stage := range Stages() {
			r := Evaluate(s, stage)
			for name, g := range map[string]Gate{"S": r.GateS, "T": r.GateT, "V": r.GateV} {
				if g.Pass != (len(g.MissingFields) == 0) || len(g.Reasons) != len(g.MissingFields) {
					t.Fatalf("gate %s: %+v", name, g)
				}
			}
			if r.OverallPass && len(r.MissingFields) > 0 {
				t.Fatalf("passes with %v missing", r.MissingFields)
			}
			if r.CompletenessScore < 0 || r.CompletenessScore > 1 {
				t.Fatalf("score %v", r.CompletenessScore)
			}
		}
	})
}

// Filling is done from outside the gates: what a person would write at the path, with nothing but the path known.
func TestFillingAReportedPathNeverLowers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySpec(t)
		for range 200 {
			before := Evaluate(s, StageReady)
			if len(before.MissingFields) == 0 {
				return
			}
			at := rapid.IntRange(0, len(before.MissingFields)-1).Draw(t, "which")
			path := before.MissingFields[at].Path
			fill(t, &s, path)
			after := Evaluate(s, StageReady)
			if after.CompletenessScore < before.CompletenessScore {
				t.Fatalf("filling %s lowers the score from %v to %v", path, before.CompletenessScore, after.CompletenessScore)
			}
			if before.GateS.Pass && !after.GateS.Pass || before.GateT.Pass && !after.GateT.Pass || before.GateV.Pass && !after.GateV.Pass {
				t.Fatalf("filling %s closes a gate", path)
			}
		}
		if left := Evaluate(s, StageReady).MissingFields; len(left) > 0 {
			t.Fatalf("paths that filling does not close: %v", left)
		}
	})
}

var place = regexp.MustCompile(`^(.*)\[(\d+)\]\.(.*)$`)

func fill(t *rapid.T, s *CanonicalSpec, path string) {
	unused := func(prefix string) string {
		return fmt.Sprintf("%s-%d", prefix, rapid.IntRange(1000, 1<<30).Draw(t, "fresh"))
	}
	m := place.FindStringSubmatch(path)
	if m == nil {
		switch path {
		case "spec.goal":
			s.Spec.Goal = "a goal of a person who was asked"
		case "spec.acceptance_criteria":
			s.Spec.AcceptanceCriteria = append(s.Spec.AcceptanceCriteria, Criterion{ID: unused("AC"), Criteria: "it works"})
		case "planning.tasks":
			s.Planning.Tasks = append(s.Planning.Tasks, Task{TaskID: unused("T"), Title: "work", Type: "dev", Scope: "all"})
		case "planning.vv":
			of := unused("T")
			for i, task := range s.Planning.Tasks {
				if !readShape(s.Planning).covered[i] && task.TaskID != "" {
					of = task.TaskID
				}
			}
			s.Planning.VV = append(s.Planning.VV, Verification{VVID: unused("VV"), TaskID: of, Type: "unit", Procedure: "do", ExpectedResult: "done"})
		default:
			t.Fatalf("nobody knows how to fill %q", path)
		}
		return
	}
	i, _ := strconv.Atoi(m[2])
	text := "filled"
	switch m[1] + "." + m[3] {
	case "spec.acceptance_criteria.id":
		s.Spec.AcceptanceCriteria[i].ID = unused("AC")
	case "spec.acceptance_criteria.criteria":
		s.Spec.AcceptanceCriteria[i].Criteria = text
	case "planning.tasks.task_id":
		s.Planning.Tasks[i].TaskID = unused("T")
	case "planning.tasks.title":
		s.Planning.Tasks[i].Title = text
	case "planning.tasks.type":
		s.Planning.Tasks[i].Type = rapid.SampledFrom(TaskTypes()).Draw(t, "fill type")
	case "planning.tasks.scope":
		s.Planning.Tasks[i].Scope = text
	case "planning.tasks.dependencies":
		s.Planning.Tasks[i].Dependencies = nil
	case "planning.vv.vv_id":
		s.Planning.VV[i].VVID = unused("VV")
	case "planning.vv.task_id":
		s.Planning.VV[i].TaskID = unused("T")
		for _, task := range s.Planning.Tasks {
			if task.TaskID != "" {
				s.Planning.VV[i].TaskID = task.TaskID
			}
		}
	case "planning.vv.procedure":
		s.Planning.VV[i].Procedure = text
	case "planning.vv.expected_result":
		s.Planning.VV[i].ExpectedResult = text
	default:
		t.Fatalf("nobody knows how to fill %q", path)
	}
}

func TestLongChainsOfTasks(t *testing.T) {
	const n = 20_000
	s := whole()
	s.Planning.Tasks = nil
	for i := range n {
		s.Planning.Tasks = append(s.Planning.Tasks, Task{TaskID: "T-" + strconv.Itoa(i), Title: "t", Type: "dev", Scope: "s", Dependencies: []string{"T-" + strconv.Itoa((i+1)%n)}})
	}
	if got := len(Evaluate(s, StageReady).GateT.MissingFields); got != n {
		t.Errorf("%d tasks of a circle of %d are reported", got, n)
	}
	s.Planning.Tasks[n-1].Dependencies = nil
	if !Evaluate(s, StageReady).GateT.Pass {
		t.Error("a chain is no circle")
	}
}

func FuzzDecode(f *testing.F) {
	raw, err := whole().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`{"schema_version":"1.0","planning":{"tasks":null,"mvp_definition":{}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := Decode(raw)
		if err != nil {
			return
		}
		for _, stage := range Stages() {
			if r := Evaluate(s, stage); r.OverallPass && len(r.MissingFields) > 0 {
				t.Fatal("a gate passes with a missing field")
			}
		}
		once, err := s.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode(once)
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := again.Encode(); err != nil || string(twice) != string(once) {
			t.Fatalf("reading and writing changes it:\n%s\n%s", once, twice)
		}
	})
}
