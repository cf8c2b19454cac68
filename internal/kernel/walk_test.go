package kernel

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sluice/internal/fault"
)

// chooser is where a walk takes its chances from: a seeded source, or rapid, which can shrink them.
type chooser interface{ below(n int) int }

type seeded struct{ *rand.Rand }

func (s seeded) below(n int) int { return s.IntN(n) }

type shrinking struct{ t *rapid.T }

func (s shrinking) below(n int) int { return rapid.IntRange(0, n-1).Draw(s.t, "n") }

func oneOf[T any](c chooser, all ...T) T { return all[c.below(len(all))] }

// reporter is what a test and a rapid check have in common.
type reporter interface {
	Helper()
	Fatalf(format string, args ...any)
}

// walker makes random commands on a random graph and checks the law after each.
type walker struct {
	t       reporter
	c       chooser
	r       *Run
	batches [][]Event
	clock   time.Time
	said    int // contents made
	closed  map[AttemptID]int
	refused map[fault.Code]int
	last    Command
}

func newWalker(t reporter, c chooser) *walker {
	w := &walker{t: t, c: c, r: NewRun(), clock: epoch, closed: map[AttemptID]int{}, refused: map[fault.Code]int{}}
	nodes := w.graph("n", 2+c.below(8), nil)
	if w.r.fit(nodes) != nil { // a child may need what needs its group
		for i := range nodes {
			nodes[i].Parent = ""
		}
	}
	w.do(Open{Stamp: w.stamp(ada), Run: "r", Line: "walk", Nodes: nodes})
	if w.r.id == "" {
		nodes = w.graph("n", 1, nil)
		w.do(Open{Stamp: w.stamp(ada), Run: "r", Line: "walk", Nodes: nodes})
	}
	return w
}

func (w *walker) stamp(by Actor) Stamp {
	w.clock = w.clock.Add(time.Second)
	return Stamp{By: by, At: w.clock}
}

// graph draws nodes that need only earlier ones, so that it has no cycle.
func (w *walker) graph(prefix string, size int, existing []NodeID) []Node {
	c := w.c
	known := slices.Clone(existing)
	var nodes []Node
	var makes, groups []NodeID
	for _, n := range w.r.order {
		if n.Kind == Make {
			makes = append(makes, n.ID)
		}
	}
	for i := range size {
		n := Node{ID: NodeID(fmt.Sprintf("%s%d", prefix, i)), Kind: oneOf(c, Make, Make, Make, Check, Check, Group)}
		if n.Kind == Check && len(makes) == 0 {
			n.Kind = Make
		}
		if len(groups) > 0 && c.below(2) == 0 {
			n.Parent = oneOf(c, groups...)
		}
		if n.Kind == Group {
			n.Any = c.below(3) == 0
			groups = append(groups, n.ID)
		} else {
			w.perform(&n)
		}
		if n.Kind == Check {
			n.Target, n.Advisory = oneOf(c, makes...), c.below(4) == 0
			if c.below(4) == 0 {
				n.OnFail = RejectIt
			}
		}
		for range c.below(3) {
			if len(known) > 0 && n.Kind != Group {
				need := Need{Node: oneOf(c, known...), Settled: c.below(4) == 0}
				if need.Node != n.Target && !slices.ContainsFunc(n.Needs, func(o Need) bool { return o.Node == need.Node }) {
					n.Needs = append(n.Needs, need)
				}
			}
		}
		if n.Kind == Make {
			w.shape(&n)
			makes = append(makes, n.ID)
		}
		known = append(known, n.ID)
		nodes = append(nodes, n)
	}
	return nodes
}

func (w *walker) perform(n *Node) {
	c := w.c
	n.Performer = oneOf(c, Engine, Engine, Engine, Person)
	n.Attempts = c.below(4)
	n.OnReject = oneOf(c, "", Rework, AskPerson, FailNode)
	n.OnExhausted = oneOf(c, "", AskPerson, FailNode)
	n.OnFail = oneOf(c, "", FailNode, AskPerson)
	n.Priority = c.below(2)
	if c.below(6) == 0 {
		n.Alternative = oneOf(c, "x", "y")
	}
	if c.below(4) == 0 {
		n.Ask = &AskSpec{Kind: oneOf(c, AskApprove, AskDecide, AskAnswer)}
		n.Ask.Options = []Option{{Value: "go", Effect: Approve}, {Value: "hold", Effect: Hold}, {Value: "drop", Effect: Drop},
			{Value: "again", Effect: Rework}, {Value: "no", Effect: FailNode}, {Value: "away", Effect: AbandonIt}}
		if n.Kind == Make {
			n.Ask.Options = append(n.Ask.Options, Option{Value: "give", Effect: SupplyIt})
		}
	}
}

func (w *walker) shape(n *Node) {
	c := w.c
	n.Gate = Gate{Checks: c.below(2) == 0, Person: c.below(3) == 0, Late: c.below(2) == 0}
	if c.below(4) == 0 {
		n.Gate.Rule, n.Gate.Revision = "lint", 1
	}
	n.Refresh, n.Unfolds = c.below(4) == 0, c.below(4) == 0
	if n.Gate.Person && c.below(4) == 0 {
		n.Ask = &AskSpec{Kind: AskChoose}
	}
}

// do applies a command and checks everything that must hold after it.
func (w *walker) do(c Command) {
	w.t.Helper()
	w.last = c
	before := w.image(w.r)
	twin, err := FromImage(before)
	if err != nil {
		w.t.Fatalf("image of the run: %v", err)
	}
	if _, err := Decide(w.r, c); err == nil && string(w.image(w.r)) != string(before) {
		w.t.Fatalf("deciding %T changed the run", c)
	}
	events, err := Apply(w.r, c)
	if err != nil {
		w.refuse(before, err)
		return
	}
	same, err := Apply(twin, c)
	if err != nil || words(same) != words(events) {
		w.t.Fatalf("%T gives %s, and %s (%v) on a run from its image", c, words(events), words(same), err)
	}
	if len(events) > 0 {
		w.batches = append(w.batches, events)
	}
	after := w.image(w.r)
	if got := w.image(twin); string(got) != string(after) {
		w.t.Fatalf("%T %+v: a run from its image goes another way", c, c)
	}
	if got, want := slices.Collect(Pending(twin)), slices.Collect(Pending(w.r)); !slices.Equal(got, want) {
		w.t.Fatalf("a run from its image has duties %v, not %v", got, want)
	}
	w.count(events)
	for _, v := range Audit(w.r) {
		w.t.Fatalf("after %T %+v\n%s: %v", c, c, words(events), v)
	}
}

func (w *walker) refuse(before []byte, err error) {
	w.t.Helper()
	code := fault.CodeOf(err)
	w.refused[code]++
	if problem := wayOut(w.r, err); problem != "" {
		w.t.Fatalf("%T %+v refused: %v: %s", w.last, w.last, err, problem)
	}
	if string(w.image(w.r)) != string(before) {
		w.t.Fatalf("%T was refused and changed the run", w.last)
	}
}

// count checks that each attempt is closed once, and by one snapshot.
func (w *walker) count(events []Event) {
	w.t.Helper()
	for _, e := range events {
		if f, ok := e.Fact.(AttemptClosed); ok {
			w.closed[f.Attempt]++
			if w.closed[f.Attempt] != 1 {
				w.t.Fatalf("attempt %s is closed %d times", f.Attempt, w.closed[f.Attempt])
			}
		}
	}
}

func (w *walker) image(r *Run) []byte {
	w.t.Helper()
	raw, err := r.Image()
	if err != nil {
		w.t.Fatalf("image: %v", err)
	}
	return raw
}

// finish checks the journal as a whole.
func (w *walker) finish() {
	w.t.Helper()
	open := 0
	for _, a := range w.r.attempts {
		if a.Outcome == "" {
			open++
		} else if w.closed[a.ID] != 1 {
			w.t.Fatalf("attempt %s is closed and has %d snapshots", a.ID, w.closed[a.ID])
		}
	}
	if open != w.r.working.len()+w.r.outside.len() {
		w.t.Fatalf("%d attempts are open and %d are worked on", open, w.r.working.len()+w.r.outside.len())
	}
	r := NewRun()
	var all []Event
	for _, b := range w.batches {
		raw, err := Encode(b)
		if err != nil {
			w.t.Fatalf("encode: %v", err)
		}
		events, err := Decode(raw)
		if err != nil {
			w.t.Fatalf("decode: %v", err)
		}
		Fold(r, events)
		all = append(all, events...)
	}
	if string(w.image(r)) != string(w.image(w.r)) {
		w.t.Fatalf("the journal folds to another run than the one that wrote it")
	}
	for _, v := range VerifyJournal(all) {
		w.t.Fatalf("verify: %v", v)
	}
	w.damage(all)
}

// damage folds what a broken store might give: every prefix, and events dropped, doubled and out of order.
func (w *walker) damage(all []Event) {
	w.t.Helper()
	prefix := NewRun()
	for i, e := range all {
		Evolve(prefix, e)
		w.structure(prefix, fmt.Sprintf("prefix %d", i+1))
	}
	for range 3 {
		var broken []Event
		for _, e := range all {
			switch w.c.below(8) {
			case 0:
			case 1:
				broken = append(broken, e, e)
			default:
				broken = append(broken, e)
			}
		}
		for range len(broken) / 4 {
			i, j := w.c.below(len(broken)), w.c.below(len(broken))
			broken[i], broken[j] = broken[j], broken[i]
		}
		r := NewRun()
		Fold(r, broken)
		w.structure(r, "a damaged journal")
		VerifyJournal(broken)
		for range Pending(r) {
		}
		r.Status()
		for i := 0; i < 20 && len(r.order) > 0; i++ { // the law may refuse or not, but it must not panic
			walk := &walker{t: w.t, c: w.c, r: r, clock: w.clock}
			_, _ = Apply(r, walk.command())
		}
	}
}

func (w *walker) structure(r *Run, what string) {
	w.t.Helper()
	a := audit{r: r}
	a.indexes()
	for _, v := range a.found {
		w.t.Fatalf("%s: %v", what, v)
	}
}

func (w *walker) text() Content {
	w.said++
	c := content(fmt.Sprintf("text %d", w.said-w.c.below(2)))
	if w.c.below(4) == 0 {
		c.Variants = []string{"A", "B"}
	}
	return c
}

func (w *walker) account() Account {
	a := Account{Usage: Usage{Calls: 1}, Provider: oneOf(w.c, "", "", ProviderReal, ProviderRehearsal)}
	if w.c.below(10) == 0 {
		a.Evidence = []Evidence{{ID: "E-1", Type: "doc", Ref: "x"}}
		a.Body = json.RawMessage(`{"x":1}`)
	}
	return a
}

var (
	walkCount = flag.Int("walks", 100, "how many random walks to make")
	walkFirst = flag.Int("first-walk", 0, "the seed of the first of them")
)

func TestWalks(t *testing.T) {
	walks, length := *walkCount, 80
	if testing.Short() {
		walks /= 5
	}
	seen := map[string]int{}
	refused := map[fault.Code]int{}
	for i := range walks {
		seed := uint64(*walkFirst + i)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newWalker(t, seeded{rand.New(rand.NewPCG(seed, 1))})
			for range length {
				w.do(w.command())
			}
			w.finish()
			for _, b := range w.batches {
				for _, e := range b {
					seen[e.Fact.word()]++
				}
			}
			for code, n := range w.refused {
				refused[code] += n
			}
		})
	}
	if testing.Short() || t.Failed() {
		return
	}
	for _, word := range everyWord() {
		if seen[word] == 0 {
			t.Errorf("no walk came to %s", word)
		}
	}
	t.Logf("words %v, refusals %v", seen, refused)
}

func TestWalksThatShrink(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWalker(t, shrinking{t})
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			w.do(w.command())
		}
		w.finish()
	})
}

// everyWord lists the words of the journal.
func everyWord() []string {
	var all []string
	for _, f := range []Fact{RunOpened{}, NodesAdded{}, NodeAbandoned{}, NodeReopened{}, NodeHeld{}, RedoRequested{},
		AttemptBegan{}, AttemptClosed{}, VersionStored{}, OfferTaken{}, ReviewRecorded{}, VersionApproved{}, VersionRejected{},
		AskOpened{}, AskClosed{}, RolledBack{}, RollbackUndone{}, RunClosed{}, RunReopened{}, RunRelabelled{},
		EvidenceRecorded{}} {
		all = append(all, f.word())
	}
	return all
}
