package kernel

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/fault"
)

var update = flag.Bool("update", false, "rewrite golden files")

// state is a way to bring node x, or the run, into a status.
type state struct {
	name   string // kind and status, and how it got there where there are several ways
	script string
}

var nodeStates = []state{
	{"make waiting", "make w\nmake x needs=w\n"},
	{"make blocked", "make w\nmake x needs=w\n\nabandon w"},
	{"make ready", "make x\n"},
	{"make rework (rejected)", "make x gate=rule\n\nbegin x\ndeliver x one rule=fail"},
	{"make rework (thrown away)", "make x\n\nbegin x\ndeliver x one\nrevise x"},
	{"make running", "make x\n\nbegin x"},
	{"make running (elsewhere)", "make x\n\nclient: begin x"},
	{"make checking", "make x gate=checks\ncheck k of x\n\nbegin x\ndeliver x one"},
	{"make asking (gate)", "make x gate=person\n\nbegin x\ndeliver x one"},
	{"make asking (choose)", "make x gate=person ask=choose\n\nbegin x\ndeliver x one variants=A,B"},
	{"make asking (performer)", "make x performer=person\n"},
	{"make asking (used up)", "make x gate=rule attempts=1\n\nbegin x\ndeliver x one rule=fail"},
	{"make asking (offer)", "make x gate=person\n\nbegin x\nsubmit x mine\ndeliver x one"},
	{"make done", "make x\nmake y needs=x\n\nbegin x\ndeliver x one"},
	{"make done (late verdicts)", "make x gate=late\n\nbegin x\ndeliver x one\nsubmit x two"},
	{"make failed", "make x\n\nbegin x\nfail x permanent"},
	{"make held", "make x gate=person ask=decide options=go:approve,hold:hold\n\nbegin x\ndeliver x one\nanswer x hold"},
	{"make abandoned", "make x\n\nabandon x"},
	{"make abandoned (alternative)", "make x alt=a\nmake y alt=a\n\nbegin y\ndeliver y one"},
	{"check waiting", "make t gate=checks\ncheck x of t\n"},
	{"check blocked", "make t gate=checks\nmake w\ncheck x of t needs=w\n\nbegin t\ndeliver t one\nabandon w"},
	{"check ready", "make t gate=checks\ncheck x of t\n\nbegin t\ndeliver t one"},
	{"check rework", "make t gate=checks\ncheck x of t\n\nbegin t\ndeliver t one\nbegin x\nverdict x for\nrevise x"},
	{"check running", "make t gate=checks\ncheck x of t\n\nbegin t\ndeliver t one\nbegin x"},
	{"check running (rejects when it fails)", "make t gate=checks\ncheck x of t on_fail=reject\n\nbegin t\ndeliver t one\nbegin x"},
	{"check asking (performer)", "make t gate=checks\ncheck x of t performer=person\n\nbegin t\ndeliver t one"},
	{"check asking (used up)", "make t gate=checks\ncheck x of t on_fail=ask\n\nbegin t\ndeliver t one\nbegin x\nfail x permanent"},
	{"check done", "make t gate=checks\ncheck x of t\n\nbegin t\ndeliver t one\nbegin x\nverdict x for"},
	{"check failed", "make t gate=checks\ncheck x of t\n\nbegin t\ndeliver t one\nbegin x\nfail x permanent"},
	{"check held", "make t gate=checks\ncheck x of t performer=person ask=decide options=go:approve,hold:hold,drop:drop\n\nbegin t\ndeliver t one\nanswer x hold"},
	{"check abandoned", "make t gate=checks\ncheck x of t\n\nabandon x"},
	{"check abandoned (with its target)", "make t gate=checks\ncheck x of t\n\nabandon t"},
	{"group waiting", "group x\nmake a parent=x\n"},
	{"group waiting (empty)", "group x\nmake a\n"},
	{"group done", "group x\nmake a parent=x\n\nbegin a\ndeliver a one"},
	{"group failed", "group x\nmake a parent=x\n\nbegin a\nfail a permanent"},
	{"group abandoned", "group x\nmake a parent=x\n\nabandon x"},
	{"group abandoned (all its children)", "group x\nmake a parent=x\n\nabandon a"},
}

var runStates = []state{
	{"run active", "make x\n"},
	{"run parked", "make x gate=person\n\nbegin x\ndeliver x one"},
	{"run failed", "make x\n\nbegin x\nfail x permanent"},
	{"run held", "make x gate=person ask=decide options=go:approve,hold:hold\n\nbegin x\ndeliver x one\nanswer x hold"},
	{"run done", "make x\n\nbegin x\ndeliver x one"},
	{"run cancelled", "make x gate=person\n\nbegin x\ndeliver x one\ncancel"},
	{"run dropped", "make x gate=person ask=decide options=go:approve,drop:drop\n\nbegin x\ndeliver x one\nanswer x drop"},
}

var everyCommand = []string{
	"begin x", "client: begin x", "client: begin x takeover", "deliver x more rule=pass", "verdict x for", "verdict x against",
	"fail x retryable", "fail x bad_reply", "release x", "submit x more rule=pass", "submit x one rule=pass",
	"judge x for", "judge x against", "judge x against version=x@1", "engine: judge x for",
	"answer x *", "revise x", "rollback x", "engine: rollback x", "undo", "reopen x", "resume", "resume x", "abandon x", "cancel",
	"unfold x@1 make:f:needs~x", "unfold after= make:f:needs~x", "record E-1",
	"relabel session=s",
}

// TestLaw prints every status with every command, so that a change of the law is a change of testdata/law.golden.
func TestLaw(t *testing.T) {
	var out strings.Builder
	seen := map[string]bool{}
	for _, s := range slices.Concat(nodeStates, runStates) {
		h := tell(t, s.script)
		subject := strings.Fields(s.name)[0]
		what := "x"
		if subject == "run" {
			what = "run"
		}
		status := h.seen(what)
		if want := strings.Fields(s.name)[1]; status != want {
			t.Fatalf("state %q has status %s", s.name, status)
		}
		seen[subject+" "+status] = true
		fmt.Fprintf(&out, "# %s\n", s.name)
		for _, line := range everyCommand {
			for _, each := range h.spelledOut(line) {
				fmt.Fprintf(&out, "%-34s %s\n", each, outcome(t, s.script, each, what))
			}
		}
		out.WriteByte('\n')
	}
	for _, s := range Statuses() {
		if !seen["make "+string(s)] {
			t.Errorf("no state shows a make that is %s", s)
		}
	}
	const path = "testdata/law.golden"
	if *update {
		mustWrite(t, path, []byte(out.String()))
	}
	if diff := cmp.Diff(strings.Split(string(mustRead(t, path)), "\n"), strings.Split(out.String(), "\n")); diff != "" {
		t.Errorf("the law changed; if that is meant, run with -update (-golden +now):\n%s", diff)
	}
}

// spelledOut replaces the star of an answer by each option that is open.
func (h *history) spelledOut(line string) []string {
	before, star := strings.CutSuffix(line, "*")
	if !star {
		return []string{line}
	}
	lines := []string{}
	for _, a := range h.run.nodes["x"].asks {
		for _, o := range a.Options {
			each := "answer x/" + string(a.Reason) + " " + o.Value
			if o.Effect == SupplyIt {
				each += " content=more"
			}
			lines = append(lines, each)
		}
	}
	if len(lines) == 0 {
		return []string{before + "approve"}
	}
	return lines
}

// outcome plays the script afresh and then the line.
func outcome(t *testing.T, script, line, what string) string {
	t.Helper()
	h := tell(t, script)
	h.line = line
	before := len(h.batches)
	if err := h.apply(h.command(strings.Split(line, " "))); err != nil {
		f := fault.From(err)
		var ways []string
		for _, a := range f.Next {
			ways = append(ways, a.Action)
		}
		return fmt.Sprintf("! %s: %s → %s", f.Code, f.Error(), strings.Join(ways, ", "))
	}
	if len(h.batches) == before {
		return fmt.Sprintf("  nothing: %s", h.seen(what))
	}
	return fmt.Sprintf("  %s: %s", h.seen(what), strings.ReplaceAll(words(h.batches[before]), ",", " "))
}
