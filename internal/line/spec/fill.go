package spec

import (
	"fmt"
	"slices"
	"strings"
)

// fillTasks lays a model's tasks beside those that stand. What passes stays word for word; of what does not, only empty
// fields are filled; new tasks are taken if they are wanted, under ids of ours.
func fillTasks(have, got []Task, wantNew bool) []Task {
	f := taskFilling{out: slices.Clone(have), have: len(have), names: map[string]string{}}
	at, titles := map[string]int{}, map[string]bool{}
	for i, t := range have {
		at[t.TaskID], titles[strings.ToLower(clean(t.Title))] = i, true
	}
	var fresh []Task
	for _, t := range got {
		title := strings.ToLower(clean(t.Title))
		if i, ok := at[t.TaskID]; ok && !isBlank(t.TaskID) && (!wantNew || title == "" || !passes(have[i]) || titles[title]) {
			fillTask(&f.out[i], t)
			continue
		} // else it is another task, to which a model gave a number that is taken
		if wantNew && (title != "" || !isBlank(t.Scope)) && (title == "" || !titles[title]) {
			fresh = append(fresh, t)
		}
	}
	f.add(fresh)
	return f.out
}

type taskFilling struct {
	out   []Task
	have  int
	names map[string]string // the model's ids, by which its tasks name each other
}

// add takes new tasks under the next numbers. A dependency that leads nowhere or in a circle is not taken over.
func (f *taskFilling) add(fresh []Task) {
	next := 1
	for _, t := range f.out {
		next = max(next, numberOf("T-", t.TaskID)+1)
		f.names[t.TaskID] = t.TaskID
	}
	for i := range fresh {
		id := fmt.Sprintf("T-%d", next+i)
		if _, twice := f.names[fresh[i].TaskID]; !twice && !isBlank(fresh[i].TaskID) {
			f.names[fresh[i].TaskID] = id
		}
	}
	for i, t := range fresh {
		added := Task{TaskID: fmt.Sprintf("T-%d", next+i), Title: clean(t.Title), Scope: clean(t.Scope), Deliverables: cleanAll(t.Deliverables),
			OwnerRole: clean(t.OwnerRole), Estimate: soundEstimate(t.Estimate), AffectedComponents: cleanAll(t.AffectedComponents)}
		if slices.Contains(TaskTypes(), t.Type) {
			added.Type = t.Type
		}
		for _, d := range t.Dependencies {
			if id, ok := f.names[d]; ok && id != added.TaskID && !slices.Contains(added.Dependencies, id) {
				added.Dependencies = append(added.Dependencies, id)
			}
		}
		f.out = append(f.out, added)
	}
	f.straighten()
}

// straighten cuts circles that new tasks brought: what a new task says to come first and comes later is dropped.
func (f *taskFilling) straighten() {
	at := map[string]int{}
	next := make([][]int, len(f.out))
	for i, t := range f.out {
		at[t.TaskID] = i
	}
	for i, t := range f.out {
		for _, d := range t.Dependencies {
			if j, ok := at[d]; ok {
				next[i] = append(next[i], j)
			}
		}
	}
	for _, circle := range circles(next) {
		for _, i := range circle {
			if i >= f.have {
				f.out[i].Dependencies = slices.DeleteFunc(f.out[i].Dependencies, func(d string) bool { return at[d] >= i })
			}
		}
	}
}

// passes tells whether a task by itself has all that its gate wants.
func passes(t Task) bool {
	return !isBlank(t.Title) && !isBlank(t.Scope) && slices.Contains(TaskTypes(), t.Type)
}

// fillTask fills what is empty in a task that does not pass as it is.
func fillTask(t *Task, from Task) {
	if passes(*t) {
		return
	}
	fillText(&t.Title, from.Title)
	fillText(&t.Scope, from.Scope)
	fillText(&t.OwnerRole, from.OwnerRole)
	if !slices.Contains(TaskTypes(), t.Type) && slices.Contains(TaskTypes(), from.Type) {
		t.Type = from.Type
	}
	if t.Estimate == nil {
		t.Estimate = soundEstimate(from.Estimate)
	}
	if len(t.Deliverables) == 0 {
		t.Deliverables = cleanAll(from.Deliverables)
	}
	if len(t.AffectedComponents) == 0 {
		t.AffectedComponents = cleanAll(from.AffectedComponents)
	}
}

func fillText(to *string, from string) {
	if isBlank(*to) {
		*to = clean(from)
	}
}

func soundEstimate(e *Estimate) *Estimate {
	if e == nil || !slices.Contains(Units(), e.Unit) || e.Value <= 0 || e.Value > 1e6 {
		return nil
	}
	return &Estimate{Unit: e.Unit, Value: e.Value}
}

// fillVV lays a model's verifications beside those that stand, likewise: new ones are taken for tasks that have none.
func fillVV(p Planning, got []Verification, wantNew bool) []Verification {
	out := slices.Clone(p.VV)
	shape := readShape(p)
	next, have := 1, map[string]int{}
	for i, v := range out {
		next, have[v.VVID] = max(next, numberOf("VV-", v.VVID)+1), i
	}
	for _, v := range got {
		if i, ok := have[v.VVID]; ok && !isBlank(v.VVID) && (v.TaskID == out[i].TaskID || isBlank(v.TaskID)) {
			fillText(&out[i].Procedure, v.Procedure)
			fillText(&out[i].ExpectedResult, v.ExpectedResult)
			continue
		}
		at, ok := shape.task[v.TaskID]
		if !wantNew || !ok || shape.covered[at] || isBlank(v.Procedure) && isBlank(v.ExpectedResult) {
			continue
		}
		added := Verification{VVID: fmt.Sprintf("VV-%d", next), TaskID: v.TaskID, Procedure: clean(v.Procedure), ExpectedResult: clean(v.ExpectedResult),
			EvidenceRequired: cleanAll(v.EvidenceRequired), Type: Manual}
		if slices.Contains(VVTypes(), v.Type) {
			added.Type = v.Type
		}
		out = append(out, added)
		next++
	}
	return out
}

// fillHints gives criteria without a hint the one that a model suggests for them.
func fillHints(have, got []Criterion) []Criterion {
	out, at := slices.Clone(have), map[string]int{}
	for i, c := range out {
		at[c.ID] = i
	}
	for _, c := range got {
		if i, ok := at[c.ID]; ok && !isBlank(c.ID) && !isBlank(out[i].Criteria) {
			fillText(&out[i].TestHint, c.TestHint)
		}
	}
	return out
}
