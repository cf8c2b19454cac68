package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
)

// authoredPlan is what the author says as its n-th reply where a plan is worked on, or nothing.
func authoredPlan(agent string, n int64) string {
	switch agent {
	case "check":
		return fmt.Sprintf(`{"verdict":"APPROVED","total_score":95,"acceptance_results":[{"criterion_id":"AC-1","pass":true,"evidence":"line %d"}],"summary":"read it","reasons":[],"suggestions":[]}`, n)
	case "feasibility":
		return `{"results":[]}`
	}
	return ""
}

// authorAction is the agent whose replies fit no schema.
const authorAction = "scene-text"

const mixedPlan = `
plan   d1 A_site
goal   a0 Site
action b0 Text    in=a0 file=text.md
action c0 Data    in=a0 file=data.md needs=b0
action e0 Package in=a0 needs=b0,c0 file=index.md
`

// newMixedPlan is an imported plan that a real author and rehearsal may work on.
func newMixedPlan(t *testing.T, doc planObject) mixed {
	t.Helper()
	m := mixed{newShell(t, authorPrice), newAuthor(t)}
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	m.write("plan.json", string(raw))
	m.write("sluice.yaml", "engine:\n  workers: 1\n")
	m.write("mine.md", "# Mine\n\nMade by a person.\n")
	m.mustRun(0, "task", "import", "plan.json")
	return m
}

// soundPlan wants every record and every file to be as it should, and no answer to have been paid for twice or lost but those of
// the given number of calls that were cut off, since what they were for was taken back.
func (m mixed) soundPlan(cut int) {
	m.t.Helper()
	m.sound(crashID)
	paid := m.paid(crashID)
	for key, n := range paid {
		if n > 1 {
			m.t.Errorf("call %s was paid for %d times", key, n)
		}
	}
	real := 0
	for _, c := range m.calls() {
		if c.Outcome == "answered" && c.Provider != "rehearsal" {
			real++
		}
	}
	if n := int(m.author.calls.Load()); n < real || n > real+cut {
		m.t.Errorf("the author answered %d calls, and %d are recorded", n, real)
	}
}

// held is a command that waits just before something becomes durable.
type held struct {
	release chan struct{}
	ended   chan error
}

// hold starts a command and comes back when it is at its n-th point.
func (s *shell) hold(n int, args ...string) held {
	s.t.Helper()
	h := held{make(chan struct{}), make(chan error, 1)}
	reached := make(chan struct{}, 1)
	gate := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		reached <- struct{}{}
		select {
		case <-h.release:
		case <-r.Context().Done():
		}
	}))
	s.t.Cleanup(func() {
		gate.CloseClientConnections()
		gate.Close()
	})
	cmd := s.command(s.t.Context(), "", args...)
	cmd.Env = append(cmd.Env, "SLUICE_E2E_FUSE="+filepath.Join(s.t.TempDir(), "fuse"), fmt.Sprintf("SLUICE_E2E_AT=%d", n), "SLUICE_E2E_GATE="+gate.URL)
	go func() {
		out, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
		h.ended <- err
	}()
	select {
	case <-reached:
	case err := <-h.ended:
		s.t.Fatalf("%v ended before its point %d: %v", args, n, err)
	}
	return h
}

// end lets a held command go on, and gives how it ended.
func (h held) end() error {
	close(h.release)
	return <-h.ended
}
