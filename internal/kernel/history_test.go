package kernel

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sluice/internal/digest"
	"sluice/internal/fault"
)

// A history is a run told line by line. The first lines record nodes, up to an empty line; each other line is a command
// and, after =>, what holds when it is done:
//
//	make draft gate=checks attempts=2
//	check logic of draft
//
//	begin draft                 => draft=running
//	deliver draft one           => draft=checking logic=ready
//	begin logic
//	verdict logic against short => draft=rework draft.used=1
//	answer draft approve        => !unknown_ask
//
// An expectation is node=status, run=status, node.field=value, or !code for a refusal. Words with spaces are written
// with underscores. The engine begins, delivers, fails and gives a check's verdict; the rest is ada's, unless the line
// starts with "client:" or "engine:".
type history struct {
	t       *testing.T
	run     *Run
	batches [][]Event
	clock   time.Time
	line    string
}

var (
	ada    = Actor{Kind: Person, Name: "ada", Via: "cli"}
	robot  = Actor{Kind: Engine, Name: "engine"}
	agent  = Actor{Kind: Client, Name: "agent", Via: "mcp agent"}
	epoch  = time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	ruleOf = map[bool]*RuleResult{
		true:  {Rule: "lint", Revision: 1, Pass: true},
		false: {Rule: "lint", Revision: 1, Findings: []Finding{{Code: "lint", Message: "not clean"}}},
	}
)

// tell plays a whole history and checks the law after every command.
func tell(t *testing.T, script string) *history {
	t.Helper()
	h := &history{t: t, run: NewRun(), clock: epoch}
	var nodes []Node
	opened := false
	for line := range strings.Lines(script + "\n\n") {
		line = strings.TrimSpace(line)
		h.line = line
		switch {
		case strings.HasPrefix(line, "//"):
		case !opened && line != "":
			nodes = append(nodes, parseNode(t, line))
		case !opened && len(nodes) > 0:
			opened = true
			h.apply(Open{Stamp: h.stamp(ada), Run: "r", Line: "test", Title: "a run", Nodes: nodes,
				Definition: digest.Of([]byte("def")), Labels: map[string]string{"k": "v"}, Settings: json.RawMessage(`{"a":1}`)})
		case line != "":
			h.play(line)
		}
	}
	h.line = "the end"
	h.checkFolds()
	return h
}

func (h *history) failf(format string, args ...any) {
	h.t.Helper()
	h.t.Fatalf("%s\n\tat: %s", fmt.Sprintf(format, args...), h.line)
}

func (h *history) stamp(by Actor) Stamp {
	h.clock = h.clock.Add(time.Second)
	return Stamp{By: by, At: h.clock}
}

func (h *history) apply(c Command) error {
	h.t.Helper()
	events, err := Apply(h.run, c)
	if err != nil {
		if problem := wayOut(h.run, err); problem != "" {
			h.failf("refusal %v: %s", err, problem)
		}
		return err
	}
	if len(events) > 0 {
		h.batches = append(h.batches, events)
	}
	for _, v := range Audit(h.run) {
		h.failf("%v", v)
	}
	return nil
}

func (h *history) events() []Event { return slices.Concat(h.batches...) }

func (h *history) checkFolds() {
	h.t.Helper()
	want := mustImage(h.t, h.run)
	if got := mustImage(h.t, refold(h.t, h.batches)); string(got) != string(want) {
		h.failf("the journal folds to another run than the one that wrote it")
	}
	for _, v := range VerifyJournal(h.events()) {
		h.failf("verify: %v", v)
	}
}

func mustImage(t testing.TB, r *Run) []byte {
	t.Helper()
	raw, err := r.Image()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// refold writes batches out, reads them in again and folds them.
func refold(t testing.TB, batches [][]Event) *Run {
	t.Helper()
	r := NewRun()
	for _, b := range batches {
		raw, err := Encode(b)
		if err != nil {
			t.Fatal(err)
		}
		events, err := Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		Fold(r, events)
	}
	return r
}

func parseNode(t *testing.T, line string) Node {
	t.Helper()
	words := strings.Fields(line)
	n := Node{Kind: Kind(words[0]), ID: NodeID(words[1])}
	if n.Kind != Group {
		n.Performer, n.Attempts, n.Step = Engine, 3, string(n.ID)
	}
	for i := 2; i < len(words); i++ {
		key, value, _ := strings.Cut(words[i], "=")
		if key == "of" {
			i++
			n.Target = NodeID(words[i])
			continue
		}
		if err := setAttribute(&n, key, value); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	return n
}

func setAttribute(n *Node, key, value string) (err error) {
	list := strings.Split(value, ",")
	switch key {
	case "needs":
		for _, id := range list {
			name, settled := strings.CutSuffix(id, "~")
			n.Needs = append(n.Needs, Need{Node: NodeID(name), Settled: settled})
		}
	case "gate":
		for _, part := range list {
			switch part {
			case "checks":
				n.Gate.Checks = true
			case "person":
				n.Gate.Person = true
			case "late":
				n.Gate.Late = true
			case "rule":
				n.Gate.Rule, n.Gate.Revision = "lint", 1
			}
		}
	case "ask":
		n.Ask = &AskSpec{Kind: AskKind(value), Title: "what_now"}
	case "options":
		for _, o := range list {
			v, e, _ := strings.Cut(o, ":")
			n.Ask.Options = append(n.Ask.Options, Option{Value: v, Effect: Effect(e)})
		}
	case "questions":
		for _, q := range list {
			n.Ask.Questions = append(n.Ask.Questions, Question{ID: q, Text: q + "?"})
		}
	case "attempts":
		n.Attempts, err = strconv.Atoi(value)
	case "priority":
		n.Priority, err = strconv.Atoi(value)
	case "performer":
		n.Performer = ActorKind(value)
	case "on_reject":
		n.OnReject = Effect(value)
	case "on_exhausted":
		n.OnExhausted = Effect(value)
	case "on_fail":
		n.OnFail = Effect(value)
	case "parent":
		n.Parent = NodeID(value)
	case "alt":
		n.Alternative = value
	case "any":
		n.Any = true
	case "refresh":
		n.Refresh = true
	case "unfolds":
		n.Unfolds = true
	case "advisory":
		n.Advisory = true
	default:
		return fmt.Errorf("no attribute %q", key)
	}
	return err
}

// play does one line.
func (h *history) play(line string) {
	h.t.Helper()
	wish, expected, _ := strings.Cut(line, "=>")
	err := h.apply(h.command(strings.Fields(wish)))
	wants := strings.Fields(expected)
	if err != nil {
		if want := "!" + string(fault.CodeOf(err)); !slices.Contains(wants, want) {
			h.failf("refused with %s: %v", want, err)
		}
	}
	for _, want := range wants {
		h.expect(want, err)
	}
}

func (h *history) expect(want string, err error) {
	h.t.Helper()
	if code, ok := strings.CutPrefix(want, "!"); ok {
		if got := string(fault.CodeOf(err)); got != code {
			h.failf("refusal is %q, want %q", got, code)
		}
		return
	}
	what, value, ok := strings.Cut(want, "=")
	if !ok {
		h.failf("no such expectation: %s", want)
	}
	if got := h.seen(what); got != value {
		h.failf("%s is %q, want %q", what, got, value)
	}
}

// seen gives what an expectation is about.
func (h *history) seen(what string) string {
	h.t.Helper()
	if what == "run" {
		return string(h.run.Status())
	}
	if what == "labels" {
		return strings.Join(slices.Sorted(maps.Keys(h.run.Labels())), ",")
	}
	if what == "events" {
		return words(h.batches[len(h.batches)-1])
	}
	id, field, _ := strings.Cut(what, ".")
	n := h.run.nodes[NodeID(id)]
	if n == nil {
		h.failf("no node %s", id)
	}
	switch field {
	case "":
		return string(n.status)
	case "newest":
		return string(nameOf(n.newest))
	case "approved":
		return string(nameOf(n.approved))
	case "used":
		return strconv.Itoa(n.used)
	case "take":
		return strconv.Itoa(n.take)
	case "stale":
		return strconv.Itoa(n.staleBy)
	case "asks":
		var reasons []string
		for _, a := range n.asks {
			reasons = append(reasons, string(a.Reason))
		}
		return strings.Join(reasons, ",")
	case "options":
		var values []string
		for _, o := range n.asks[0].Options {
			values = append(values, o.Value)
		}
		return strings.Join(values, ",")
	case "subject":
		return string(n.open.Subject)
	case "carries":
		return fmt.Sprint(len(n.open.Reviews))
	case "notes":
		return strings.Join(n.open.Notes, ",")
	case "inputs":
		var in []string
		for _, i := range n.open.Inputs {
			in = append(in, string(i.Version))
		}
		return strings.Join(in, ",")
	case "by":
		return string(n.newest.By.Kind)
	case "parents":
		return fmt.Sprint(len(n.newest.Parents))
	case "reviews":
		return fmt.Sprint(len(n.newest.reviews))
	}
	h.failf("no field %s", field)
	return ""
}

func words(events []Event) string {
	var all []string
	for _, e := range events {
		all = append(all, e.Fact.word())
	}
	return strings.Join(all, ",")
}
