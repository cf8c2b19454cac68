package e2e

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/app"
	"sluice/internal/line/spec"
)

// specs begins a feature and gives where it stands.
func (s *shell) specs(want int, args ...string) app.SpecDoc {
	s.t.Helper()
	out, _ := s.mustRun(want, append([]string{"--json", "spec"}, args...)...)
	var doc struct {
		app.SpecDoc
		Error *app.SpecDoc `json:"error"`
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		s.t.Fatalf("%v in %s", err, out)
	}
	if doc.Error != nil {
		return *doc.Error
	}
	return doc.SpecDoc
}

// TestSpecTransitions tries every verb on a feature in every state. What is not legal there is refused as a conflict that
// names what is legal, and leaves no snapshot and no other trace.
func TestSpecTransitions(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	refuse := s.write("refuse.yaml", "- agent: compile\n  fail: refuse\n")
	s.write("none.yaml", "- agent: compile\n  reply: {goal: null}\n")
	goal := func(n string) string { return "Let readers find a book by " + n }
	states := map[string]string{} // by name, the feature
	states["draft"] = s.specs(6, "new", goal("its title"), "--rehearsal", refuse).FeatureID
	states["clarifying"] = s.specs(4, "new", "Find it", "--rehearsal", "none.yaml").FeatureID
	for _, name := range []string{"ready", "decided", "published", "hold", "drop", "reopened"} {
		f := s.specs(4, "new", goal(name)).FeatureID
		states[name] = f
		switch name {
		case "decided", "published":
			s.specs(0, "review", f, "go", "--reason", "yes")
		case "hold", "reopened":
			s.specs(0, "review", f, "hold", "--reason", "yes")
		case "drop":
			s.specs(0, "review", f, "drop", "--reason", "yes")
		}
	}
	s.mustRun(0, "spec", "publish", states["published"], "--target", "file")
	s.specs(4, "reopen", states["reopened"])
	verbs := map[string][]string{
		"answer": {"answer", "F", "-a", "spec.background=More of it."}, "amend": {"amend", "F", "More of it."}, "reopen": {"reopen", "F"},
		"go": {"review", "F", "go", "--reason", "yes"}, "hold": {"review", "F", "hold", "--reason", "yes"}, "drop": {"review", "F", "drop", "--reason", "yes"},
		"publish": {"publish", "F", "--target", "file"}, "dry run": {"publish", "F", "--target", "file", "--dry-run"},
	}
	legal := map[string][]string{
		"draft": {}, "clarifying": {"answer"}, "reopened": {"answer"},
		"ready": {"go", "hold", "drop"}, "decided": {"go", "hold", "drop", "publish", "dry run"},
		"hold": {"go", "hold", "drop", "reopen"}, "published": {"amend", "publish", "dry run"}, "drop": {"amend"},
	}
	shown := func() map[string]string {
		all := map[string]string{}
		for _, dir := range []string{"snapshots", "specs", "evidence", "ledger", "published"} {
			for name, body := range s.files(dir) {
				all[dir+"/"+name] = body
			}
		}
		return all
	}
	before, log := shown(), logLength(s)
	for state, feature := range states {
		for verb, args := range verbs {
			if slices.Contains(legal[state], verb) {
				continue
			}
			args = slices.Clone(args)
			args[1] = feature
			code, out, _ := s.run("", append([]string{"--json", "spec"}, args...)...)
			var doc struct {
				Error struct {
					Code string
					Next []struct{ Command string } `json:"next_actions"`
				}
			}
			if err := json.Unmarshal([]byte(out), &doc); err != nil || code != 5 || doc.Error.Code != "illegal_transition" || len(doc.Error.Next) == 0 ||
				!strings.Contains(doc.Error.Next[0].Command, feature) {
				t.Errorf("%s of a feature that is %s: exit %d, %v\n%s", verb, state, code, err, out)
			}
		}
	}
	if diff := cmp.Diff(before, shown()); diff != "" {
		t.Errorf("refusals left a trace:\n%s", diff)
	}
	if n := logLength(s); n != log {
		t.Errorf("refusals added %d events", n-log)
	}
	if err := wantRecords(s.dir, absolute(t, "..", "schemas"), "48", "19"); err != nil {
		t.Error(err)
	}
	var listed app.SpecListDoc
	out, _ := s.mustRun(0, "--json", "spec", "list", "--status", string(spec.OnHold))
	if err := json.Unmarshal([]byte(out), &listed); err != nil || len(listed.Features) != 1 || listed.Features[0].FeatureID != states["hold"] {
		t.Errorf("on hold: %v, %s", err, out)
	}
	s.mustRun(0, "doctor")
}

// logLength counts the events of a workspace.
func logLength(s *shell) int {
	s.t.Helper()
	n := 0
	files, err := filepath.Glob(filepath.Join(s.dir, "specs", "F-*"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, f := range files {
		out, _ := s.mustRun(0, "--json", "log", filepath.Base(f))
		n += strings.Count(out, `"seq"`)
	}
	return n
}
