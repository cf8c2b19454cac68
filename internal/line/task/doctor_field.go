package task

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

func days(d float64) string { return strconv.FormatFloat(d, 'f', -1, 64) }

// fields holds that every node says what its type must say.
func (x *examination) fields() {
	for n := range x.each {
		if n.Title == "" {
			x.find(MissingField, n.TaskID, "title", "give it a title", "the title of a node of type %s is missing", n.NodeType)
		}
		x.short(n, "title", n.Title, maxTitle)
		x.short(n, "goal_statement", n.GoalStatement, maxText)
		switch n.NodeType {
		case Action:
			x.action(n)
		case Check:
			x.review(n)
		case Goal:
		default:
			x.find(BadField, n.TaskID, "node_type", "say GOAL, ACTION or CHECK", "node %q has type %q", n.Title, n.NodeType)
		}
	}
	ids := make(map[string]bool, len(x.doc.Requirements))
	for i, q := range x.doc.Requirements {
		if ids[q.RequirementID] || x.chart.nodes[q.RequirementID] != nil {
			x.find(BadField, q.TaskID, fmt.Sprintf("requirements[%d].requirement_id", i), "give each input an id of its own", "requirement %q has an id that is taken", q.Name)
		}
		ids[q.RequirementID] = true
		if x.chart.typeOf(q.TaskID) != Action {
			x.find(BadField, q.TaskID, fmt.Sprintf("requirements[%d].task_id", i), "name the ACTION that needs it", "requirement %q is not of an ACTION", q.Name)
		}
		if q.Kind != "FILE" && q.Kind != "CONFIRMATION" {
			x.find(BadField, q.TaskID, fmt.Sprintf("requirements[%d].kind", i), "say FILE or CONFIRMATION", "requirement %q has kind %q", q.Name, q.Kind)
		}
	}
}

// Bounds of texts, in bytes: each goes into prompts and records many times.
const (
	maxTitle = 1_000
	maxText  = 100_000
)

func (x *examination) short(n *Node, path, text string, most int) {
	if len(text) > most {
		x.find(BadField, n.TaskID, path, "say it in fewer words; what is long belongs into an input", "%s of %q has %d bytes, over the limit of %d", path, cutText(n.Title, 80), len(text), most)
	}
}

func (x *examination) action(n *Node) {
	switch e := n.EstimatedPersonDays; {
	case e == 0:
		x.find(MissingField, n.TaskID, "estimated_person_days", "estimate the person-days from complete input to a deliverable that can be reviewed", "ACTION %q has no estimate", n.Title)
	case e < 0 || math.IsNaN(e) || math.IsInf(e, 0):
		x.find(BadField, n.TaskID, "estimated_person_days", "give a number above 0", "ACTION %q takes %v person-days", n.Title, e)
	}
	if n.DeliverableSpec == nil {
		x.find(MissingField, n.TaskID, "deliverable_spec", "say format, filename and single_file", "ACTION %q does not say what it hands over", n.Title)
	} else {
		x.spec(n, *n.DeliverableSpec)
	}
	if len(n.AcceptanceCriteria) == 0 {
		x.find(MissingField, n.TaskID, "acceptance_criteria", "list at least one criterion", "ACTION %q has no acceptance criteria", n.Title)
	}
	seen := map[string]bool{}
	for i, k := range n.AcceptanceCriteria {
		x.criterion(n, k, fmt.Sprintf("acceptance_criteria[%d]", i))
		if k.ID != "" && seen[k.ID] {
			x.find(BadField, n.TaskID, fmt.Sprintf("acceptance_criteria[%d].id", i), "give each criterion an id of its own", "two criteria of %q have the id %s", n.Title, k.ID)
		}
		seen[k.ID] = true
	}
}

func (x *examination) criterion(n *Node, k Criterion, path string) {
	for _, f := range []struct{ name, value string }{{"id", k.ID}, {"type", k.Type}, {"statement", k.Statement}, {"check_method", k.CheckMethod}, {"severity", k.Severity}} {
		if f.value == "" {
			x.find(MissingField, n.TaskID, path+"."+f.name, "fill it in", "a criterion of %q has no %s", n.Title, f.name)
		}
	}
	x.short(n, path+".statement", k.Statement, maxText)
	if k.CheckMethod != "" && !slices.Contains([]string{ManualReview, StaticCheck, RunSmokeTest}, k.CheckMethod) {
		x.find(BadField, n.TaskID, path+".check_method", "say manual_review, static_check or run_smoke_test", "criterion %s has check_method %q", k.ID, k.CheckMethod)
	}
	if k.Severity != "" && !slices.Contains([]string{Blocker, Major, Minor}, k.Severity) {
		x.find(BadField, n.TaskID, path+".severity", "say blocker, major or minor", "criterion %s has severity %q", k.ID, k.Severity)
	}
}

func (x *examination) spec(n *Node, s DeliverableSpec) {
	if s.Format == "" {
		x.find(MissingField, n.TaskID, "deliverable_spec.format", "say html, md, json, …", "the deliverable of %q has no format", n.Title)
	}
	x.short(n, "deliverable_spec.description", s.Description, maxText)
	if s.SingleFile == nil {
		x.find(MissingField, n.TaskID, "deliverable_spec.single_file", "say true or false", "the deliverable of %q does not say whether it is one file", n.Title)
	}
	path := func(field, p string, pattern bool) {
		if why := pathFlaw(p, pattern); why != "" {
			x.find(BadPath, n.TaskID, "deliverable_spec."+field, "give a plain relative path", "%s of %q %s: %s", field, n.Title, why, strconv.Quote(cutText(p, 80)))
		}
	}
	if s.Filename == "" {
		x.find(MissingField, n.TaskID, "deliverable_spec.filename", "name the file", "the deliverable of %q has no filename", n.Title)
	} else {
		path("filename", s.Filename, true)
	}
	if s.OutputDir != "" {
		path("output_dir", s.OutputDir, false)
	}
	if s.IsSingle() {
		return
	}
	if s.BundleMode != BundleManifest {
		x.find(BadField, n.TaskID, "deliverable_spec.bundle_mode", "say MANIFEST", "the deliverable of %q is several files and has bundle_mode %q", n.Title, s.BundleMode)
	}
	if len(s.Files) == 0 {
		x.find(MissingField, n.TaskID, "deliverable_spec.files", "list the expected names or patterns", "the deliverable of %q is several files and names none", n.Title)
	}
	for i, f := range s.Files {
		path(fmt.Sprintf("files[%d]", i), f, true)
	}
}

func (x *examination) review(n *Node) {
	switch s := n.ReviewOutputSpec; {
	case s == nil:
		x.find(MissingField, n.TaskID, "review_output_spec", "say APPROVED.md and REJECTED.md", "CHECK %q does not say which files it writes", n.Title)
	case s.ApprovedFilename != ApprovedFilename || s.RejectedFilename != RejectedFilename:
		x.find(BadField, n.TaskID, "review_output_spec", "say APPROVED.md and REJECTED.md", "CHECK %q writes %q or %q", n.Title, s.ApprovedFilename, s.RejectedFilename)
	}
}
