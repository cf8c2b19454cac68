package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"sluice/internal/line/task"
)

// bench is a model whose reviewer waits to be told the verdict, so that a test can do things while a review is under way.
type bench struct {
	*httptest.Server
	reviewing chan string // a review began; what is judged
	verdicts  chan string // the verdict it gives
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{reviewing: make(chan string), verdicts: make(chan string)}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		content := "# Rules\n\nMade by the model.\n"
		if strings.Contains(string(asked), "acceptance_results") {
			select {
			case b.reviewing <- string(asked):
			case <-r.Context().Done():
				return
			}
			var verdict string
			select {
			case verdict = <-b.verdicts:
			case <-r.Context().Done():
				return
			}
			content = fmt.Sprintf(`{"verdict":%q,"total_score":%d,"acceptance_results":[{"criterion_id":"AC-1","pass":%v,"evidence":"line 1"}],"summary":"read it","reasons":[],"suggestions":[]}`,
				verdict, map[bool]int{true: 95, false: 20}[verdict == "APPROVED"], verdict == "APPROVED")
		}
		w.Header().Set("Content-Type", "application/json")
		doc, _ := json.Marshal(map[string]any{"id": "c1", "object": "chat.completion", "model": "m-1",
			"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": content}}},
			"usage":   map[string]any{"prompt_tokens": 11, "completion_tokens": 9, "total_tokens": 20}})
		w.Write(doc)
	}))
	t.Cleanup(func() {
		b.CloseClientConnections()
		b.Close()
	})
	return b
}

func (s *shell) plan(id string) task.StatusDoc {
	s.t.Helper()
	out, _ := s.mustRun(0, "--json", "task", "status", id)
	var doc task.StatusDoc
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		s.t.Fatal(err)
	}
	return doc
}

func (s *shell) shown(id, which string) task.TaskDoc {
	s.t.Helper()
	out, _ := s.mustRun(0, "--json", "task", "show", id, which)
	var doc task.TaskDoc
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		s.t.Fatal(err)
	}
	return doc
}

// TestVersionMadeDuringAReview lets a person hand over a version while a reviewer reads the one before: the verdict stays
// with what was read, the newer version is judged by itself.
func TestVersionMadeDuringAReview(t *testing.T) {
	for _, c := range []struct {
		name           string
		first          string
		approvedMiddle bool
	}{{"the older one is approved", "APPROVED", true}, {"the older one is rejected", "REJECTED", false}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			model := newBench(t)
			s := newShell(t, "SLUICE_MODEL_PROVIDER=openai", "SLUICE_MODEL_BASE_URL="+model.URL+"/v1", "SLUICE_MODEL_MODEL=m-1", "SLUICE_MODEL_TIMEOUT=10m",
				"SLUICE_MODEL_KEY_ENV=BENCH_KEY", "BENCH_KEY=none")
			raw, err := json.Marshal(sketch("plan d1 A_game\ngoal a0 Game\naction b0 Rules in=a0 file=rules.md"))
			if err != nil {
				t.Fatal(err)
			}
			s.write("plan.json", string(raw))
			s.write("rules.md", "# Rules\n\nMade by a person.\n")
			s.mustRun(0, "task", "import", "plan.json")
			drive := s.command(t.Context(), "", "task", "run", crashID)
			var said strings.Builder
			drive.Stderr = &said
			ended := make(chan error, 1)
			go func() { ended <- drive.Run() }()
			next := func() string { // what the reviewer is given next
				t.Helper()
				select {
				case read := <-model.reviewing:
					return read
				case err := <-ended:
					t.Fatalf("the plan ended with %v\n%s", err, said.String())
				}
				return ""
			}

			if read := next(); !strings.Contains(read, "Made by the model") {
				t.Errorf("the reviewer reads %s", read)
			}
			v1 := s.shown(crashID, "b0").ActiveArtifactID
			s.mustRun(0, "task", "submit", crashID, "b0", "-f", filepath.Join(s.dir, "rules.md"))
			during := s.shown(crashID, "b0")
			v2 := during.ActiveArtifactID
			if v2 == v1 || during.Status != task.ReadyToCheck || during.ApprovedArtifactID != "" {
				t.Errorf("while it is read: %+v", during.NodeStatus)
			}
			if check := s.shown(crashID, "b1"); check.Status != task.InProgress {
				t.Errorf("the CHECK is %s", check.Status)
			}
			model.verdicts <- c.first

			// the same CHECK begins with the newer version: what was said about the older one is applied by now
			if read := next(); !strings.Contains(read, "Made by a person") {
				t.Errorf("then the reviewer reads %s", read)
			}
			middle := s.shown(crashID, "b0")
			if middle.Status != task.ReadyToCheck || middle.ActiveArtifactID != v2 || len(middle.Reviews) != 1 || middle.Reviews[0].ReviewedArtifactID != v1 {
				t.Errorf("after the first verdict: %+v %+v", middle.NodeStatus, middle.Reviews)
			}
			if got := middle.ApprovedArtifactID; got == v1 != c.approvedMiddle || got == v2 {
				t.Errorf("approved is %q, of %q and %q", got, v1, v2)
			}
			if p := s.plan(crashID); p.Status != task.PlanInProgress {
				t.Errorf("the plan is %s", p.Status)
			}
			model.verdicts <- "APPROVED"
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			after := s.shown(crashID, "b0")
			if after.Status != task.Done || after.ApprovedArtifactID != v2 || len(after.Artifacts) != 2 || len(after.Reviews) != 2 {
				t.Errorf("in the end: %+v", after.NodeStatus)
			}
			s.sound(crashID)
		})
	}
}
