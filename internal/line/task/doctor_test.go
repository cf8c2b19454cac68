package task

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sluice/internal/golden"
)

// ills are plans with one thing wrong each, named after it.
var ills = []struct {
	name string
	code string
	make func(d *Document)
}{
	{"no root named", NoRoot, func(d *Document) { d.Plan.RootTaskID = "" }},
	{"root unknown", NoRoot, func(d *Document) { d.Plan.RootTaskID = tid("elsewhere") }},
	{"root not a goal", RootNotGoal, func(d *Document) { d.Plan.RootTaskID = tid("build") }},
	{"no action", NoAction, func(d *Document) {
		d.Nodes = []Node{goal("root"), goal("part")}
		d.Edges = []Edge{edge(Decompose, "root", "part")}
	}},
	{"two with one id", DuplicateTask, func(d *Document) { d.Nodes = append(d.Nodes, action("build", 1)) }},
	{"edge to nowhere", UnknownEnd, func(d *Document) { d.Edges = append(d.Edges, edge(DependsOn, "design", "nobody")) }},
	{"goal of nothing", MissingDecomposition, func(d *Document) {
		d.Nodes = append(d.Nodes, goal("empty"))
		d.Edges = append(d.Edges, edge(Decompose, "root", "empty"))
	}},
	{"loose action", Unreachable, func(d *Document) { d.Nodes = append(d.Nodes, action("loose", 1), check("loose")) }},
	{"cycle of needs", CycleFound, func(d *Document) { d.Edges = append(d.Edges, edge(DependsOn, "build", "design")) }},
	{"cycle through decompose", CycleFound, func(d *Document) { d.Edges = append(d.Edges, edge(DependsOn, "build", "root")) }},
	{"cycle through alternative", CycleFound, func(d *Document) { d.Edges = append(d.Edges, edge(Alternative, "build", "design")) }},
	{"needs what it is part of", CycleFound, func(d *Document) {
		d.Edges = []Edge{edge(Decompose, "root", "design"), edge(Decompose, "root", "build"), edge(DependsOn, "root", "build")}
	}},
	{"edge to itself", CycleFound, func(d *Document) { d.Edges = append(d.Edges, edge(DependsOn, "build", "build")) }},
	{"action without check", ActionWithoutCheck, func(d *Document) { drop(d, "check build") }},
	{"action with two checks", ActionSeveralChecks, func(d *Document) {
		second := check("build")
		second.TaskID = tid("second")
		d.Nodes = append(d.Nodes, second)
	}},
	{"check without target", CheckWithoutTarget, func(d *Document) { d.node("check build").ReviewTargetTaskID = "" }},
	{"check of a goal", CheckWrongTarget, func(d *Document) { d.node("check build").ReviewTargetTaskID = tid("root") }},
	{"check of itself", CheckWrongTarget, func(d *Document) { d.node("check build").ReviewTargetTaskID = tid("check build") }},
	{"check of nobody", CheckWrongTarget, func(d *Document) { d.node("check build").ReviewTargetTaskID = tid("nobody") }},
	{"check shares its target", CheckSharedTarget, func(d *Document) { d.node("check build").ReviewTargetTaskID = tid("design") }},
	{"no estimate", MissingField, func(d *Document) { d.node("build").EstimatedPersonDays = 0 }},
	{"estimate below zero", BadField, func(d *Document) { d.node("build").EstimatedPersonDays = -1 }},
	{"no spec", MissingField, func(d *Document) { d.node("build").DeliverableSpec = nil }},
	{"spec is empty", MissingField, func(d *Document) { d.node("build").DeliverableSpec = &DeliverableSpec{} }},
	{"bundle without manifest", BadField, func(d *Document) {
		d.node("build").DeliverableSpec = &DeliverableSpec{Format: "go", Filename: "*.go", SingleFile: yes(false)}
	}},
	{"filename leads out", BadPath, func(d *Document) { d.node("build").DeliverableSpec.Filename = "../../etc/passwd" }},
	{"directory is absolute", BadPath, func(d *Document) { d.node("build").DeliverableSpec.OutputDir = "/tmp" }},
	{"no criteria", MissingField, func(d *Document) { d.node("build").AcceptanceCriteria = nil }},
	{"criterion is empty", MissingField, func(d *Document) { d.node("build").AcceptanceCriteria = []Criterion{{}} }},
	{"criterion in other words", BadField, func(d *Document) {
		k := &d.node("build").AcceptanceCriteria[0]
		k.CheckMethod, k.Severity = "guess", "huge"
	}},
	{"criterion ids twice", BadField, func(d *Document) {
		n := d.node("build")
		n.AcceptanceCriteria = append(n.AcceptanceCriteria, n.AcceptanceCriteria[0])
	}},
	{"check writes other files", BadField, func(d *Document) { d.node("check build").ReviewOutputSpec.ApprovedFilename = "OK.txt" }},
	{"check names no files", MissingField, func(d *Document) { d.node("check build").ReviewOutputSpec = nil }},
	{"no title", MissingField, func(d *Document) { d.node("build").Title = "" }},
	{"unknown type", BadField, func(d *Document) { d.Nodes = append(d.Nodes, Node{TaskID: tid("odd"), NodeType: "ODD", Title: "odd"}) }},
	{"requirement of nobody", BadField, func(d *Document) {
		d.Requirements = []Requirement{{RequirementID: tid("q"), TaskID: tid("root"), Name: "brief", Kind: "LETTER", Required: true}}
	}},
	{"root criteria missing", RootCriteriaMissing, func(d *Document) { d.node("root").RootAcceptanceCriteria = nil }},
	{"root criterion not covered", CriterionNotCovered, func(d *Document) { d.node("root").RootAcceptanceCriteria[0].CoveredBy = nil }},
	{"root criterion covered by nobody", CriterionNotCovered, func(d *Document) {
		d.node("root").RootAcceptanceCriteria[0].CoveredBy = []string{tid("nobody")}
	}},
	{"no mode", MissingField, func(d *Document) { d.node("root").FinalDeliverableSpec.Mode = "" }},
	{"unknown mode", BadField, func(d *Document) { d.node("root").FinalDeliverableSpec.Mode = "ZIP" }},
	{"includes nothing", BadField, func(d *Document) { d.node("root").FinalDeliverableSpec.IncludeChildren = []string{tid("check build")} }},
	{"assembles nothing", AssembleMissing, func(d *Document) { d.node("root").FinalDeliverableSpec.Mode = Assemble }},
	{"assembled by a goal", AssembleNotAction, func(d *Document) {
		d.node("root").FinalDeliverableSpec = &FinalSpec{Mode: Assemble, AssembleTaskID: tid("root")}
	}},
	{"assembled without its input", AssembleUnbound, func(d *Document) {
		d.node("root").FinalDeliverableSpec = &FinalSpec{Mode: Assemble, AssembleTaskID: tid("build")}
		d.Edges = slices.Delete(d.Edges, 2, 3)
	}},
	{"leaf over the threshold", LeafOverThreshold, func(d *Document) { d.node("build").EstimatedPersonDays = 10.5 }},
}

func TestDoctorFindsNothingInASoundPlan(t *testing.T) {
	if found := Doctor(soundPlan(), DefaultSettings()); len(found) != 0 {
		t.Errorf("found %+v", found)
	}
}

func TestDoctorRules(t *testing.T) {
	var b strings.Builder
	for _, ill := range ills {
		d := soundPlan()
		ill.make(&d)
		found := Doctor(d, DefaultSettings())
		if !slices.ContainsFunc(found, func(f Finding) bool { return f.Code == ill.code }) {
			t.Errorf("%s: no finding %s in %+v", ill.name, ill.code, found)
		}
		fmt.Fprintf(&b, "## %s\n", ill.name)
		for _, f := range found {
			fmt.Fprintf(&b, "%s %s\n  node %q path %q\n  %s\n  hint: %s\n", f.Severity, f.Code, short(f.Node), f.Path, f.Message, f.Hint)
		}
	}
	golden.Check(t, "doctor.golden", b.String())
}

func TestDoctorLeavesAbandonedNodesAlone(t *testing.T) {
	d := soundPlan()
	d.Nodes = append(d.Nodes, Node{TaskID: tid("old"), NodeType: Check, Status: Abandoned}, Node{TaskID: tid("gone"), NodeType: Action, Status: Abandoned})
	if found := Doctor(d, DefaultSettings()); len(found) != 0 {
		t.Errorf("found %+v", found)
	}
}

// After a rewrite only what needs thought is left, and a second rewrite has nothing to do.
func TestRewriteMendsWhatItCan(t *testing.T) {
	needsThought := []string{NoRoot, RootNotGoal, NoAction, DuplicateTask, MissingDecomposition, CycleFound,
		CriterionNotCovered, AssembleMissing, AssembleNotAction}
	alone := []string{"unknown type", "requirement of nobody", "no mode", "unknown mode", "includes nothing", "criterion in other words"}
	var b strings.Builder
	for _, ill := range ills {
		d := soundPlan()
		ill.make(&d)
		before, err := d.Encode()
		if err != nil {
			t.Fatal(err)
		}
		better, changes := Rewrite(d, DefaultSettings())
		if after, _ := d.Encode(); string(after) != string(before) {
			t.Errorf("%s: the rewrite changed what it was given", ill.name)
		}
		fmt.Fprintf(&b, "## %s\n", ill.name)
		for _, c := range changes {
			fmt.Fprintf(&b, "%s %s: %s\n", c.Code, short(c.Node), c.Message)
		}
		found := Doctor(better, DefaultSettings())
		if !slices.Contains(needsThought, ill.code) && !slices.Contains(alone, ill.name) && len(found) > 0 {
			t.Errorf("%s: still found %+v", ill.name, found)
		}
		if _, again := Rewrite(better, DefaultSettings()); len(again) > 0 {
			t.Errorf("%s: a second rewrite does %+v", ill.name, again)
		}
	}
	golden.Check(t, "rewrite.golden", b.String())
}

func TestSplitOfTwentyFiveDaysAtTenGivesThreeParts(t *testing.T) {
	d := soundPlan()
	d.node("build").EstimatedPersonDays = 25
	better, _ := Rewrite(d, DefaultSettings())
	c := NewChart(&better)
	parts := c.LeavesUnder(tid("build"))
	if len(parts) != 3 {
		t.Fatalf("%d parts", len(parts))
	}
	if whole := better.node("build"); whole.NodeType != Goal || whole.DeliverableSpec != nil {
		t.Errorf("the whole is %+v", whole)
	}
	if old := better.node("check build"); old.Status != Abandoned || old.ReviewTargetTaskID != "" {
		t.Errorf("its CHECK is %+v", old)
	}
	names := map[string]bool{}
	for _, id := range parts {
		n, _ := c.Node(id)
		names[n.DeliverableSpec.Filename] = true
		if n.EstimatedPersonDays > 10 || len(n.AcceptanceCriteria) == 0 || len(c.checks[id]) != 1 {
			t.Errorf("part %+v with checks %v", n, c.checks[id])
		}
	}
	if len(names) != 3 {
		t.Errorf("files of the parts: %v", names)
	}
	if found := Doctor(better, DefaultSettings()); len(found) > 0 {
		t.Errorf("found %+v", found)
	}
}

func TestPartsAreEnoughAndAtLeastTwo(t *testing.T) {
	for estimate := 0.5; estimate < 300; estimate += 0.5 {
		for _, threshold := range []float64{0, 0.5, 3, 10, 1000} {
			n := Parts(estimate, threshold)
			switch {
			case estimate <= threshold, threshold == 0:
				if n != 0 {
					t.Errorf("Parts(%v, %v) = %d", estimate, threshold, n)
				}
			case n == 0:
				if estimate/threshold <= maxParts {
					t.Errorf("Parts(%v, %v) gives up", estimate, threshold)
				}
			case n < 2 || estimate/float64(n) > threshold:
				t.Errorf("Parts(%v, %v) = %d", estimate, threshold, n)
			}
		}
	}
}

func TestSplitStopsAtDepthAndLeaves(t *testing.T) {
	for _, s := range []Settings{{OneShotThresholdPersonDays: 10, MaxLeaves: 500, MaxDecompositionDepth: 1}, {OneShotThresholdPersonDays: 10, MaxLeaves: 3, MaxDecompositionDepth: 5}} {
		d := soundPlan()
		d.node("build").EstimatedPersonDays = 25
		better, _ := Rewrite(d, s)
		if got := better.node("build").NodeType; got != Action {
			t.Errorf("with %+v it is split", s)
		}
	}
}
