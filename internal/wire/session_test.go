package wire

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/app"
	"sluice/internal/config"
	"sluice/internal/digest"
	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/scene"
	"sluice/internal/workspace"
)

// flow is the smallest line whose runs can be made in sessions: each node shows its text at a recorded path, and a
// state file counts what is approved.
func flow() *line.Line {
	path := func(n kernel.Node) string {
		var p string
		_ = json.Unmarshal(n.Params, &p)
		return p
	}
	return &line.Line{Name: "flow",
		Steps: map[string]line.Step{"write": func(in line.In) (line.Move, error) {
			return line.Move{Done: &line.Out{Body: []byte("text of " + string(in.Node.ID) + "\n")}}, nil
		}},
		Files: func(r *kernel.Run, n kernel.View) []line.File {
			return line.FilesNow(r, []line.File{{Path: path(n.Node()), Version: n.Newest(), Role: journal.Working}})
		},
		State: func(r *kernel.Run, _ line.Body) ([]line.StateFile, error) {
			p := "workspace/workflow-state/" + string(r.ID()) + ".json"
			for _, l := range []string{line.LabelSession, line.LabelCommitted, line.LabelEnded} {
				if s := r.Labels()[l]; s != "" {
					p = line.SessionPath(s, p)
				}
			}
			body, err := json.Marshal(map[string]string{"status": string(r.Status()), "from": r.Labels()[line.LabelCommitted]})
			return line.StatesNow(r, []line.StateFile{{Path: p, Body: body}}), err
		}}
}

func flowRun(id, session string, paths map[string]string) kernel.Open {
	o := kernel.Open{Run: kernel.RunID(id), Line: "flow", Labels: map[string]string{line.LabelSession: session}}
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		params, _ := json.Marshal(line.SessionPath(session, paths[name]))
		o.Nodes = append(o.Nodes, kernel.Node{ID: kernel.NodeID(name), Kind: kernel.Make, Step: "write", Performer: kernel.Engine,
			Attempts: 2, Params: params})
	}
	return o
}

// space is a workspace that tests look at from outside.
type space struct {
	*testing.T
	dir   string
	app   *app.App
	close func()
}

func newSpace(t *testing.T) *space {
	t.Helper()
	s := &space{T: t, dir: t.TempDir()}
	if err := workspace.Init(s.dir, config.DefaultFile(), true); err != nil {
		t.Fatal(err)
	}
	s.open(nil)
	t.Cleanup(func() { s.close() })
	return s
}

func (s *space) open(change func(*Setup)) {
	s.Helper()
	s.app, s.close = openIn(s.T, s.dir, change)
	s.app.Engine.Lines["flow"] = flow()
}

func (s *space) put(path, body string) {
	s.Helper()
	full := filepath.Join(s.dir, filepath.FromSlash(path))
	if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(body), 0o644)); err != nil {
		s.Fatal(err)
	}
}

func (s *space) has(path, want string) {
	s.Helper()
	got, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(path)))
	if err != nil {
		s.Errorf("%s: %v", path, err)
	} else if want != "" && string(got) != want {
		s.Errorf("%s shows %q, want %q", path, got, want)
	}
}

func (s *space) lacks(path string) {
	s.Helper()
	if _, err := os.Lstat(filepath.Join(s.dir, filepath.FromSlash(path))); !os.IsNotExist(err) {
		s.Errorf("%s is there (%v)", path, err)
	}
}

func (s *space) sound() {
	s.Helper()
	report, err := s.app.Health.Examine(s.Context(), false)
	if err != nil {
		s.Fatal(err)
	}
	if err := report.Err(); err != nil {
		s.Errorf("doctor finds %+v", report.Findings)
	}
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func wantCode(t *testing.T, err error, code fault.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != code {
		t.Errorf("the error is %s (%v), want %s", got, err, code)
	}
}

// withWorkflow opens a session with a driven workflow of three files, one of them where the workspace has one already.
func (s *space) withWorkflow() {
	s.Helper()
	s.put("acts/scene.md", "as it was\n")
	must(s.app.CreateSession(s.Context(), "s", ""))(s.T)
	must(s.app.RebasePath(s.Context(), "s", "acts/scene.md"))(s.T)
	must(s.app.Engine.OpenAndDrive(s.Context(), stamped(flowRun("w1", "s", map[string]string{
		"draft": "workspace/generation-runs/w1/draft.md", "fresh": "acts/fresh.md", "scene": "acts/scene.md"})), engine.Plan{}))(s.T)
	s.has("workspace/sessions/s/generation-runs/w1/draft.md", "text of draft\n")
	s.has("workspace/sessions/s/acts/scene.md", "text of scene\n")
	s.has("workspace/sessions/s/workflow-state/w1.json", "")
	s.has("acts/scene.md", "as it was\n")
	s.put("workspace/sessions/s/generation-runs/w1/notes.md", "never reported\n")
}

func stamped(o kernel.Open) kernel.Open {
	o.Stamp = kernel.Stamp{By: kernel.Actor{Kind: kernel.Person, Name: "ann"}}
	return o
}

func TestCommitMovesWorkflows(t *testing.T) {
	s := newSpace(t)
	s.withWorkflow()
	s.put("workspace/sessions/s/generation-runs/w1/draft.md", "edited by hand\n")
	preview := must(s.app.CommitSession(t.Context(), "s", false))(t)
	if diff := cmp.Diff([]string{"w1"}, preview.Workflows); diff != "" || len(preview.Conflicts) > 0 || len(preview.Changes) != 4 {
		t.Fatalf("the preview is %+v", preview)
	}
	must(s.app.CommitSession(t.Context(), "s", true))(t)
	s.has("workspace/generation-runs/w1/draft.md", "edited by hand\n")
	s.has("workspace/generation-runs/w1/notes.md", "never reported\n")
	s.has("acts/scene.md", "text of scene\n")
	s.has("acts/fresh.md", "text of fresh\n")
	s.has("workspace/workflow-state/w1.json", `{"from":"s","status":"done"}`)
	s.has("workspace/sessions/s/generation-runs/w1/draft.md", "edited by hand\n") // the directory stays
	s.sound()
	run := must(s.app.Engine.Load(t.Context(), "w1"))(t)
	if run.Labels()[line.LabelCommitted] != "s" || run.Labels()[line.LabelSession] != "" {
		t.Errorf("labels are %v", run.Labels())
	}

	// The workflow's files are the workspace's now: an edit there is a version, one in the closed directory is nothing.
	versions := func() int {
		n, _ := must(s.app.Engine.Load(t.Context(), "w1"))(t).Node("scene")
		return len(n.Versions())
	}
	before := versions()
	s.put("workspace/sessions/s/acts/scene.md", "too late\n")
	must(s.app.Status(t.Context(), "w1"))(t)
	if got := versions(); got != before {
		t.Errorf("an edit in the closed session made a version")
	}
	s.put("acts/scene.md", "mine\n")
	must(s.app.Status(t.Context(), "w1"))(t)
	if got := versions(); got != before+1 {
		t.Errorf("an edit of the workspace's file made %d versions", got-before)
	}
	s.has("acts/scene.md", "mine\n")
	s.has("workspace/sessions/s/acts/scene.md", "too late\n")
	s.sound()
}

func TestWorkflowThatReplacesAnUnknownFileIsAConflict(t *testing.T) {
	s := newSpace(t)
	must(s.app.CreateSession(t.Context(), "s", ""))(t)
	must(s.app.Engine.OpenAndDrive(t.Context(), stamped(flowRun("w1", "s", map[string]string{"scene": "acts/scene.md"})), engine.Plan{}))(t)
	s.put("acts/scene.md", "appeared\n")
	_, err := s.app.CommitSession(t.Context(), "s", true)
	wantCode(t, err, fault.Conflict)
	if !strings.Contains(err.Error(), "acts/scene.md") || len(fault.From(err).Next) == 0 {
		t.Errorf("the refusal is %v with %v", err, fault.From(err).Next)
	}
	s.has("acts/scene.md", "appeared\n")
	if run := must(s.app.Engine.Load(t.Context(), "w1"))(t); run.Labels()[line.LabelSession] != "s" {
		t.Errorf("labels are %v", run.Labels())
	}
}

func TestCancelEndsWorkflows(t *testing.T) {
	s := newSpace(t)
	s.withWorkflow()
	waits := flowRun("w2", "s", map[string]string{"ask": "workspace/generation-runs/w2/ask.md"})
	waits.Nodes[0].Gate.Person = true
	must(s.app.Engine.OpenAndDrive(t.Context(), stamped(waits), engine.Plan{}))(t)
	s.put("workspace/sessions/s/generation-runs/w2/ask.md", "an edit that nobody took over\n")
	doc := must(s.app.CancelSession(t.Context(), "s"))(t)
	if diff := cmp.Diff([]string{"w1", "w2"}, doc.Workflows); diff != "" {
		t.Errorf("workflows (-want +got):\n%s", diff)
	}
	s.has("acts/scene.md", "as it was\n")
	for _, gone := range []string{"workspace/sessions/s/generation-runs", "workspace/sessions/s/acts", "workspace/sessions/s/workflow-state",
		"workspace/generation-runs", "acts/fresh.md"} {
		s.lacks(gone)
	}
	s.has("workspace/sessions/s/session.json", "")
	for _, id := range []string{"w1", "w2"} {
		_, err := s.app.Status(t.Context(), id)
		wantCode(t, err, fault.UnknownRun)
		_, err = s.app.Resume(t.Context(), id, "", "")
		wantCode(t, err, fault.UnknownRun)
		_, err = s.app.Log(t.Context(), app.LogQuery{Run: id})
		wantCode(t, err, fault.UnknownRun)
		_, err = s.app.Cancel(t.Context(), id, "")
		wantCode(t, err, fault.UnknownRun)
	}
	if inbox := must(s.app.Inbox(t.Context(), ""))(t); len(inbox.Asks) != 0 {
		t.Errorf("the inbox holds %v", inbox.Asks)
	}
	for _, r := range must(s.app.Overview(t.Context(), journal.Filter{}))(t).Runs {
		if r.Line == "flow" {
			t.Errorf("run %s is listed", r.Run)
		}
	}
	s.sound()
	if again := must(s.app.CancelSession(t.Context(), "s"))(t); !again.Already || len(again.Workflows) != 2 {
		t.Errorf("a second cancellation is answered with %+v", again)
	}

	// A new session of the name knows nothing of them.
	must(s.app.CreateSession(t.Context(), "s", ""))(t)
	if d := must(s.app.SessionDiff(t.Context(), "s"))(t); len(d.Workflows) != 0 || len(d.Changes) != 0 {
		t.Errorf("the new session holds %+v", d)
	}
	s.sound()
}

func TestSessionsWithADrivenWorkflowDoNotEnd(t *testing.T) {
	s := newSpace(t)
	s.withWorkflow()
	lease := must(s.app.Engine.Leaser.Acquire(t.Context(), "w1"))(t)
	for range 2 { // also a second time: what was taken of the others is given back
		_, err := s.app.CommitSession(t.Context(), "s", true)
		wantCode(t, err, fault.LeaseHeld)
		_, err = s.app.CancelSession(t.Context(), "s")
		wantCode(t, err, fault.LeaseHeld)
	}
	must(s.app.CommitSession(t.Context(), "s", false))(t) // a preview needs no lease
	s.has("acts/scene.md", "as it was\n")
	if err := s.app.Engine.Leaser.Release(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
	must(s.app.CommitSession(t.Context(), "s", true))(t)
	s.has("acts/scene.md", "text of scene\n")
}

func TestFileChangedAfterTheTransactionIsAdopted(t *testing.T) {
	for _, when := range []string{"changed", "removed", "as before"} {
		t.Run(when, func(t *testing.T) {
			s := newSpace(t)
			s.put("a.md", "old a\n")
			s.put("b.md", "old b\n")
			s.put("gone.md", "old gone\n")
			must(s.app.CreateSession(t.Context(), "s", ""))(t)
			must(s.app.ResolvePaths(t.Context(), "s", []string{"a.md", "b.md"}, true))(t)
			must(s.app.RemovePath(t.Context(), "s", "gone.md"))(t)
			s.put("workspace/sessions/s/a.md", "new a\n")
			s.put("workspace/sessions/s/b.md", "new b\n")
			s.close()
			s.open(dying)
			must(s.app.CommitSession(t.Context(), "s", true))(t)
			s.has("a.md", "old a\n") // the process died before files were placed
			want := "new a\n"
			switch when {
			case "changed":
				s.put("a.md", "mine\n")
				s.put("gone.md", "mine too\n")
				want = "mine\n"
			case "removed":
				if err := os.Remove(filepath.Join(s.dir, "a.md")); err != nil {
					t.Fatal(err)
				}
			}
			s.close()
			s.open(nil)
			s.has("a.md", want)
			s.has("b.md", "new b\n")
			if when == "changed" {
				s.has("gone.md", "mine too\n")
				run := must(s.app.Engine.Load(t.Context(), "session-s-1"))(t)
				n, _ := run.Node("file/a.md")
				if got, want := n.Newest().Digest, digest.Of([]byte("mine\n")); got != want {
					t.Errorf("the newest version of a.md is %s, want %s", got.Short(), want.Short())
				}
			} else {
				s.lacks("gone.md")
			}
			s.sound()
			if again := must(s.app.CommitSession(t.Context(), "s", true))(t); !again.Already {
				t.Errorf("a second commit is answered with %+v", again)
			}
		})
	}
}

func TestSessionThatMovesOnWhileItEndsIsPlannedAgain(t *testing.T) {
	s := newSpace(t)
	s.put("a.md", "a\n")
	s.put("b.md", "b\n")
	must(s.app.CreateSession(t.Context(), "s", ""))(t)
	must(s.app.ResolvePath(t.Context(), "s", "a.md", true))(t)
	s.put("workspace/sessions/s/a.md", "new a\n")
	other, closeOther := openIn(t, s.dir, nil)
	defer closeOther()
	once := false
	s.app.Engine.Files = meddling{s.app.Engine.Files, func() {
		if once {
			return
		}
		once = true
		must(other.ResolvePath(t.Context(), "s", "b.md", true))(t)
		s.put("workspace/sessions/s/b.md", "new b\n")
	}}
	doc := must(s.app.CommitSession(t.Context(), "s", true))(t)
	if len(doc.Changes) != 2 {
		t.Errorf("%d changes were committed, want 2", len(doc.Changes))
	}
	s.has("b.md", "new b\n")
}

func TestWorkflowThatIsStartedWhileItsSessionEndsGoesWithIt(t *testing.T) {
	s := newSpace(t)
	must(s.app.CreateSession(t.Context(), "s", ""))(t)
	s.put("workspace/sessions/s/a.md", "a\n")
	other, closeOther := openIn(t, s.dir, nil)
	defer closeOther()
	started := ""
	s.app.Engine.Files = meddling{s.app.Engine.Files, func() {
		if started == "" {
			started = must(other.StartGeneration(t.Context(), scene.StartGeneration{SceneID: "0204", SessionName: "s"}))(t).WorkflowID
		}
	}}
	doc := must(s.app.CommitSession(t.Context(), "s", true))(t)
	if diff := cmp.Diff([]string{started}, doc.Workflows); diff != "" {
		t.Errorf("workflows (-want +got):\n%s", diff)
	}
	s.has("workspace/workflow-state/"+started+".json", "")
	if d := must(s.app.WorkflowStatus(t.Context(), started))(t); d.SessionName != "" {
		t.Errorf("the workflow is in session %s", d.SessionName)
	}
	_, err := other.StartGeneration(t.Context(), scene.StartGeneration{SceneID: "0204", SessionName: "s"})
	wantCode(t, err, fault.UnknownSession)
	s.sound()
}

func TestFinderSeesWhatTheSessionSees(t *testing.T) {
	s := newSpace(t)
	for _, p := range []string{"acts/a/1.md", "acts/a/2.md", "acts/b/1.md", "acts/b/x.txt"} {
		s.put(p, "global "+p)
	}
	must(s.app.CreateSession(t.Context(), "s", ""))(t)
	must(s.app.ResolvePath(t.Context(), "s", "acts/a/1.md", true))(t)
	s.put("workspace/sessions/s/acts/a/1.md", "session")
	s.put("workspace/sessions/s/acts/c/1.md", "new")
	must(s.app.RemovePath(t.Context(), "s", "acts/b/1.md"))(t)
	run := must(s.app.Engine.Open(t.Context(), stamped(flowRun("w1", "s", map[string]string{"x": "x.md"}))))(t)
	plain := flowRun("w2", "", map[string]string{"x": "y.md"})
	delete(plain.Labels, line.LabelSession)
	outside := must(s.app.Engine.Open(t.Context(), stamped(plain)))(t)
	find := func(r *kernel.Run, pattern string) map[string]string {
		t.Helper()
		got := map[string]string{}
		for _, f := range must(s.app.Engine.Finder.Find(t.Context(), r, pattern))(t) {
			got[f.Path] = string(f.Body)
		}
		return got
	}
	want := map[string]string{"acts/a/1.md": "session", "acts/a/2.md": "global acts/a/2.md", "acts/c/1.md": "new"}
	if diff := cmp.Diff(want, find(run, "acts/*/*.md")); diff != "" {
		t.Errorf("in the session (-want +got):\n%s", diff)
	}
	want = map[string]string{"acts/a/1.md": "global acts/a/1.md", "acts/a/2.md": "global acts/a/2.md", "acts/b/1.md": "global acts/b/1.md"}
	if diff := cmp.Diff(want, find(outside, "acts/*/*.md")); diff != "" {
		t.Errorf("outside (-want +got):\n%s", diff)
	}
	if got := find(run, "acts/b/1.md"); len(got) != 0 {
		t.Errorf("a removed file is found: %v", got)
	}
	for _, bad := range []string{"../x", "/etc/passwd", "acts/../../x", "acts/[", ".sluice/sluice.db"} {
		if found, err := s.app.Engine.Finder.Find(t.Context(), run, bad); err == nil && len(found) > 0 {
			t.Errorf("%s finds %v", bad, found)
		}
	}
}

// meddling does something just before the rows of a commit are looked up for the last time.
type meddling struct {
	engine.Files
	act func()
}

func (m meddling) Checkout(ctx context.Context, path string) (journal.Checkout, bool, error) {
	m.act()
	return m.Files.Checkout(ctx, path)
}
