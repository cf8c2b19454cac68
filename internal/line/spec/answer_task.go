package spec

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

func (t *Task) set(path, field, text string) error {
	switch field {
	case "task_id":
		return setText(&t.TaskID, path, text)
	case "title", "":
		return setText(&t.Title, path, text)
	case "type":
		kind := TaskType(strings.ToLower(text))
		if !slices.Contains(TaskTypes(), kind) {
			return misfit(path, "it is %q", text)
		}
		t.Type = kind
		return nil
	case "scope":
		return setText(&t.Scope, path, text)
	case "owner_role":
		return setText(&t.OwnerRole, path, text)
	case "deliverables":
		return setList(&t.Deliverables, path, text)
	case "affected_components":
		return setList(&t.AffectedComponents, path, text)
	case "dependencies":
		if strings.HasPrefix(text, "[") {
			return setList(&t.Dependencies, path, text)
		}
		t.Dependencies = listOf(text)
		return nil
	case "estimate":
		if t.Estimate = parseEstimate(text); t.Estimate == nil {
			return misfit(path, "it is %q", text)
		}
		return nil
	}
	return unknownPath(path)
}

// setTasks takes a list of titles, or of tasks. Their ids are ours unless they are given and free.
func (s *CanonicalSpec) setTasks(text string) error {
	const path = "planning.tasks"
	items, err := itemsOf(text)
	if err != nil {
		return misfit(path, "%v", err)
	}
	n := numbering{prefix: "T-", taken: map[string]bool{}}
	var all []Task
	for _, item := range items {
		var t Task
		if json.Unmarshal(item, &t.Title) != nil && decode(item, &t) != nil || isBlank(t.Title) {
			return misfit(path, "an item is neither a title nor a task")
		}
		if t.Type != "" && !slices.Contains(TaskTypes(), t.Type) {
			return misfit(path, "the type of a task is %q, not one of %s", t.Type, listed(TaskTypes()))
		}
		if t.Estimate != nil && soundEstimate(t.Estimate) == nil {
			return misfit(path, "the estimate of %q is not a number of hours or days above 0", t.Title)
		}
		t.TaskID = n.next(t.TaskID)
		all = append(all, t)
	}
	s.Planning.Tasks = all
	return nil
}

func (v *Verification) set(path, field, text string) error {
	switch field {
	case "vv_id":
		return setText(&v.VVID, path, text)
	case "task_id":
		return setText(&v.TaskID, path, text)
	case "type":
		kind := VVType(strings.ToLower(text))
		if !slices.Contains(VVTypes(), kind) {
			return misfit(path, "it is %q", text)
		}
		v.Type = kind
		return nil
	case "procedure", "":
		return setText(&v.Procedure, path, text)
	case "expected_result":
		return setText(&v.ExpectedResult, path, text)
	case "evidence_required":
		return setList(&v.EvidenceRequired, path, text)
	}
	return unknownPath(path)
}

// addVV adds verifications to those that stand.
func (s *CanonicalSpec) addVV(text string) error {
	const path = "planning.vv"
	items, err := itemsOf(text)
	if err != nil {
		return misfit(path, "%v", err)
	}
	n := numbering{prefix: "VV-", taken: map[string]bool{}}
	for _, v := range s.Planning.VV {
		n.take(v.VVID)
	}
	tasks := readShape(s.Planning).task
	for _, item := range items {
		v, ok := readVV(item)
		if !ok {
			return misfit(path, "an item is no verification")
		}
		if _, known := tasks[v.TaskID]; !known {
			return misfit(path, "there is no task %s", strconv.Quote(v.TaskID))
		}
		if v.Type != "" && !slices.Contains(VVTypes(), v.Type) {
			return misfit(path, "the type of a verification is %q, not one of %s", v.Type, listed(VVTypes()))
		}
		if v.Type == "" {
			v.Type = Manual
		}
		v.VVID = n.next(v.VVID)
		s.Planning.VV = append(s.Planning.VV, v)
	}
	return nil
}

// readVV reads a verification, or a line such as "T-1: procedure => expected result".
func readVV(item json.RawMessage) (Verification, bool) {
	var v Verification
	var text string
	if json.Unmarshal(item, &text) != nil {
		return v, decode(item, &v) == nil && !isBlank(v.Procedure) && !isBlank(v.ExpectedResult)
	}
	task, rest, ok := strings.Cut(text, ":")
	procedure, expected, both := strings.Cut(rest, "=>")
	v = Verification{TaskID: strings.TrimSpace(task), Procedure: strings.TrimSpace(procedure), ExpectedResult: strings.TrimSpace(expected)}
	return v, ok && both && v.Procedure != "" && v.ExpectedResult != ""
}
