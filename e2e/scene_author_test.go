package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"sluice/internal/line/scene"
)

// newSceneAuthor makes an author of scenes: what it says is told by the schema that it is asked for, and no text is like another.
func newSceneAuthor(t *testing.T) *author {
	t.Helper()
	a := &author{once: map[string]string{}}
	var pages atomic.Int64
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // who asked is gone
		}
		var asked struct {
			Format struct {
				Schema struct {
					Name   string
					Schema struct{ Properties map[string]json.RawMessage }
				} `json:"json_schema"`
			} `json:"response_format"`
		}
		if err := json.Unmarshal(body, &asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		n := pages.Add(1)
		agent, said := asked.Format.Schema.Name, fmt.Sprintf("Anna opened the ledger in the Harbour office at page %d. %s", n, strings.Repeat("Ivan denied it, and Anna looked at him. ", 13))
		switch has := asked.Format.Schema.Schema.Properties; {
		case agent == "":
			agent = "scene-text"
		case has["approach"] != nil:
			said = fmt.Sprintf(`{"tone":"calm %d","approach":"near","focus":[],"risks":[]}`, n)
		default:
			said = `{"verdict":"PASS","score":95,"summary":"it holds","issues":[]}`
		}
		a.says(agent, said)
		r.Body = io.NopCloser(bytes.NewReader(body))
		a.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		a.CloseClientConnections()
		a.Close()
	})
	return a
}

// written is a scene that a real author writes.
type written struct {
	mixed
	id string
}

// newWritten makes a workflow of which the plan is approved.
func newWritten(t *testing.T) written {
	t.Helper()
	w := written{mixed: mixed{newShell(t, authorPrice), newSceneAuthor(t)}}
	place := filepath.Join(w.dir, "acts", "act-1", "chapters", "chapter-02", "scenes")
	if err := os.MkdirAll(place, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(place, "scene-0204-blueprint.md"), []byte(shortBlueprint), 0o600); err != nil {
		t.Fatal(err)
	}
	w.real(4, "scene", "generate", "0204")
	var list scene.ListDoc
	w.decode(&list, "scene", "list")
	w.id = list.Workflows[0].WorkflowID
	w.mustRun(0, "scene", "approve", w.id)
	return w
}

// file names a working file.
func (w written) file(name string) string {
	return filepath.Join(w.dir, "workspace", "generation-runs", w.id, name)
}

func (w written) edit(name, more string) {
	w.t.Helper()
	body := mustRead(w.file(name))
	for range 100 { // a model is asked as soon as a step is committed, and its file is put in place after that
		if len(body) > 0 {
			break
		}
		w.status()
		body = mustRead(w.file(name))
	}
	if err := os.WriteFile(w.file(name), append(body, more...), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w written) scene() string {
	return string(mustRead(filepath.Join(w.dir, "acts", "act-1", "chapters", "chapter-02", "content", "scene-0204.md")))
}

func (w written) status() (d scene.StatusDoc) {
	w.t.Helper()
	w.decode(&d, "scene", "status", w.id)
	return d
}

// sound wants the workflow to be completed from what stands: nothing paid for twice, the text validated as it was published.
func (w written) sound() {
	w.t.Helper()
	if d := w.status(); d.Status != scene.Completed {
		w.t.Errorf("the workflow is %+v", d)
	}
	for key, n := range w.paid(w.id) {
		if n > 1 {
			w.t.Errorf("call %s was paid for %d times", key, n)
		}
	}
	out, _ := w.mustRun(0, "status", w.id)
	if strings.Contains(out, "stale") {
		w.t.Errorf("something is older than what it was made from:\n%s", out)
	}
	var report scene.ValidationReport
	if err := json.Unmarshal(mustRead(w.file("final-validation-report.json")), &report); err != nil {
		w.t.Fatal(err)
	}
	draft := string(mustRead(filepath.Join(w.dir, filepath.FromSlash(report.Draft.Path))))
	if text := strings.TrimSpace(w.scene()); text == "" || !strings.Contains(draft, text) {
		w.t.Errorf("the text is not the draft that was validated, %s:\n%s", report.Draft.Path, text)
	}
	w.mustRun(0, "verify")
	w.mustRun(0, "doctor")
}
