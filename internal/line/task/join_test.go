package task

import (
	"strings"
	"testing"

	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/linetest"
)

// eitherPlan has two ways to a design, and a build that needs it.
func eitherPlan() Document {
	d := soundPlan()
	d.Nodes = append(d.Nodes, action("other", 1), check("other"))
	d.Edges = []Edge{edge(Decompose, "root", "design"), edge(Decompose, "root", "other"), edge(Decompose, "root", "build"),
		edge(Alternative, "design", "other"), edge(DependsOn, "design", "build")}
	return d
}

// giveUp abandons the named tasks as soon as a person is asked about them.
func giveUp(names ...string) linetest.Person {
	return func(_ *kernel.Run, a *kernel.Ask) *kernel.Answer {
		for _, name := range names {
			if a.Node == kernel.NodeID(tid(name)) {
				return &kernel.Answer{Choice: "abandon"}
			}
		}
		return nil
	}
}

// hopeless fails every file of the named tasks.
func hopeless(models *scripted, names ...string) linetest.Models {
	return func(c line.Call) string {
		for _, name := range names {
			var in given
			mustParse(c.Inputs, &in)
			if c.Agent == AgentAction && in.Title == name {
				return ""
			}
		}
		return models.answer(c)
	}
}

func TestWhatNeedsOneOfSeveralDoesNotBeginWithoutAny(t *testing.T) {
	models := newScripted(nil)
	r := drivenIn(t, eitherPlan(), linetest.World{Models: hopeless(models, "design", "other"), Person: giveUp("design", "other")})
	build, _ := r.Node(kernel.NodeID(tid("build")))
	if build.Attempts() != 0 || build.Status() != kernel.StatusWaiting {
		t.Errorf("build is %s after %d attempts", build.Status(), build.Attempts())
	}
	v := View{Run: r, Doc: eitherPlan()}
	s := v.Status()
	if s.Status == PlanDone || s.Status == PlanInProgress {
		t.Errorf("the plan is %s", s.Status)
	}
	if why := v.Node(*v.Doc.node("build")).BlockedReason; !strings.Contains(why, "design is ABANDONED, other is ABANDONED") {
		t.Errorf("build says %q", why)
	}
}

func TestWhatNeedsOneOfSeveralWorksFromTheOneThatIsDone(t *testing.T) {
	models := newScripted(nil)
	r := drivenIn(t, eitherPlan(), linetest.World{Models: hopeless(models, "design"), Person: giveUp("design")})
	if r.Status() != kernel.RunDone {
		t.Fatalf("run is %s", r.Status())
	}
	prompt := models.prompt["action build"][0]
	if !strings.Contains(prompt, "approved: other, other.md") || strings.Contains(prompt, "One of:") || strings.Contains(prompt, "is DONE") {
		t.Errorf("build works from\n%s", prompt)
	}
}

func TestALeafOfAnAlternativeGoal(t *testing.T) {
	d := eitherPlan()
	d.Nodes = append(d.Nodes, goal("way"))
	d.Edges = []Edge{edge(Decompose, "root", "way"), edge(Decompose, "way", "design"), edge(Decompose, "root", "other"), edge(Decompose, "root", "build"),
		edge(Alternative, "way", "other"), edge(DependsOn, "design", "build")}
	models := newScripted(nil)
	r := drivenIn(t, d, linetest.World{Models: hopeless(models, "design"), Person: giveUp("design")})
	if r.Status() != kernel.RunDone || !strings.Contains(models.prompt["action build"][0], "approved: other") {
		t.Errorf("run is %s", r.Status())
	}
}

// An alternative that needs what needs the other one: odd, and no reason to wait for ever before anything begins.
func TestAlternativesThatNeedEachOther(t *testing.T) {
	d := eitherPlan()
	d.Edges = append(d.Edges, edge(DependsOn, "build", "other"))
	if found := Doctor(d, DefaultSettings()); len(found) > 0 {
		t.Fatalf("found %+v", found)
	}
	r := driven(t, d, newScripted(nil).answer)
	v := View{Run: r, Doc: d}
	if r.Status() != kernel.RunDone || v.Standing(tid("other")) != Abandoned || v.Standing(tid("build")) != Done {
		t.Errorf("run is %s: %+v", r.Status(), v.Status().Counts)
	}
}

// sharedPlan has a design that two goals consist of.
func sharedPlan() Document {
	d := soundPlan()
	d.Nodes = append(d.Nodes, goal("rules"), goal("looks"), action("paint", 1), check("paint"))
	d.Edges = []Edge{edge(Decompose, "root", "rules"), edge(Decompose, "root", "looks"), edge(Decompose, "root", "build"),
		edge(Decompose, "rules", "design"), edge(Decompose, "looks", "design"), edge(Decompose, "looks", "paint"), edge(DependsOn, "looks", "build")}
	return d
}

func TestAPartOfSeveralWholes(t *testing.T) {
	d := sharedPlan()
	if found := Doctor(d, DefaultSettings()); len(found) > 0 {
		t.Fatalf("found %+v", found)
	}
	models := newScripted(nil)
	r := driven(t, d, models.answer)
	v := View{Run: r, Doc: d}
	if s := v.Status(); s.Status != PlanDone || s.Counts[Done] != len(d.Nodes) {
		t.Fatalf("got %s %+v", s.Status, s.Counts)
	}
	if prompt := models.prompt["action build"][0]; !strings.Contains(prompt, "approved: design") || !strings.Contains(prompt, "approved: paint") {
		t.Errorf("build does not work from all leaves:\n%s", prompt)
	}

	waiting := drivenIn(t, d, linetest.World{Models: hopeless(newScripted(nil), "design")})
	v = View{Run: waiting, Doc: d}
	for name, want := range map[string]Status{"design": WaitingExternal, "paint": Done, "rules": Pending, "looks": Pending, "build": Pending} {
		if got := v.Standing(tid(name)); got != want {
			t.Errorf("without a design %s is %s, want %s", name, got, want)
		}
	}

	given := drivenIn(t, d, linetest.World{Models: hopeless(newScripted(nil), "design"), Person: giveUp("design")})
	v = View{Run: given, Doc: d}
	for name, want := range map[string]Status{"design": Abandoned, "rules": Abandoned, "looks": Done, "build": Done} {
		if got := v.Standing(tid(name)); got != want {
			t.Errorf("with the design given up %s is %s, want %s", name, got, want)
		}
	}
}

func TestOneOfSeveralLeavesWhatAnotherWholeNeeds(t *testing.T) {
	d := sharedPlan()
	for i := range d.Edges {
		if d.Edges[i].FromTaskID == tid("looks") && d.Edges[i].EdgeType == Decompose {
			d.Edges[i].Metadata.AndOr = "OR"
		}
	}
	v := View{Run: driven(t, d, newScripted(nil).answer), Doc: d}
	for name, want := range map[string]Status{"design": Done, "rules": Done, "looks": Done, "build": Done} {
		if got := v.Standing(tid(name)); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func TestGroupsOfAlternatives(t *testing.T) {
	d := Document{}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		d.Nodes = append(d.Nodes, action(name, 1))
	}
	tied := func(from, to, group string) Edge {
		e := edge(Alternative, from, to)
		e.Metadata.GroupID = group
		return e
	}
	d.Edges = []Edge{tied("a", "b", ""), tied("c", "d", ""), tied("b", "c", ""), tied("e", "f", "x"), tied("g", "h", "x")}
	c := NewChart(&d)
	for _, name := range []string{"b", "c", "d"} {
		if c.rivals[tid(name)] != c.rivals[tid("a")] {
			t.Errorf("%s is in group %q, a in %q", name, c.rivals[tid(name)], c.rivals[tid("a")])
		}
	}
	for _, name := range []string{"e", "f", "g", "h"} {
		if c.rivals[tid(name)] != "x" {
			t.Errorf("%s is in group %q", name, c.rivals[tid(name)])
		}
	}
}

// A whole that needs one of some parts and all of the others.
func TestAndBesideOr(t *testing.T) {
	d := soundPlan()
	d.Nodes = append(d.Nodes, action("other", 1), check("other"))
	d.Edges = []Edge{edge(Decompose, "root", "design"), edge(Decompose, "root", "other"), edge(Decompose, "root", "build")}
	d.Edges[0].Metadata.AndOr, d.Edges[1].Metadata.AndOr = "OR", "OR"
	if found := Doctor(d, DefaultSettings()); len(found) > 0 {
		t.Fatalf("found %+v", found)
	}
	v := View{Run: drivenIn(t, d, linetest.World{Models: hopeless(newScripted(nil), "design")}), Doc: d}
	for name, want := range map[string]Status{"root": Done, "design": Abandoned, "other": Done, "build": Done} {
		if got := v.Standing(tid(name)); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	v = View{Run: drivenIn(t, d, linetest.World{Models: hopeless(newScripted(nil), "build")}), Doc: d}
	if got := v.Standing(tid("root")); got != Pending {
		t.Errorf("without what it needs in any case the root is %s", got)
	}
}
