package e2e

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"sluice/internal/app"
)

// manyNodes is a run of model steps that can all begin at once.
func manyNodes(count int) string {
	var nodes []string
	for i := range count {
		nodes = append(nodes, fmt.Sprintf(`{"id":"n%d","kind":"make","step":"write","performer":"engine","attempts":2,"params":{"path":"%d.md","task":"write about rivers","words":60}}`, i, i))
	}
	return `{"title":"many","nodes":[` + strings.Join(nodes, ",") + `]}`
}

func (s *shell) asks() []app.AskDoc {
	s.t.Helper()
	out, _ := s.mustRun(0, "--json", "inbox")
	var d app.InboxDoc
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		s.t.Fatal(err)
	}
	return d.Asks
}

// TestAWideRunAsksForMoneyOnce lets sixty steps wait for one limit: those that were under way ask, no other begins, and one
// answer is for all.
func TestAWideRunAsksForMoneyOnce(t *testing.T) {
	s := newShell(t, "SLUICE_BUDGET_RUN_TOKENS=2500")
	s.write("many.json", manyNodes(60))
	s.mustRun(4, "sample", "new", "many.json", "--id", "wide")
	asks := s.asks()
	if len(asks) == 0 || len(asks) > 4 {
		t.Fatalf("%d steps ask for money; of four workers at most four can", len(asks))
	}
	s.mustRun(4, "run", "wide")
	if again := s.asks(); len(again) != len(asks) {
		t.Errorf("%d steps ask after another try, want the %d of before", len(again), len(asks))
	}
	out, _ := s.mustRun(0, "run", "wide", "--dry-run")
	if !strings.Contains(out, fmt.Sprintf("dry run: %d calls", 60-len(s.done("wide"))-len(asks))) {
		t.Errorf("a dry run shows not every call that could be made:\n%s", out)
	}
	s.mustRun(0, "answer", asks[0].Ask, "stop")
	if left := s.asks(); len(left) != 0 {
		t.Errorf("%d steps still ask after stop", len(left))
	}
	s.mustRun(0, "budget", "raise", "wide", "--tokens", "100000")
	s.mustRun(0, "run", "wide")
	if done := s.done("wide"); len(done) != 60 {
		t.Errorf("%d of 60 steps are done", len(done))
	}
}

func (s *shell) done(run string) (nodes []string) {
	s.t.Helper()
	out, _ := s.mustRun(0, "--json", "status", run)
	var d app.RunDoc
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		s.t.Fatal(err)
	}
	for _, n := range d.Nodes {
		if n.Status == "done" {
			nodes = append(nodes, n.Node)
		}
	}
	return nodes
}

// TestWhatWasStoppedCanGoOn stops a step of each line for money. What its verb then says leads on, and so does a new limit.
func TestWhatWasStoppedCanGoOn(t *testing.T) {
	for _, c := range []struct {
		name, run string
		begin, on []string
	}{
		{"scene", "", []string{"scene", "plan", "--level", "scene", "--act", "1", "--chapter", "2", "--scene", "4"}, []string{"scene", "run"}},
		{"spec", "F-", []string{"spec", "new", "Find a book by any word of its title"}, []string{"spec", "run"}},
		{"task", "", []string{"task", "new", "Prepare a reading evening"}, []string{"task", "run"}},
		{"novel", "novel-lamp", nil, []string{"novel", "run", "lamp"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newShell(t, "SLUICE_BUDGET_RUN_TOKENS=700")
			if c.begin == nil {
				s.mustRun(0, "novel", "new", "lamp", "--premise", "A keeper of a lighthouse", "--chapters", "1")
				c.begin = c.on
			}
			s.mustRun(4, c.begin...)
			ask := s.asks()[0]
			s.mustRun(0, "answer", ask.Ask, "stop")
			on := c.on
			if len(on) == 2 {
				on = append(on, ask.Run)
			}
			_, errs := s.mustRun(4, on...)
			if want := "sluice reopen " + ask.Run + " " + ask.Node; !strings.Contains(errs, want) {
				t.Errorf("nothing says %q:\n%s", want, errs)
			}
			out, _ := s.mustRun(0, "budget", "raise", ask.Run, "--tokens", "500000")
			if !strings.Contains(out, "run "+ask.Run+" can go on") {
				t.Errorf("a new limit does not open it again:\n%s", out)
			}
			if code, _, errs := s.run("", on...); code != 0 && code != 4 || strings.Contains(errs, "budget_used_up") {
				t.Errorf("it ended with %d:\n%s", code, errs)
			}
		})
	}
}

// TestLimitsThatAreSetAreLimits gives limits that round to none, are empty, or are of the other kind.
func TestLimitsThatAreSetAreLimits(t *testing.T) {
	s := newShell(t, "SLUICE_MODEL_PRICES={rehearsal: {input: 3, output: 15}}")
	s.write("chain.json", longChain())
	_, errs := s.mustRun(2, "sample", "new", "chain.json", "--id", "empty", "--budget-tokens", "")
	if !strings.Contains(errs, "a number is needed") {
		t.Errorf("an empty limit is told of so:\n%s", errs)
	}
	out, _ := s.mustRun(0, "sample", "new", "chain.json", "--id", "dry", "--budget-tokens", "10", "--dry-run")
	if want := "the budget does not allow 1 of them: run dry has spent 0 of 10 tokens"; !strings.Contains(out, want) {
		t.Errorf("a dry run does not say %q:\n%s", want, out)
	}
	s.mustRun(4, "sample", "new", "chain.json", "--id", "tiny", "--budget-cost", "1e-12")
	s.mustRun(4, "sample", "new", "chain.json", "--id", "both", "--budget-tokens", "10")
	s.mustRun(0, "budget", "raise", "both", "--cost", "0.0001")
	s.mustRun(4, "run", "both", "--budget-tokens", "1000000") // the limit in money is still the one set by hand
	s.mustRun(0, "run", "both", "--budget-tokens", "1000000", "--budget-cost", "1e300")
}

// TestAStrangersStoreRaisesNoLimit gives a run and its day rows that a person could have made and did not: limits taken away,
// and less than nothing spent. The user's own limits count; what the user sets by hand counts too, also for a second process.
func TestAStrangersStoreRaisesNoLimit(t *testing.T) {
	for name, rows := range map[string]string{
		"raised":      `UPDATE budget SET max_tokens = 0, max_cost = 0, seal = 'x'`,
		"below zero":  `UPDATE budget SET tokens = -1000000000000, cost = -1000000000000, max_tokens = 1000000000000`,
		"beyond all":  `UPDATE budget SET tokens = 9223372036854775807, cost = 9223372036854775807`,
		"other scope": `UPDATE budget SET max_tokens = 0, seal = (SELECT seal FROM budget WHERE scope = 'run/mine')`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShell(t, "SLUICE_BUDGET_RUN_TOKENS=800")
			s.write("chain.json", longChain())
			s.mustRun(0, "sample", "new", "chain.json", "--id", "mine", "--budget-tokens", "0")
			s.mustRun(0, "budget", "raise", "mine", "--tokens", "0")
			s.mustRun(4, "sample", "new", "chain.json", "--id", "theirs")
			s.rewrite(rows + ` WHERE scope <> 'run/mine'`)
			s.mustRun(4, "run", "theirs")
			if paid, _ := s.paidFor("theirs"); paid > 2*800 {
				t.Errorf("%d tokens were spent of 800 that may be", paid)
			}
			s.mustRun(0, "budget", "raise", "theirs", "--tokens", "1000000")
			if name == "beyond all" {
				return // that much is spent, it says
			}
			s.mustRun(0, "run", "theirs")
			if row := s.budget("mine").Budgets[1]; !row.Raised || row.LimitTokens != nil {
				t.Errorf("what the user set by hand is %+v, want no limit", row)
			}
		})
	}
}

// paidFor adds up the tokens of a run's answered calls.
func (s *shell) paidFor(run string) (tokens, calls int) {
	s.t.Helper()
	out, _ := s.mustRun(0, "--json", "calls", run)
	var d app.CallsDoc
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		s.t.Fatal(err)
	}
	for _, c := range d.Calls {
		if c.Outcome == "answered" {
			tokens, calls = tokens+c.InputTokens+c.OutputTokens, calls+1
		}
	}
	return tokens, calls
}

// rewrite changes the store as another program could.
func (s *shell) rewrite(statement string) {
	s.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(filepath.Join(s.dir, ".sluice", "sluice.db")))
	if err != nil {
		s.t.Fatal(err)
	}
	_, err = db.ExecContext(s.t.Context(), statement)
	if err = errors.Join(err, db.Close()); err != nil {
		s.t.Fatal(err)
	}
}
