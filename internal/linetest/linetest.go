package linetest

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/digest"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/workspace"
)

// Person answers an ask as a person would. A nil answer leaves it open.
type Person func(r *kernel.Run, a *kernel.Ask) *kernel.Answer

// Models answers a call as a model would.
type Models func(c line.Call) string

// World is what a line meets in a test.
type World struct {
	Models Models
	Person Person
	Files  map[string]string             // of the workspace, by path
	Runs   func(c line.Command) line.Ran // nil: no program is run
	// Recorded is told of files that show single events; nil: nobody is.
	Recorded func(path string, body []byte)
	// Given answers an ask through the line's Supply, before Person is asked; nil answers leave it to Person.
	Given func(r *kernel.Run, a *kernel.Ask) *line.Given
	Only  func(n kernel.Node) bool // which nodes may begin; nil means all
	// Next is asked when nothing is left to do, for commands that make more to do; nil: nobody is.
	Next func(r *kernel.Run, body line.Body, s kernel.Stamp) []Act
}

// Act is a command with the bytes of the content it names.
type Act struct {
	Command kernel.Command
	Bodies  [][]byte
}

// Drive performs a run until nothing more can be done and gives it back. Every step, rule and layout is evaluated twice
// and must give the same result.
func Drive(t *testing.T, l *line.Line, open kernel.Open, w World) *kernel.Run {
	t.Helper()
	d := &drive{t: t, line: l, run: kernel.NewRun(), world: w, bodies: map[digest.Digest][]byte{}, numbers: map[string]int64{}, records: map[string]string{}, at: time.Unix(1_000_000, 0).UTC()}
	open.Stamp = d.stamp(kernel.Person)
	d.apply(open)
	for range 10_000 {
		if !d.perform() && !d.goOn() && !d.answer(w.Person) {
			return d.run
		}
	}
	t.Fatalf("run %s never comes to rest", open.Run)
	return nil
}

type drive struct {
	t      *testing.T
	line   *line.Line
	run    *kernel.Run
	world  World
	bodies map[digest.Digest][]byte
	at     time.Time
	// numbers are how far each series was counted.
	numbers map[string]int64
	records map[string]string
}

func (d *drive) stamp(by kernel.ActorKind) kernel.Stamp {
	d.at = d.at.Add(time.Second)
	return kernel.Stamp{By: kernel.Actor{Kind: by, Name: "test"}, At: d.at}
}

func (d *drive) apply(c kernel.Command) {
	d.t.Helper()
	events, err := kernel.Apply(d.run, c)
	if err != nil {
		d.t.Fatalf("%T: %v", c, err)
	}
	d.record(events)
	for _, v := range kernel.Audit(d.run) {
		d.t.Errorf("after %T: %v", c, v)
	}
	if d.line.Files != nil {
		for n := range d.run.Nodes() {
			d.layout(n)
		}
	}
}

// record asks for the files that show what happened, which must be the same when asked again, safe, and never change.
func (d *drive) record(events []kernel.Event) {
	if d.line.Records == nil {
		return
	}
	h := line.Happened{Run: d.run, Events: events, Body: func(v *kernel.Version) ([]byte, error) { return d.bodies[v.Digest], nil }}
	files, err := d.line.Records(h)
	again, errAgain := d.line.Records(h)
	if err != nil || errAgain != nil || cmp.Diff(files, again, cmp.AllowUnexported(kernel.Version{})) != "" {
		d.t.Errorf("records differ when asked for again: %v %v", err, errAgain)
	}
	for _, f := range files {
		if clean, err := workspace.CleanPath(f.Path); err != nil || clean != f.Path {
			d.t.Errorf("a record is shown at %q, which is not a plain safe path: %v", f.Path, err)
		}
		if before, there := d.records[f.Path]; there && before != string(f.Body) {
			d.t.Errorf("the record at %s changes", f.Path)
		}
		d.records[f.Path] = string(f.Body)
		if d.world.Recorded != nil {
			d.world.Recorded(f.Path, f.Body)
		}
	}
}

// layout checks that the files of a node are safe, and the same when asked again.
func (d *drive) layout(n kernel.View) {
	paths := func() (all []string) {
		for _, f := range d.line.Files(d.run, n) {
			all = append(all, f.Path)
		}
		return all
	}
	first := paths()
	if !slices.Equal(first, paths()) {
		d.t.Errorf("node %s has other files when asked again", n.ID())
	}
	for _, p := range first {
		if clean, err := workspace.CleanPath(p); err != nil || clean != p {
			d.t.Errorf("node %s is shown at %q, which is not a plain safe path: %v", n.ID(), p, err)
		}
	}
}

// perform does the first duty there is within the scope.
func (d *drive) perform() bool {
	d.t.Helper()
	for duty := range kernel.Pending(d.run) {
		switch duty := duty.(type) {
		case kernel.UnfoldNodes:
			d.unfold(duty)
			return true
		case kernel.PerformStep:
			if d.step(duty.Node) {
				return true
			}
		case kernel.RunCheck:
			if d.step(duty.Node) {
				return true
			}
		}
	}
	return false
}

// goOn applies what comes next, if anything does.
func (d *drive) goOn() bool {
	d.t.Helper()
	if d.world.Next == nil {
		return false
	}
	acts := d.world.Next(d.run, d.body, d.stamp(kernel.Rule))
	for _, a := range acts {
		for _, b := range a.Bodies {
			d.bodies[digest.Of(b)] = b
		}
		d.apply(a.Command)
	}
	return len(acts) > 0
}

func (d *drive) body(v *kernel.Version) ([]byte, error) { return d.bodies[v.Digest], nil }

func (d *drive) unfold(duty kernel.UnfoldNodes) {
	d.t.Helper()
	n, _ := d.run.Node(duty.Node)
	v, _ := d.run.Version(duty.Version)
	var follow line.Followers
	if d.line.Unfold != nil {
		var err error
		if follow, err = d.line.Unfold(line.Unfolding{Run: d.run, Node: n.Node(), Version: *v, Body: d.bodies[v.Digest]}); err != nil {
			d.t.Fatalf("unfold %s: %v", duty.Node, err)
		}
	}
	d.apply(kernel.Unfold{Stamp: d.stamp(kernel.Engine), After: duty.Version, Nodes: follow.Nodes, Abandon: follow.Abandon})
}

// step performs a node, if it is in scope.
func (d *drive) step(id kernel.NodeID) bool {
	d.t.Helper()
	n, _ := d.run.Node(id)
	if d.world.Only != nil && !d.world.Only(n.Node()) {
		return false
	}
	d.apply(kernel.Begin{Stamp: d.stamp(kernel.Engine), Node: id})
	n, _ = d.run.Node(id)
	a := n.Open()
	in := line.In{Run: d.run, Node: n.Node(), Attempt: *a}
	for _, input := range a.Inputs {
		in.Inputs = append(in.Inputs, d.doc(input.Version))
	}
	if a.Subject != "" {
		subject := d.doc(a.Subject)
		in.Subject = &subject
		for _, r := range subject.Version.Reviews() {
			if slices.Contains(a.Reviews, r.ID) {
				in.Reviews = append(in.Reviews, *r)
			}
		}
	}
	d.apply(d.move(in, a))
	return true
}

// move lets a step run to its end, each move twice.
func (d *drive) move(in line.In, a *kernel.Attempt) kernel.Command {
	d.t.Helper()
	step, ok := d.line.Steps[in.Node.Step]
	if !ok {
		d.t.Fatalf("node %s: the line has no step %q", in.Node.ID, in.Node.Step)
	}
	var sources []kernel.VersionID
	then := step
	for range 100 {
		m, err := then(in)
		again, errAgain := step(in)
		if fmt.Sprint(err) != fmt.Sprint(errAgain) || cmp.Diff(m.Done, again.Done) != "" || cmp.Diff(prompts(m), prompts(again)) != "" ||
			cmp.Diff(m.Commands, again.Commands) != "" || cmp.Diff(m.Numbers, again.Numbers) != "" {
			d.t.Errorf("step %s moves otherwise when asked again", in.Node.Step)
		}
		if m.Then != nil {
			then = m.Then
		}
		if err != nil {
			e := kernel.StepError{Code: "step_failed", Message: err.Error(), Class: kernel.BadReply, Final: true}
			return kernel.Fail{Stamp: d.stamp(kernel.Engine), Attempt: a.ID, Error: e, Account: d.excuse(in, e)}
		}
		if m.Done != nil {
			return d.finish(in, a, m.Done, sources)
		}
		for _, id := range in.Lacking(m.Wants...) {
			in.Wanted = append(in.Wanted, id)
			if v := d.run.Approved(id); v != nil {
				in.Inputs = append(in.Inputs, d.doc(v.ID))
				sources = append(sources, v.ID)
			}
		}
		for _, series := range m.Numbers {
			d.numbers[series]++
			in.Numbers = append(in.Numbers, d.numbers[series])
		}
		for _, pattern := range m.Reads {
			in.Files = append(in.Files, d.find(pattern)...)
		}
		for _, c := range m.Calls {
			in.Replies = append(in.Replies, line.Reply{Content: d.world.Models(c), Provider: kernel.ProviderRehearsal})
		}
		for _, c := range m.Commands {
			ran := line.Ran{Slot: c.Slot, NotRun: "no program is run here"}
			if d.world.Runs != nil {
				ran = d.world.Runs(c)
			}
			in.Ran = append(in.Ran, ran)
		}
	}
	d.t.Fatalf("step %s asks for ever", in.Node.Step)
	return nil
}

// excuse is what the line tells of a failed attempt.
func (d *drive) excuse(in line.In, e kernel.StepError) kernel.Account {
	d.t.Helper()
	if d.line.Failure == nil {
		return kernel.Account{}
	}
	in.Numbers = nil
	for range 2 {
		m, err := d.line.Failure(in, e)
		if err != nil {
			d.t.Fatalf("failure of %s: %v", in.Node.ID, err)
		}
		if m.Done != nil {
			return m.Done.Account
		}
		for _, series := range m.Numbers {
			d.numbers[series]++
			in.Numbers = append(in.Numbers, d.numbers[series])
		}
	}
	d.t.Errorf("line %s does not say what it tells of a failure", d.line.Name)
	return kernel.Account{}
}

// find gives the files that fit a pattern, in the order of their paths, or the word that there are none.
func (d *drive) find(pattern string) []line.Found {
	var found []line.Found
	for _, p := range slices.Sorted(maps.Keys(d.world.Files)) {
		if ok, err := path.Match(pattern, p); err == nil && ok {
			found = append(found, line.Found{Pattern: pattern, Path: p, Body: []byte(d.world.Files[p])})
		}
	}
	if found == nil {
		return []line.Found{{Pattern: pattern}}
	}
	return found
}

func prompts(m line.Move) (all []string) {
	for _, c := range m.Calls {
		all = append(all, strings.Join([]string{c.Slot, c.Agent, c.System, c.Prompt, string(c.Inputs)}, "\n"))
	}
	return all
}

func (d *drive) finish(in line.In, a *kernel.Attempt, out *line.Out, sources []kernel.VersionID) kernel.Command {
	content := kernel.Content{ID: out.ID, Digest: digest.Of(out.Body), Size: int64(len(out.Body)), Schema: out.Schema, Variants: out.Variants}
	d.bodies[content.Digest] = out.Body
	for _, p := range out.Parts {
		part := kernel.Part{Path: p.Path, Digest: digest.Of(p.Body), Size: int64(len(p.Body))}
		content.Parts = append(content.Parts, part)
		d.bodies[part.Digest] = p.Body
	}
	if in.Node.Kind == kernel.Check {
		judge := kernel.Judge{Stamp: d.stamp(kernel.Engine), Attempt: a.ID, Verdict: out.Verdict, Review: out.Review, Sources: sources, Account: out.Account}
		if out.Body != nil {
			judge.Report = &content
		}
		return judge
	}
	return kernel.Deliver{Stamp: d.stamp(kernel.Engine), Attempt: a.ID, Content: content, Sources: sources, Account: out.Account, Rule: d.rule(in.Node, out.Body)}
}

func (d *drive) rule(n kernel.Node, body []byte) *kernel.RuleResult {
	d.t.Helper()
	if n.Gate.Rule == "" {
		return nil
	}
	first, err := d.line.Rule(n, body)
	if err != nil {
		d.t.Fatalf("rule %s: %v", n.Gate.Rule, err)
	}
	again, _ := d.line.Rule(n, body)
	if diff := cmp.Diff(first, again); diff != "" {
		d.t.Errorf("rule %s finds otherwise when asked again: %s", n.Gate.Rule, diff)
	}
	return &first
}

func (d *drive) doc(id kernel.VersionID) line.Doc {
	v, _ := d.run.Version(id)
	doc := line.Doc{Version: *v, Body: d.bodies[v.Digest]}
	for _, p := range v.Parts {
		doc.Parts = append(doc.Parts, line.Part{Path: p.Path, Body: d.bodies[p.Digest]})
	}
	return doc
}

// answer lets the person answer the first ask they want to.
func (d *drive) answer(person Person) bool {
	d.t.Helper()
	for a := range d.run.OpenAsks() {
		answer := d.supplied(a)
		if answer == nil && person != nil {
			answer = person(d.run, a)
		}
		if answer == nil {
			continue
		}
		answer.Stamp, answer.Ask = d.stamp(kernel.Person), a.ID
		d.apply(*answer)
		return true
	}
	return false
}

// supplied is an answer that the line turns into content.
func (d *drive) supplied(a *kernel.Ask) *kernel.Answer {
	d.t.Helper()
	if d.world.Given == nil {
		return nil
	}
	g := d.world.Given(d.run, a)
	if g == nil {
		return nil
	}
	g.Run, g.Ask, g.By = d.run, a, kernel.Actor{Kind: kernel.Person, Name: "test"}
	g.Body = func(v *kernel.Version) ([]byte, error) { return d.bodies[v.Digest], nil }
	out, err := d.line.Supply(*g)
	if err != nil {
		d.t.Fatalf("the answer to %s is refused: %v", a.Node, err)
	}
	content := kernel.Content{ID: out.ID, Digest: digest.Of(out.Body), Size: int64(len(out.Body)), Schema: out.Schema}
	d.bodies[content.Digest] = out.Body
	for _, p := range out.Parts {
		content.Parts = append(content.Parts, kernel.Part{Path: p.Path, Digest: digest.Of(p.Body), Size: int64(len(p.Body))})
		d.bodies[digest.Of(p.Body)] = p.Body
	}
	n, _ := d.run.Node(a.Node)
	return &kernel.Answer{Choice: g.Choice, Text: g.Reason, Content: &content, Rule: d.rule(n.Node(), out.Body)}
}
