package spec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

func TestAnswersThatDoNotFitAreRefusedWithTheRule(t *testing.T) {
	for _, c := range []struct{ path, value, rule string }{
		{"spec.goal", "short", "10 to 500"},
		{"spec.goal", strings.Repeat("x", 501), "10 to 500"},
		{"spec.goal", " \u200b ", "10 to 500"},
		{"spec.acceptance_criteria", "[1]", "one per line"},
		{"spec.acceptance_criteria", "[", "one per line"},
		{"spec.acceptance_criteria", "", "one per line"},
		{"spec.acceptance_criteria[1].id", "AC-1", "no other has"},
		{"planning.tasks[0].type", "magic", "dev, test, doc"},
		{"planning.tasks[0].dependencies", "T-9", "lead in no circle"},
		{"planning.tasks[0].dependencies", "T-2", "lead in no circle"},
		{"planning.tasks[0].estimate", "soon", "hours or days"},
		{"planning.vv[0].task_id", "T-9", "id of a task"},
		{"planning.vv", "T-9: try => works", "task_id, procedure"},
		{"planning.vv", "just try it", "task_id, procedure"},
		{"planning.tasks[7].title", "x", "no field that can be answered"},
		{"planning.tasks[99999999999].title", "x", "no field that can be answered"},
		{"quality.completeness_score", "1", "no field that can be answered"},
		{"meta.spec_version", "S-1", "no field that can be answered"},
		{"decision.recommendation", "go", "no field that can be answered"},
	} {
		err := Check(whole(), []Answer{{c.path, c.value}})
		if fault.CodeOf(err) != fault.BadValue || !strings.Contains(err.Error(), c.rule) || len(fault.From(err).Next) == 0 {
			t.Errorf("%s=%q: %v, want a refusal that says %q", c.path, c.value, err, c.rule)
		}
	}
}

func TestAnswersAreReadBehindAByteOrderMark(t *testing.T) {
	got, err := readAnswers(line.Given{Ask: &kernel.Ask{}, Content: []byte("\ufeff{\"spec.goal\": \"words\"}")})
	if diff := cmp.Diff([]Answer{{"spec.goal", "words"}}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestVerificationsWithoutATypeAreManual(t *testing.T) {
	s := whole()
	s.Planning.VV = nil
	after, err := AnswersDocument{Answers: []Answer{{"planning.vv", `["T-1: look => it is there",{"task_id":"T-2","type":"e2e","procedure":"p","expected_result":"e"}]`}}}.apply(s)
	if err != nil || len(after.Planning.VV) != 2 || after.Planning.VV[0].Type != Manual || after.Planning.VV[1].Type != "e2e" {
		t.Errorf("got %+v, %v", after.Planning.VV, err)
	}
}

func TestAnswersNameItemsByPlaceOrByIDAndAFieldOnce(t *testing.T) {
	got, err := placed(whole(), []Answer{{"spec.goal", "a"}, {"planning.tasks[T-2].scope", "b"}, {"planning.vv[VV-1].procedure", "c"},
		{"spec.acceptance_criteria[AC-2].criteria", "d"}, {"planning.tasks[T-99].scope", "e"}, {"spec.goal[T-1]", "f"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []Answer{{"spec.goal", "a"}, {"planning.tasks[1].scope", "b"}, {"planning.vv[0].procedure", "c"},
		{"spec.acceptance_criteria[1].criteria", "d"}, {"planning.tasks[T-99].scope", "e"}, {"spec.goal[T-1]", "f"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("placed (-want +got):\n%s", diff)
	}
	for _, twice := range [][]Answer{{{"spec.goal", "one"}, {"spec.goal", "two"}}, {{"planning.tasks[1].scope", "one"}, {"planning.tasks[T-2].scope", "two"}}} {
		if _, err := placed(whole(), twice); fault.CodeOf(err) != fault.BadValue || !strings.Contains(err.Error(), "answered twice") {
			t.Errorf("%v: %v, want a refusal", twice, err)
		}
	}
}

func TestAnswersSetTheirFieldAndNothingElse(t *testing.T) {
	for _, c := range []struct {
		path, value string
		want        []string // paths that differ
	}{
		{"spec.goal", "Another goal that is long enough", []string{"spec.goal"}},
		{"spec.background", "told", []string{"spec.background"}},
		{"spec.non_goals", "- one\n- two", []string{"spec.non_goals[0]", "spec.non_goals[1]", "spec.non_goals"}},
		{"spec.acceptance_criteria", "a word finds its book\na new one", []string{"spec.acceptance_criteria[AC-3].id", "spec.acceptance_criteria[AC-3].criteria",
			"spec.acceptance_criteria[AC-2].id", "spec.acceptance_criteria[AC-2].criteria"}},
		{"planning.tasks[1].type", "Doc", []string{"planning.tasks[T-2].type"}},
		{"planning.tasks[1].dependencies", "", []string{"planning.tasks[T-2].dependencies[0]"}},
		{"planning.tasks[0].estimate", "2 days", []string{"planning.tasks[T-1].estimate.unit", "planning.tasks[T-1].estimate.value"}},
		{"planning.vv[1].procedure", "otherwise", []string{"planning.vv[VV-2].procedure"}},
	} {
		before := whole()
		after, err := AnswersDocument{Answers: []Answer{{c.path, c.value}}}.apply(before)
		if err != nil {
			t.Errorf("%s=%q: %v", c.path, c.value, err)
			continue
		}
		changes, err := Diff(before, after)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, change := range changes {
			got = append(got, change.Path)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s=%q changes (-want +got):\n%s", c.path, c.value, diff)
		}
		if diff := cmp.Diff(whole(), before); diff != "" {
			t.Errorf("%s=%q changes the version before:\n%s", c.path, c.value, diff)
		}
	}
}

// An answered text leaves every other byte of the spec as it was.
func TestUntouchedFieldsStayAsTheyWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := anySpec(t)
		for _, m := range Evaluate(before, StageReady).MissingFields {
			list, at, field, ok := splitPath(m.Path)
			if !ok || field == "dependencies" || field == "task_id" || field == "id" || field == "vv_id" {
				continue
			}
			value := "dev"
			after, err := AnswersDocument{Answers: []Answer{{m.Path, value}}}.apply(before)
			if err != nil {
				t.Fatalf("%s: %v", m.Path, err)
			}
			was, now := before.copied(), after.copied()
			switch list {
			case "spec.acceptance_criteria":
				was.Spec.AcceptanceCriteria[at], now.Spec.AcceptanceCriteria[at] = Criterion{}, Criterion{}
			case "planning.tasks":
				was.Planning.Tasks[at], now.Planning.Tasks[at] = Task{}, Task{}
			case "planning.vv":
				was.Planning.VV[at], now.Planning.VV[at] = Verification{}, Verification{}
			}
			if diff := cmp.Diff(was, now); diff != "" {
				t.Fatalf("answering %s changes something else:\n%s", m.Path, diff)
			}
		}
	})
}

func TestModelsNeverChangeWhatPasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		have, got := anySpec(t).Planning, anySpec(t).Planning
		wantNew := rapid.Bool().Draw(t, "new")
		out := fillTasks(have.Tasks, got.Tasks, wantNew)
		for i, task := range have.Tasks {
			if passes(task) && cmp.Diff(task, out[i]) != "" {
				t.Fatalf("task %d changes: %s", i, cmp.Diff(task, out[i]))
			}
			if !isBlank(task.Title) && out[i].Title != task.Title || !isBlank(task.Scope) && out[i].Scope != task.Scope || cmp.Diff(task.Dependencies, out[i].Dependencies) != "" {
				t.Fatalf("task %d loses its words: %+v", i, out[i])
			}
		}
		if !wantNew && len(out) != len(have.Tasks) {
			t.Fatalf("%d tasks became %d", len(have.Tasks), len(out))
		}
		added := Evaluate(CanonicalSpec{Planning: Planning{Tasks: out[len(have.Tasks):]}}, StageReady)
		for _, m := range added.GateT.MissingFields {
			if strings.HasSuffix(m.Path, "task_id") {
				t.Fatalf("new tasks have bad ids: %+v", m)
			}
		}
		if len(have.Tasks) == 0 {
			for _, m := range added.GateT.MissingFields {
				if strings.HasSuffix(m.Path, "dependencies") {
					t.Fatalf("new tasks have bad dependencies: %+v", m)
				}
			}
		}
		have.Tasks = out
		verified := fillVV(have, got.VV, true)
		if diff := cmp.Diff(len(have.VV), min(len(have.VV), len(verified))); diff != "" {
			t.Fatal("verifications are lost")
		}
		for i, v := range have.VV {
			if !isBlank(v.Procedure) && verified[i].Procedure != v.Procedure || verified[i].TaskID != v.TaskID || verified[i].VVID != v.VVID {
				t.Fatalf("verification %d changes: %+v", i, verified[i])
			}
		}
	})
}

func FuzzSet(f *testing.F) {
	f.Add("spec.goal", "a goal that is long enough")
	f.Add("planning.tasks[1].dependencies", "T-1")
	f.Add("planning.vv", `[{"task_id":"T-1","procedure":"p","expected_result":"e"}]`)
	f.Add("planning.tasks", `["one",{"title":"two","type":"dev"}]`)
	f.Fuzz(func(t *testing.T, path, value string) {
		after, err := AnswersDocument{Answers: []Answer{{path, value}}}.apply(whole())
		if err != nil {
			if fault.CodeOf(err) == fault.Unexpected {
				t.Fatalf("no proper refusal: %v", err)
			}
			return
		}
		raw, err := after.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(raw); err != nil {
			t.Fatal(err)
		}
	})
}
