package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// taskCommands are the words that scripts of plans have besides.
func taskCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"findings": wantFindings,
		"jsonset":  jsonSet,
		"plan":     writePlan,
		"tasks":    wantTasks,
	}
}

// planObject is a JSON object whose members a script may set one by one.
type planObject = map[string]any

// longID makes a UUID of its first letters: b0 is b0000000-0000-4000-8000-000000000000, p is a whole plan's.
func longID(short string) string {
	return (short + "00000000")[:8] + "-0000-4000-8000-000000000000"
}

// writePlan makes a plan document of a few lines: plan OUT.json FILE. Each line is a type, a short id, a title (_ is a
// space) and fields:
//
//	plan   d1 A_game
//	goal   a0 Game             in=GOAL or covers=ID,… mode=ASSEMBLE assemble=ID include=ID,…
//	action b0 Rules            in=GOAL days=2 file=rules.md dir=D files=A,B needs=ID,… rival=ID method=M severity=S check=no
//
// An ACTION brings its CHECK (b0 → b1) unless it says check=no. What a plan should not say is put in with jsonset.
func writePlan(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: plan OUT.json FILE")
	}
	doc := sketch(ts.ReadFile(args[1]))
	raw, err := json.MarshalIndent(doc, "", " ")
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), raw, 0o600))
}

// sketch makes the document of a plan from its lines.
func sketch(text string) planObject {
	head, nodes, edges := planObject{}, []any{}, []any{}
	join := func(kind, from, to string, or bool) {
		e := planObject{"edge_id": fmt.Sprintf("e0000000-0000-4000-8000-%012d", len(edges)+1), "from_task_id": longID(from), "to_task_id": longID(to), "edge_type": kind}
		if or {
			e["metadata"] = planObject{"and_or": "OR"}
		}
		edges = append(edges, e)
	}
	either := map[string]bool{}
	for row := range strings.Lines(text) {
		words := strings.Fields(row)
		if len(words) < 3 {
			continue
		}
		kind, id, title, f := words[0], words[1], strings.ReplaceAll(words[2], "_", " "), fieldsOf(words[3:])
		if kind == "plan" {
			head["plan_id"], head["title"], head["top_task"] = longID(id), title, title
			continue
		}
		n := planObject{"task_id": longID(id), "node_type": strings.ToUpper(kind), "title": title}
		nodes = append(nodes, n)
		if in := f["in"]; in != "" {
			join("DECOMPOSE", in, id, either[in])
		}
		for _, from := range listOf(f["needs"]) {
			join("DEPENDS_ON", from, id, false)
		}
		if f["rival"] != "" {
			join("ALTERNATIVE", f["rival"], id, false)
		}
		_, either[id] = f["or"]
		if kind == "goal" && head["root_task_id"] == nil {
			head["root_task_id"] = n["task_id"]
			rootFields(n, id, f)
		}
		if kind == "action" {
			actionFields(n, f)
			if f["check"] != "no" {
				nodes = append(nodes, planObject{"task_id": longID(checkID(id)), "node_type": "CHECK", "title": "Review of " + title, "review_target_task_id": n["task_id"],
					"review_output_spec": planObject{"approved_filename": "APPROVED.md", "rejected_filename": "REJECTED.md"}})
			}
		}
	}
	return planObject{"plan": head, "nodes": nodes, "edges": edges}
}

func checkID(action string) string { return action[:len(action)-1] + "1" }

func rootFields(n planObject, id string, f map[string]string) {
	covers, final := []any{}, planObject{"mode": "PASS_THROUGH"}
	for _, c := range listOf(f["covers"]) {
		covers = append(covers, longID(c))
	}
	if len(covers) == 0 {
		covers = []any{longID(id)}
	}
	if f["mode"] != "" {
		final["mode"] = f["mode"]
	}
	if f["assemble"] != "" {
		final["assemble_task_id"] = longID(f["assemble"])
	}
	if f["include"] != "" {
		include := []any{}
		for _, c := range listOf(f["include"]) {
			include = append(include, longID(c))
		}
		final["include_children"] = include
	}
	n["root_acceptance_criteria"] = []any{planObject{"id": "R1", "statement": "all of it is there", "covered_by": covers}}
	n["final_deliverable_spec"] = final
}

func actionFields(n planObject, f map[string]string) {
	or := func(name, otherwise string) string {
		if f[name] != "" {
			return f[name]
		}
		return otherwise
	}
	days, err := strconv.ParseFloat(or("days", "1"), 64)
	if err != nil {
		panic(err)
	}
	file := or("file", "text.md")
	spec := planObject{"format": file[strings.LastIndex(file, ".")+1:], "filename": file, "single_file": f["files"] == ""}
	if f["dir"] != "" {
		spec["output_dir"] = f["dir"]
	}
	if f["files"] != "" {
		files := []any{}
		for _, name := range listOf(f["files"]) {
			files = append(files, name)
		}
		spec["files"], spec["bundle_mode"] = files, "MANIFEST"
	}
	n["estimated_person_days"], n["deliverable_spec"] = days, spec
	n["acceptance_criteria"] = []any{planObject{"id": "AC-1", "type": "content", "statement": "it says what it should", "check_method": or("method", "manual_review"), "severity": or("severity", "blocker")}}
}

func fieldsOf(words []string) map[string]string {
	f := map[string]string{}
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		f[name] = value
	}
	return f
}

func listOf(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

// jsonSet changes a document: jsonset IN OUT path=JSON…; the last word of a path may be # for one more of a list, and an
// empty value takes the member away.
func jsonSet(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: jsonset IN OUT path=JSON…")
	}
	var doc any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &doc))
	for _, a := range args[2:] {
		path, raw, ok := strings.Cut(a, "=")
		var v any
		if !ok || raw != "" && json.Unmarshal([]byte(raw), &v) != nil {
			ts.Fatalf("%s is not path=JSON", a)
		}
		done, err := put(doc, strings.Split(path, "."), v, raw == "")
		if err != nil {
			ts.Fatalf("%s: %v", a, err)
		}
		doc = done
	}
	raw, err := json.MarshalIndent(doc, "", " ")
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), raw, 0o600))
}

func put(doc any, path []string, v any, remove bool) (any, error) {
	if len(path) == 0 {
		return v, nil
	}
	switch at := doc.(type) {
	case map[string]any:
		if len(path) == 1 && remove {
			delete(at, path[0])
			return at, nil
		}
		next, err := put(at[path[0]], path[1:], v, remove)
		at[path[0]] = next
		return at, err
	case []any:
		if path[0] == "#" {
			return append(at, v), nil
		}
		i, err := strconv.Atoi(path[0])
		if err != nil || i < 0 || i >= len(at) {
			return at, fmt.Errorf("there is no %s", path[0])
		}
		if len(path) == 1 && remove {
			return slices.Delete(at, i, i+1), nil
		}
		at[i], err = put(at[i], path[1:], v, remove)
		return at, err
	}
	return doc, fmt.Errorf("nothing is at %s", path[0])
}

// wantTasks compares where tasks stand in the last stdout: tasks b0=DONE c0=PENDING.
func wantTasks(ts *testscript.TestScript, neg bool, args []string) {
	raw, err := json.Marshal(lastJSON(ts))
	ts.Check(err)
	var doc struct {
		Nodes []struct {
			TaskID string `json:"task_id"`
			Status string `json:"status"`
		} `json:"nodes"`
	}
	ts.Check(json.Unmarshal(raw, &doc))
	for _, a := range args {
		id, want, _ := strings.Cut(a, "=")
		got := "nothing"
		for _, n := range doc.Nodes {
			if strings.HasPrefix(n.TaskID, id) {
				got = n.Status
				break
			}
		}
		if (got == want) == neg {
			ts.Fatalf("task %s is %s; wanted %s: %v", id, got, want, !neg)
		}
	}
}

// wantFindings compares the codes of the findings in the last stdout, each once and in any order: findings cycle no_root.
func wantFindings(ts *testscript.TestScript, neg bool, args []string) {
	raw, err := json.Marshal(lastJSON(ts))
	ts.Check(err)
	type finding struct{ Code, Message, Hint string }
	var doc struct {
		Findings []finding
		Error    struct{ Findings []finding }
	}
	ts.Check(json.Unmarshal(raw, &doc))
	got := map[string]bool{}
	for _, f := range append(doc.Findings, doc.Error.Findings...) {
		got[f.Code] = true
		if f.Message == "" || f.Hint == "" {
			ts.Fatalf("finding %s has no message or no hint", f.Code)
		}
	}
	var codes []string
	for code := range got {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	want := slices.Clone(args)
	slices.Sort(want)
	if slices.Equal(codes, want) == neg {
		ts.Fatalf("the findings are %v; wanted %v: %v", codes, want, !neg)
	}
}
