package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"sluice/internal/app"
)

// longChain is a run of many model steps, one after the other.
func longChain() string {
	var nodes []string
	for i := 1; i <= 12; i++ {
		needs := ""
		if i > 1 {
			needs = fmt.Sprintf(`"needs":[{"node":"n%d"}],`, i-1)
		}
		nodes = append(nodes, fmt.Sprintf(`{"id":"n%d","kind":"make","step":"write","performer":"engine","attempts":3,%s"params":{"path":"%d.md","task":"write about rivers","words":60}}`, i, needs, i))
	}
	return `{"title":"chain","nodes":[` + strings.Join(nodes, ",") + `]}`
}

func (s *shell) budget(args ...string) app.BudgetDoc {
	s.t.Helper()
	out, _ := s.mustRun(0, append([]string{"--json", "budget"}, args...)...)
	var d app.BudgetDoc
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		s.t.Fatal(err)
	}
	return d
}

// TestFourProcessesShareABudget lets four processes work within 5,000 tokens for the day. One of them is killed after it
// reserved for a call and before that was settled: what it held is free for the others, and nobody crosses the limit.
func TestFourProcessesShareABudget(t *testing.T) {
	const limit = 5000
	s := newShell(t, fmt.Sprintf("SLUICE_BUDGET_DAY_TOKENS=%d", limit))
	s.write("chain.json", longChain())
	// Each call takes a moment, so that the processes meet.
	slow := s.write("slow.yaml", "- agent: \"*\"\n  delay: 40ms\n")
	deadly := s.write("deadly.yaml", "- agent: \"*\"\n  when: {node: n3}\n  calls: [1]\n  fail: crash_before\n- agent: \"*\"\n  delay: 40ms\n")
	codes := make([]int, 4)
	var group sync.WaitGroup
	for i := range codes {
		script := slow
		if i == 0 {
			script = deadly
		}
		cmd := s.command(context.Background(), "", "--rehearsal", script, "sample", "new", "chain.json", "--id", fmt.Sprintf("r%d", i))
		group.Go(func() { codes[i] = exitOf(cmd) })
	}
	group.Wait()
	if codes[0] != -1 {
		t.Errorf("the first process ended with %d, want that it was killed", codes[0])
	}
	for i, code := range codes[1:] {
		if code != 4 {
			t.Errorf("process %d ended with %d, want 4: a person must act", i+1, code)
		}
	}
	day := s.budget().Budgets[0]
	if day.Tokens > limit || day.Tokens < limit*3/4 || day.ReservedTokens != 0 {
		t.Errorf("%d tokens were spent and %d are reserved; want nearly %d and none", day.Tokens, day.ReservedTokens, limit)
	}
	paid, open := s.answered()
	if paid != day.Tokens || open != 1 {
		t.Errorf("answered calls took %d tokens and %d are open; the day says %d, and one was killed", paid, open, day.Tokens)
	}

	s.mustRun(0, "budget", "raise", "--day", "--tokens", "100000")
	for i := range codes {
		s.mustRun(0, "run", fmt.Sprintf("r%d", i)) // the killed one too: it goes on where it stopped
	}
	if paid, _ := s.answered(); paid != s.budget().Budgets[0].Tokens {
		t.Errorf("answered calls took %d tokens, and the day says %d", paid, s.budget().Budgets[0].Tokens)
	}
	s.mustRun(0, "verify")
}

func exitOf(cmd *exec.Cmd) int {
	_ = cmd.Run() // its exit code says it
	return cmd.ProcessState.ExitCode()
}

// answered adds up the calls that were answered, each key once, and counts those that were never ended.
func (s *shell) answered() (tokens int64, open int) {
	s.t.Helper()
	out, _ := s.mustRun(0, "--json", "calls")
	var d app.CallsDoc
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		s.t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range d.Calls {
		switch c.Outcome {
		case "answered":
			if seen[c.Key] {
				s.t.Errorf("call %s was paid for twice", c.Key)
			}
			seen[c.Key] = true
			tokens += int64(c.InputTokens + c.OutputTokens)
		case "open":
			open++
		}
	}
	return tokens, open
}
