package task

import (
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Words that plans use, in capitals, and ours for them. They are never changed.
var (
	nodeTypes = map[string]string{"GOAL": "GOAL", "ACTION": "ACTION", "CHECK": "CHECK",
		"ROOT": "GOAL", "MILESTONE": "GOAL", "TASK": "ACTION", "STEP": "ACTION", "REVIEW": "CHECK"}
	edgeTypes = map[string]string{"DECOMPOSE": "DECOMPOSE", "DEPENDS_ON": "DEPENDS_ON", "ALTERNATIVE": "ALTERNATIVE",
		"DECOMPOSES": "DECOMPOSE", "CONTAINS": "DECOMPOSE", "PARENT_OF": "DECOMPOSE", "REQUIRES": "DEPENDS_ON", "DEPENDS": "DEPENDS_ON",
		"DEPENDENCY": "DEPENDS_ON", "ALTERNATIVE_TO": "ALTERNATIVE", "ALTERNATIVES": "ALTERNATIVE"}
	priorities   = map[string]string{"LOW": "LOW", "MED": "MED", "MEDIUM": "MED", "HIGH": "HIGH"}
	severities   = map[string]string{"BLOCKER": Blocker, "MAJOR": Major, "MINOR": Minor, "HIGH": Blocker, "MED": Major, "MEDIUM": Major, "LOW": Minor}
	methods      = map[string]string{"MANUAL_REVIEW": ManualReview, "MANUAL": ManualReview, "STATIC_CHECK": StaticCheck, "STATIC": StaticCheck, "RUN_SMOKE_TEST": RunSmokeTest, "SMOKE_TEST": RunSmokeTest}
	modes        = map[string]string{"PASS_THROUGH": PassThrough, "PASSTHROUGH": PassThrough, "ASSEMBLE": Assemble}
	andOr        = map[string]string{"AND": "AND", "OR": "OR"}
	inputKinds   = map[string]string{"FILE": "FILE", "CONFIRMATION": "CONFIRMATION"}
	rankOf       = map[string]int{"LOW": 1, "MED": 2, "MEDIUM": 2, "HIGH": 3}
	pseudoOfPlan = map[string]bool{"START": true, "END": true}
)

// isPseudo knows the nodes by which some draw where a plan begins and ends.
func isPseudo(o object) bool {
	kind, _ := o.fields["node_type"].(string)
	if kind == "" {
		kind, _ = o.fields["type"].(string)
	}
	if pseudoOfPlan[strings.ToUpper(strings.TrimSpace(kind))] {
		return true
	}
	for _, name := range []string{"task_id", "id"} {
		if id, _ := o.fields[name].(string); pseudoOfPlan[strings.ToUpper(strings.TrimSpace(id))] {
			return true
		}
	}
	return false
}

func (r *reader) node(o object) {
	given := o.text("task_id", "id")
	if isPseudo(o) {
		r.pseudo[given] = true
		r.change(o.path, "is a pseudo node and is left out")
		return
	}
	n := Node{NodeType: NodeType(o.word(nodeTypes, "node_type", "type", "kind")), Title: o.text("title", "name"),
		GoalStatement: o.text("goal_statement", "description"), Rationale: o.text("rationale"), OwnerAgentID: o.text("owner_agent_id", "owner"),
		Priority: o.integer(rankOf, "priority"), Tags: o.texts("tags"),
		EstimatedPersonDays: o.number("estimated_person_days", "person_days", "estimate")}
	if given == "" {
		r.problem(o.at("task_id"), "give the task an id", "is missing")
	} else {
		n.TaskID = r.taskID(o.at("task_id"), given)
	}
	if n.NodeType == "" && o.fields["node_type"] == nil && o.fields["type"] == nil && o.fields["kind"] == nil {
		r.problem(o.at("node_type"), "say GOAL, ACTION or CHECK", "is missing")
	}
	n.Status = r.status(&o, n.NodeType)
	n.DeliverableSpec = r.spec(&o, "deliverable_spec")
	n.AcceptanceCriteria = r.criteria(&o, "acceptance_criteria")
	n.RootAcceptanceCriteria = r.criteria(&o, "root_acceptance_criteria")
	if target := o.text("review_target_task_id", "review_target"); target != "" {
		n.ReviewTargetTaskID = r.taskID(o.at("review_target_task_id"), target)
	}
	if s, ok := o.object("review_output_spec"); ok {
		n.ReviewOutputSpec = &ReviewOutputSpec{s.text("approved_filename"), s.text("rejected_filename")}
		s.rest()
	}
	n.FinalDeliverableSpec = r.final(&o)
	o.rest()
	r.doc.Nodes = append(r.doc.Nodes, n)
}

// status keeps only what a document can say: that a task is out of every rule. The rest is derived from what happens.
func (r *reader) status(o *object, t NodeType) Status {
	word := Status(strings.ToUpper(o.text("status")))
	switch {
	case word == "":
	case !word.fits(t) && t != "":
		r.problem(o.at("status"), "leave it out; it follows from what happens", "is %s, which a %s cannot be", show(string(word)), t)
	case word == Abandoned:
		return Abandoned
	case word != Pending:
		r.change(o.at("status"), "was %s; a plan begins anew", word)
	}
	return ""
}

func (r *reader) spec(o *object, name string) *DeliverableSpec {
	s, ok := o.object(name)
	if !ok {
		return nil
	}
	d := &DeliverableSpec{Format: strings.TrimPrefix(s.text("format"), "."), Filename: s.text("filename", "file_name"), OutputDir: s.text("output_dir"),
		SingleFile: s.boolean("single_file"), BundleMode: strings.ToUpper(s.text("bundle_mode")), Files: s.texts("files"), Description: s.text("description")}
	if d.OutputDir == "." || d.OutputDir == "./" {
		d.OutputDir = ""
	}
	d.OutputDir = norm.NFC.String(strings.TrimSuffix(d.OutputDir, "/"))
	d.Filename = norm.NFC.String(d.Filename)
	for i := range d.Files {
		d.Files[i] = norm.NFC.String(d.Files[i])
	}
	r.single(&s, d)
	s.rest()
	return d
}

// single takes from a deliverable of one file what only several files have: nothing reads it, and it would stand in the
// manifest of an export.
func (r *reader) single(s *object, d *DeliverableSpec) {
	if d.SingleFile == nil || !*d.SingleFile {
		return
	}
	if d.BundleMode != "" {
		r.change(s.at("bundle_mode"), "is dropped; the deliverable is one file")
	}
	if len(d.Files) > 0 {
		r.change(s.at("files"), "are dropped; the deliverable is one file")
	}
	d.BundleMode, d.Files = "", nil
}

func (r *reader) criteria(o *object, name string) []Criterion {
	var out []Criterion
	path, items := o.list(name)
	for i, item := range items {
		at := path + "[" + strconv.Itoa(i) + "]"
		if text, ok := item.(string); ok { // older plans list statements
			c := Criterion{ID: "AC-" + strconv.Itoa(i+1), Type: "content", Statement: strings.TrimSpace(text), CheckMethod: ManualReview, Severity: Major}
			r.change(at, "was a text; it is the statement of %s", c.ID)
			out = append(out, c)
			continue
		}
		fields, ok := item.(map[string]any)
		if !ok {
			r.problem(at, "give an object", "is %s, not an object", kindOf(item))
			continue
		}
		c := object{r: r, path: at, fields: fields}
		got := Criterion{ID: c.text("id", "criterion_id"), Type: c.text("type"), Statement: c.text("statement", "description", "text"),
			CheckMethod: c.word(methods, "check_method"), Severity: c.word(severities, "severity")}
		for _, by := range c.texts("covered_by") {
			got.CoveredBy = append(got.CoveredBy, r.taskID(c.at("covered_by"), by))
		}
		c.rest()
		out = append(out, got)
	}
	return out
}

func (r *reader) final(o *object) *FinalSpec {
	s, ok := o.object("final_deliverable_spec")
	if !ok {
		return nil
	}
	f := &FinalSpec{Mode: s.word(modes, "mode"), Output: r.spec(&s, "output")}
	for _, id := range s.texts("include_children") {
		f.IncludeChildren = append(f.IncludeChildren, r.taskID(s.at("include_children"), id))
	}
	if id := s.text("assemble_task_id"); id != "" {
		f.AssembleTaskID = r.taskID(s.at("assemble_task_id"), id)
	}
	s.rest()
	return f
}

func (r *reader) edge(o object) {
	from, to := o.text("from_task_id", "from", "source"), o.text("to_task_id", "to", "target")
	if r.pseudo[from] || r.pseudo[to] {
		r.change(o.path, "joins a pseudo node and is left out")
		return
	}
	e := Edge{EdgeType: EdgeType(o.word(edgeTypes, "edge_type", "type", "kind"))}
	for _, end := range []struct{ name, given string }{{"from_task_id", from}, {"to_task_id", to}} {
		if end.given == "" {
			r.problem(o.at(end.name), "name the task by its id", "is missing")
		}
	}
	if e.EdgeType == "" && o.fields["edge_type"] == nil && o.fields["type"] == nil && o.fields["kind"] == nil {
		r.problem(o.at("edge_type"), "say DECOMPOSE, DEPENDS_ON or ALTERNATIVE", "is missing")
	}
	e.FromTaskID, e.ToTaskID = r.taskID(o.at("from_task_id"), from), r.taskID(o.at("to_task_id"), to)
	if m, ok := o.object("metadata"); ok {
		e.Metadata = EdgeMetadata{AndOr: m.word(andOr, "and_or"), GroupID: m.text("group_id")}
		m.rest()
	}
	e.EdgeID = r.uuid(o.at("edge_id"), o.text("edge_id", "id"), func(name string) string {
		if name == "" {
			name = strconv.Itoa(len(r.doc.Edges) + 1)
		}
		return deriveID("edge", r.planID, name)
	})
	o.rest()
	r.doc.Edges = append(r.doc.Edges, e)
}

func (r *reader) requirement(o object) {
	q := Requirement{Name: o.text("name", "title"), Kind: o.word(inputKinds, "kind", "type"), MinCount: o.integer(nil, "min_count"), AllowedTypes: o.texts("allowed_types"), Required: true}
	if b := o.boolean("required"); b != nil {
		q.Required = *b
	}
	q.RequirementID = r.uuid(o.at("requirement_id"), o.text("requirement_id", "id"), func(name string) string {
		if name == "" {
			name = strconv.Itoa(len(r.doc.Requirements) + 1)
		}
		return deriveID("requirement", r.planID, name)
	})
	q.TaskID = r.taskID(o.at("task_id"), o.text("task_id"))
	o.rest()
	r.doc.Requirements = append(r.doc.Requirements, q)
}
