package task

import (
	"fmt"
	"strings"
	"testing"

	"sluice/internal/digest"
	"sluice/internal/golden"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/linetest"
)

// driven is the run of a plan, driven as far as it goes.
func driven(t *testing.T, d Document, models linetest.Models) *kernel.Run {
	t.Helper()
	return drivenIn(t, d, linetest.World{Models: models})
}

func drivenIn(t *testing.T, d Document, w linetest.World) *kernel.Run {
	t.Helper()
	l, err := New()
	if err != nil {
		t.Fatal(err)
	}
	open, err := Open(d, DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	body, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	// The suite hands over no bytes with an answer, so the plan is what a step of this test delivers.
	open.Nodes[0].Performer, open.Nodes[0].Step, open.Nodes[0].Attempts, open.Nodes[0].Ask = kernel.Engine, "given", 1, nil
	l.Steps["given"] = func(line.In) (line.Move, error) {
		return line.Move{Done: &line.Out{Body: body, Schema: PlanSchema}}, nil
	}
	if w.Person == nil {
		w.Person = func(*kernel.Run, *kernel.Ask) *kernel.Answer { return nil }
	}
	return linetest.Drive(t, l, open, w)
}

// scripted answers as a model would: files, and reviews with a score per review of a task.
type scripted struct {
	scores map[string][]int
	asked  map[string]int
	prompt map[string][]string
}

func (s *scripted) answer(c line.Call) string {
	var in given
	mustParse(c.Inputs, &in)
	key := c.Agent + " " + in.Title
	n := s.asked[key]
	s.asked[key]++
	s.prompt[key] = append(s.prompt[key], c.Prompt)
	if c.Agent == AgentAction {
		return fmt.Sprintf("# %s\n\nversion %d\n", in.Title, n+1)
	}
	score := 95
	if list := s.scores[in.Title]; n < len(list) {
		score = list[n]
	}
	results := []string{}
	for _, k := range in.AcceptanceCriteria {
		results = append(results, fmt.Sprintf(`{"criterion_id":%q,"pass":%v,"evidence":"line 1"}`, k.ID, score >= 90))
	}
	return fmt.Sprintf(`{"verdict":"APPROVED","total_score":%d,"acceptance_results":[%s],"summary":"read it","suggestions":["say more"]}`, score, strings.Join(results, ","))
}

func newScripted(scores map[string][]int) *scripted {
	return &scripted{scores: scores, asked: map[string]int{}, prompt: map[string][]string{}}
}

func TestRejectedWorkIsRedoneWithItsFindings(t *testing.T) {
	models := newScripted(map[string][]int{"design": {60}})
	r := driven(t, soundPlan(), models.answer)
	if r.Status() != kernel.RunDone {
		t.Fatalf("run is %s", r.Status())
	}
	design, _ := r.Node(kernel.NodeID(tid("design")))
	if got := len(design.Versions()); got != 2 {
		t.Fatalf("%d versions", got)
	}
	second := models.prompt["action design"][1]
	for _, want := range []string{"REJECTED", "say more", "the score is 60"} {
		if !strings.Contains(second, want) {
			t.Errorf("the second prompt lacks %q", want)
		}
	}
	if got := models.prompt["action build"][0]; !strings.Contains(got, "version 2") || strings.Contains(got, "version 1\n") {
		t.Errorf("the next task works from other than the approved version:\n%s", got)
	}
	check, _ := r.Node(kernel.NodeID(tid("check design")))
	var paths []string
	for _, f := range files(r, check) {
		paths = append(paths, f.Path[strings.LastIndex(f.Path, "/")+1:])
	}
	if fmt.Sprint(paths) != "[REJECTED.md APPROVED.md]" {
		t.Errorf("reviews are shown as %v", paths)
	}
}

func TestAttemptsUsedUpWaitForAPerson(t *testing.T) {
	r := driven(t, soundPlan(), newScripted(map[string][]int{"design": {10, 20, 30, 40}}).answer)
	v := View{Run: r, Doc: soundPlan()}
	if s := v.Standing(tid("design")); s != WaitingExternal {
		t.Errorf("design is %s", s)
	}
	if s := v.Status(); s.Status != PlanWaiting || s.Counts[Pending] == 0 {
		t.Errorf("got %+v", s)
	}
}

func TestOneOfSeveralWaysIsEnough(t *testing.T) {
	d := soundPlan()
	d.Edges = []Edge{edge(Decompose, "root", "design"), edge(Decompose, "root", "build")}
	for i := range d.Edges {
		d.Edges[i].Metadata.AndOr = "OR"
	}
	r := driven(t, d, newScripted(nil).answer)
	v := View{Run: r, Doc: d}
	if s := v.Status(); s.Status != PlanDone || s.Counts[Abandoned] != 2 || s.Counts[Done] != 3 {
		t.Errorf("got %+v", s)
	}
	d.Edges = []Edge{edge(Decompose, "root", "design"), edge(Decompose, "root", "build"), edge(Alternative, "design", "build")}
	v = View{Run: driven(t, d, newScripted(nil).answer), Doc: d}
	if s := v.Status(); s.Status != PlanDone || s.Counts[Abandoned] != 2 {
		t.Errorf("alternatives: %+v", s)
	}
}

func TestWhatNeedsOneOfSeveralWaysGoesOnWithTheOneThatIsDone(t *testing.T) {
	d := soundPlan()
	d.Nodes = append(d.Nodes, goal("either"), action("other", 1), check("other"))
	d.Edges = []Edge{edge(Decompose, "root", "either"), edge(Decompose, "root", "build"), edge(Decompose, "either", "design"), edge(Decompose, "either", "other"),
		edge(DependsOn, "design", "build"), edge(DependsOn, "other", "build")}
	d.Edges[2].Metadata.AndOr, d.Edges[3].Metadata.AndOr = "OR", "OR"
	if r := driven(t, d, newScripted(nil).answer); r.Status() != kernel.RunDone {
		t.Errorf("OR: run is %s", r.Status())
	}
	d.Edges[2].Metadata.AndOr, d.Edges[3].Metadata.AndOr = "", ""
	d.Edges = append(d.Edges, edge(Alternative, "design", "other"))
	if r := driven(t, d, newScripted(nil).answer); r.Status() != kernel.RunDone {
		t.Errorf("ALTERNATIVE: run is %s", r.Status())
	}
}

func TestGoalsPassDependenciesOn(t *testing.T) {
	d := soundPlan()
	d.Nodes = append(d.Nodes, goal("first"), goal("second"))
	d.Edges = []Edge{edge(Decompose, "root", "first"), edge(Decompose, "root", "second"), edge(Decompose, "first", "design"), edge(Decompose, "second", "build"), edge(DependsOn, "first", "second")}
	models := newScripted(nil)
	r := driven(t, d, models.answer)
	if r.Status() != kernel.RunDone || !strings.Contains(models.prompt["action build"][0], "version 1") {
		t.Errorf("run is %s, and build does not see design", r.Status())
	}
}

func TestWhatDoesNotParseCostsNoReviewer(t *testing.T) {
	l, err := New()
	if err != nil {
		t.Fatal(err)
	}
	r := driven(t, soundPlan(), newScripted(nil).answer)
	check, _ := r.Node(kernel.NodeID(tid("check build")))
	bad := []byte("{")
	m, err := l.Steps[StepCheck](line.In{Run: r, Node: check.Node(), Subject: &line.Doc{Parts: []line.Part{{Path: "other.json", Body: bad}},
		Version: kernel.Version{ID: "v", Digest: digest.Of(bad)}}})
	if err != nil || len(m.Calls) > 0 || m.Done.Verdict != kernel.AgainstIt || !strings.Contains(string(m.Done.Body), "no file fits build.md") {
		t.Errorf("got %+v %v", m, err)
	}
}

func TestStaticChecks(t *testing.T) {
	good := map[string]string{"a.json": `{"a":1}`, "a.yaml": "a: 1\n", "a.csv": "a,b\n1,2\n", "a.go": "package a\n", "a.xml": "<a><b/></a>", "a.md": "# a\n```go\nx\n```\n",
		"a.html": "<!doctype html><html><head><title>a < b</title></head><body><p>one<p>two<br><img src='a>b'><script>if (a<b) {}</script></body></html>", "a.txt": "x", "a.bin": "\x00\x01"}
	for name, body := range good {
		if flaws := StaticFlaws(name, []byte(body)); len(flaws) > 0 {
			t.Errorf("%s: %v", name, flaws)
		}
	}
	bad := map[string]string{"a.json": `{"a":1} x`, "a.yaml": "a: [1\nb: 2", "a.csv": "a,b\n1\n", "a.go": "package", "a.xml": "<a>", "a.md": "```\nx\n", "a.html": "<div><span></div>", "b.html": "plain", "a.txt": "\xff", "b.txt": " \n"}
	for name, body := range bad {
		if flaws := StaticFlaws(name, []byte(body)); len(flaws) == 0 {
			t.Errorf("%s: %q is let through", name, body)
		}
	}
}

func TestWords(t *testing.T) {
	var b strings.Builder
	for _, s := range kernel.Statuses() {
		fmt.Fprintf(&b, "%-10s", s)
		for _, nt := range []NodeType{Goal, Action, Check} {
			w := Word(nt, s, false)
			if !w.fits(nt) {
				t.Errorf("a %s that is %s is %s", nt, s, w)
			}
			fmt.Fprintf(&b, " %s=%s", nt, w)
		}
		fmt.Fprintf(&b, " blocked=%s\n", Word(Action, s, true))
	}
	for _, s := range []kernel.RunStatus{kernel.RunActive, kernel.RunParked, kernel.RunFailed, kernel.RunHeld, kernel.RunDone, kernel.RunCancelled, kernel.RunDropped} {
		fmt.Fprintf(&b, "run %-10s not unfolded=%s ready=%s begun=%s gone=%s\n", s, PlanWord(s, false, false, false), PlanWord(s, true, false, false),
			PlanWord(s, true, true, false), PlanWord(s, true, true, true))
	}
	golden.Check(t, "words.golden", b.String())
}

func TestPlanningSplitsUntilEveryLeafFits(t *testing.T) {
	large := soundPlan()
	large.node("build").EstimatedPersonDays = 25
	raw, err := large.Encode()
	if err != nil {
		t.Fatal(err)
	}
	scores := []int{40, 95, 95} // the first draft is rejected
	asked := map[string]int{}
	var last string
	models := func(c line.Call) string {
		n := asked[c.Agent]
		asked[c.Agent]++
		switch c.Agent {
		case AgentPlanGen:
			last = c.Prompt
			return string(raw)
		case AgentPlanReview:
			return fmt.Sprintf(`{"total_score":%d,"problems":["nobody tests it"]}`, scores[min(n, 2)])
		case AgentFeasibility:
			return `{"results":[{"task_id":"nobody","estimated_person_days":99,"one_shot_pass":false,"why":"x"}]}`
		case AgentSplit:
			return `{"children":[{"title":"one","estimated_person_days":9,"acceptance_criteria":[{"statement":"a"}]},{"title":"two","estimated_person_days":9,"acceptance_criteria":[]},{"title":"three","estimated_person_days":7,"acceptance_criteria":[]}]}`
		}
		return newScripted(nil).answer(c)
	}
	l, err := New()
	if err != nil {
		t.Fatal(err)
	}
	open, err := OpenNew(NewPlanID("test"), "Make a small game", DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	r := linetest.Drive(t, l, open, linetest.World{Models: models, Person: func(*kernel.Run, *kernel.Ask) *kernel.Answer { return nil }})
	if r.Status() != kernel.RunDone || asked[AgentPlanGen] != 2 || asked[AgentSplit] != 1 || asked[AgentFeasibility] != 2 {
		t.Fatalf("run is %s after %v", r.Status(), asked)
	}
	if !strings.Contains(last, "nobody tests it") {
		t.Errorf("the second draft is not told what was wrong with the first:\n%s", last)
	}
	titles := map[string]bool{}
	for n := range r.Nodes() {
		if n.Node().Step == StepAction {
			titles[n.Node().Title] = true
		}
	}
	for _, want := range []string{"design", "one", "two", "three"} {
		if !titles[want] {
			t.Errorf("no action %q among %v", want, titles)
		}
	}
}
