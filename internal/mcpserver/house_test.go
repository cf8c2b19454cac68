package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sluice/internal/app"
	"sluice/internal/config"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line/scene"
	"sluice/internal/mcpserver"
	"sluice/internal/wire"
	"sluice/internal/workspace"
)

const blueprint = `# Scene 0204: The Archive

## Location
The archive

## Characters
### Present
- Mara

### Absent
- Viktor

## Beats
1. Mara opens the sealed drawer.

## Word Count
300

## Continuity
- The ledger was lost in chapter 1.
`

// house is a real workspace behind a real server.
type house struct {
	t   testing.TB
	dir string
	app *app.App
	*mcpserver.Server
}

func newHouse(t testing.TB, change func(*mcpserver.Options)) *house {
	t.Helper()
	dir := t.TempDir()
	if err := workspace.Init(dir, config.DefaultFile(), true); err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, dir: dir}
	h.write("acts/act-1/chapters/chapter-02/scenes/scene-0204-blueprint.md", blueprint)
	settings, err := config.Load(config.Source{})
	if err != nil {
		t.Fatal(err)
	}
	a, done, err := wire.Open(t.Context(), wire.Setup{Root: dir, Settings: settings, By: kernel.Actor{Kind: kernel.Person, Name: "ann", Via: "cli"}})
	if err != nil {
		t.Fatal(err)
	}
	o := mcpserver.Options{Person: "ann", Profile: mcpserver.Operator,
		As: func(by kernel.Actor) mcpserver.Verbs {
			one := *a
			one.By = by
			return &one
		},
		Read: func(_ context.Context, path string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, path)) }}
	if change != nil {
		change(&o)
	}
	if h.Server, err = mcpserver.New(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	h.app = a
	t.Cleanup(func() {
		h.Stop()
		if err := done(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func (h *house) write(path, text string) string {
	h.t.Helper()
	file := filepath.Join(h.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		h.t.Fatal(err)
	}
	return path
}

// join connects a client over a pair of pipes, as stdio does.
func (h *house) join(o *mcp.ClientOptions) *mcp.ClientSession {
	h.t.Helper()
	here, there := io.Pipe()
	back, forth := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- h.Talk(context.Background(), here, forth) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, o).
		Connect(h.t.Context(), &mcp.IOTransport{Reader: back, Writer: there}, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		_ = session.Close()
		_ = there.Close()
		if err := <-ended; err != nil {
			h.t.Errorf("the talk ended with %v", err)
		}
	})
	return session
}

// answer is a result as the tests look at it.
type answer struct {
	Code fault.Code
	Next int
	Doc  map[string]any
	Text string
}

func ask(t testing.TB, c *mcp.ClientSession, tool string, args any) answer {
	t.Helper()
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	a := answer{Text: res.Content[0].(*mcp.TextContent).Text}
	var doc struct {
		Error struct {
			Code fault.Code
			Next []fault.Action `json:"next_actions"`
		}
	}
	if err := json.Unmarshal([]byte(a.Text), &doc); err != nil {
		t.Fatal(err)
	}
	if res.IsError {
		a.Code, a.Next = doc.Error.Code, len(doc.Error.Next)
		return a
	}
	return a.with(t)
}

func (a answer) with(t testing.TB) answer {
	if err := json.Unmarshal([]byte(a.Text), &a.Doc); err != nil {
		t.Fatal(err)
	}
	return a
}

type args = map[string]any

func must(t testing.TB, c *mcp.ClientSession, tool string, a args) answer {
	t.Helper()
	got := ask(t, c, tool, a)
	if got.Code != "" {
		t.Fatalf("%s %v: %s", tool, a, got.Text)
	}
	return got
}

func (h *house) state(id string) string {
	h.t.Helper()
	body, err := h.app.WorkflowState(h.t.Context(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(body)
}

// waiting brings a generation to the approval of step 3 by reports.
func (h *house) waiting(c *mcp.ClientSession) (id, plan string) {
	h.t.Helper()
	id = must(h.t, c, "start_generation", args{"scene_id": "0204"}).Doc["workflow_id"].(string)
	dir := "workspace/generation-runs/" + id + "/"
	must(h.t, c, "update_workflow_state", args{"workflow_id": id, "step": 1, "status": "completed"})
	must(h.t, c, "update_workflow_state", args{"workflow_id": id, "step": 2, "status": "completed",
		"artifacts": args{"constraints_list": h.write(dir+"constraints-list.json", "{}\n")}})
	plan = h.write(dir+"verification-plan.md", "# Plan\n")
	must(h.t, c, "update_workflow_state", args{"workflow_id": id, "step": 3, "status": "waiting_approval", "artifacts": args{"verification_plan": plan}})
	return id, plan
}

func TestRefusalsLeaveTheStateAsItWas(t *testing.T) {
	h := newHouse(t, nil)
	c := h.join(nil)
	id, _ := h.waiting(c)
	must(t, c, "create_session", args{"session_name": "s1"})
	approve := args{"workflow_id": id, "step": 3, "approved": true}
	for _, tt := range []struct {
		name, tool string
		args       args
		code       fault.Code
	}{
		{"skipping a step", "update_workflow_state", args{"workflow_id": id, "step": 4, "status": "in_progress"}, ""},
		{"completing what waits for a person", "update_workflow_state", args{"workflow_id": id, "step": 3, "status": "completed"}, ""},
		{"a version that is not the one", "approve_step", args{"workflow_id": id, "step": 3, "approved": true, "version": "sha256:" + strings.Repeat("0", 64)}, fault.StaleVerdict},
		{"another step", "approve_step", args{"workflow_id": id, "step": 4, "approved": true}, ""},
		{"a status of nobody", "update_workflow_state", args{"workflow_id": id, "step": 3, "status": "done"}, fault.BadValue},
		{"jumping forward", "resume_workflow", args{"workflow_id": id, "from_step": 6}, ""},
		{"an artifact of 1 MB", "update_workflow_state", args{"workflow_id": id, "step": 3, "status": "waiting_approval", "artifacts": args{"verification_plan": strings.Repeat("x", 1<<20)}}, fault.BadValue},
		{"a session of another", "get_workflow_status", args{"workflow_id": id, "session_name": "s1"}, fault.UnknownRun},
		{"a scene that is no number", "start_generation", args{"scene_id": "two"}, fault.BadValue},
		{"a level of nobody", "start_planning", args{"level": "book", "act": 1}, fault.BadValue},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := h.state(id)
			got := ask(t, c, tt.tool, tt.args)
			if got.Code == "" || got.Next == 0 || tt.code != "" && got.Code != tt.code {
				t.Errorf("got %s with %d ways out, want %s: %s", got.Code, got.Next, tt.code, got.Text)
			}
			if diff := cmp.Diff(before, h.state(id)); diff != "" {
				t.Errorf("the state changed:\n%s", diff)
			}
		})
	}
	must(t, c, "approve_step", approve)
	before := h.state(id)
	if got := ask(t, c, "approve_step", approve); got.Code == "" || got.Next == 0 {
		t.Errorf("approved twice: %s", got.Text)
	}
	if diff := cmp.Diff(before, h.state(id)); diff != "" {
		t.Errorf("a second approval changed the state:\n%s", diff)
	}
	must(t, c, "cancel_workflow", args{"workflow_id": id})
	before = h.state(id)
	for _, step := range []int{3, 4} {
		if got := ask(t, c, "update_workflow_state", args{"workflow_id": id, "step": step, "status": "in_progress"}); got.Code == "" || got.Next == 0 {
			t.Errorf("a cancelled workflow was updated: %s", got.Text)
		}
	}
	if diff := cmp.Diff(before, h.state(id)); diff != "" {
		t.Errorf("a cancelled workflow changed:\n%s", diff)
	}
}

func TestPathsInEveryString(t *testing.T) {
	h := newHouse(t, nil)
	c := h.join(nil)
	id, _ := h.waiting(c)
	must(t, c, "create_session", args{"session_name": "s1"})
	before := h.state(id)
	for _, bad := range []string{"../x", "../../../../etc/passwd", "a\x00b", "/etc/passwd", "..\\..\\x", "workspace/../../x"} {
		for tool, fields := range map[string][]args{
			"get_workflow_status": {{"workflow_id": bad}, {"workflow_id": id, "session_name": bad}},
			"get_next_step":       {{"workflow_id": bad}}, "get_metrics": {{"workflow_id": bad}}, "cancel_workflow": {{"workflow_id": bad}},
			"validate_prerequisites": {{"workflow_id": bad, "step": 1}}, "resume_workflow": {{"workflow_id": bad}},
			"list_workflows": {{"session_name": bad}, {"status": bad}, {"workflow_type": bad}},
			"approve_step": {{"workflow_id": bad, "step": 3, "approved": true}, {"workflow_id": id, "step": 3, "approved": true, "version": bad},
				{"workflow_id": id, "step": 3, "approved": true, "selected_variant": bad}},
			"update_workflow_state": {{"workflow_id": bad, "step": 3, "status": "completed"}, {"workflow_id": id, "step": 3, "status": bad},
				{"workflow_id": id, "step": 3, "status": "waiting_approval", "artifacts": args{"verification_plan": bad}}},
			"start_generation": {{"scene_id": bad}, {"scene_id": "0204", "session_name": bad}},
			"start_planning":   {{"level": bad, "act": 1}, {"level": "act", "act": 1, "session_name": bad}},
			"create_session":   {{"session_name": bad}}, "switch_session": {{"session_name": bad}},
			"commit_session": {{"session_name": bad}}, "cancel_session": {{"session_name": bad}},
			"resolve_path": {{"path": bad}, {"path": bad, "write": true, "session_name": "s1"}, {"path": "a.md", "session_name": bad}},
			"get_inbox":    {{"workflow_id": bad}, {"session_name": bad}}, "list_sessions": {{"session_name": bad}},
		} {
			for _, a := range fields {
				if got := ask(t, c, tool, a); got.Code == "" || got.Code == fault.Unexpected {
					t.Errorf("%s %q: %s", tool, a, got.Text)
				}
			}
		}
	}
	if diff := cmp.Diff(before, h.state(id)); diff != "" {
		t.Errorf("the state changed:\n%s", diff)
	}
}

func TestTwoClientsReportAtOnce(t *testing.T) {
	h := newHouse(t, nil)
	one, other := h.join(nil), h.join(nil)
	for range 5 {
		id := must(t, one, "start_generation", args{"scene_id": "0204"}).Doc["workflow_id"].(string)
		var mu sync.Mutex
		var won, lost int
		var group sync.WaitGroup
		for _, c := range []*mcp.ClientSession{one, other} {
			group.Go(func() {
				got := ask(t, c, "update_workflow_state", args{"workflow_id": id, "step": 1, "status": "completed"})
				mu.Lock()
				defer mu.Unlock()
				switch {
				case got.Code == "":
					won++
				case got.Next > 0:
					lost++
				default:
					t.Errorf("refused without a way out: %s", got.Text)
				}
			})
		}
		group.Wait()
		if won != 1 || lost != 1 {
			t.Errorf("%d reports were taken and %d refused, want one of each", won, lost)
		}
		if got := must(t, one, "get_next_step", args{"workflow_id": id}).Doc["current_step"]; got != 2.0 {
			t.Errorf("the current step is %v", got)
		}
	}
}

func TestApprovalOfAVersionThatChanged(t *testing.T) {
	h := newHouse(t, nil)
	c := h.join(nil)
	id, plan := h.waiting(c)
	box := must(t, c, "get_inbox", args{"workflow_id": id}).Doc["asks"].([]any)
	digest := box[0].(map[string]any)["digest"]
	h.write(plan, "# Another plan\n")
	got := ask(t, c, "approve_step", args{"workflow_id": id, "step": 3, "approved": true, "version": digest})
	if got.Code != fault.StaleVerdict || got.Next == 0 {
		t.Errorf("got %s", got.Text)
	}
	must(t, c, "approve_step", args{"workflow_id": id, "step": 3, "approved": true})
}

func TestWhoApprovedIsRecorded(t *testing.T) {
	accept := &mcp.ClientOptions{ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept"}, nil
	}}
	for _, tt := range []struct {
		name      string
		client    *mcp.ClientOptions
		confirmed bool
	}{{"asked", accept, true}, {"not asked", nil, false}} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHouse(t, nil)
			c := h.join(tt.client)
			id, _ := h.waiting(c)
			must(t, c, "approve_step", args{"workflow_id": id, "step": 3, "approved": true})
			log, err := h.app.Engine.Journal.Load(t.Context(), id, 0)
			if err != nil {
				t.Fatal(err)
			}
			var by []kernel.Actor
			for _, b := range log {
				events, err := kernel.Decode(b.Events)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range events {
					if kernel.Word(e.Fact) == "review_recorded" {
						by = append(by, e.By)
					}
				}
			}
			want := kernel.Actor{Kind: kernel.Person, Name: "ann", Via: "mcp tester", Confirmed: tt.confirmed}
			if len(by) == 0 || by[len(by)-1] != want {
				t.Errorf("reviews are by %+v, want %+v", by, want)
			}
		})
	}
}

func TestDriveToTheEnd(t *testing.T) {
	h := newHouse(t, nil)
	c := h.join(nil)
	id := must(t, c, "start_generation", args{"scene_id": "0204", "drive": true}).Doc["workflow_id"].(string)
	until := func(what string, is func(map[string]any) bool) {
		t.Helper()
		for range 100000 {
			doc := must(t, c, "get_workflow_status", args{"workflow_id": id}).Doc
			if is(doc) {
				return
			}
			if doc["drive"] != nil && doc["drive"].(map[string]any)["state"] == "failed" {
				t.Fatalf("%v", doc)
			}
		}
		t.Fatalf("it never %s", what)
	}
	until("waits", func(d map[string]any) bool { return d["waiting_for_approval"] == true })
	must(t, c, "approve_step", args{"workflow_id": id, "step": 3, "approved": true})
	until("ends", func(d map[string]any) bool { return d["status"] == "completed" && d["drive"] == nil })
	if got := fmt.Sprint(must(t, c, "get_metrics", args{"workflow_id": id}).Doc["workflow_metrics"].(map[string]any)["workflow_id"]); got != id {
		t.Errorf("metrics of %s", got)
	}
}

func TestKeptStatusFollowsEveryChange(t *testing.T) {
	h := newHouse(t, nil)
	c := h.join(nil)
	id, plan := h.waiting(c)
	status := func() answer { return must(t, c, "get_workflow_status", args{"workflow_id": id}) }
	want := func(what string) {
		t.Helper()
		doc, err := h.app.WorkflowStatus(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		body, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(body), status().Text); diff != "" {
			t.Errorf("after %s (-want +got):\n%s", what, diff)
		}
	}
	status()
	want("nothing")
	h.write(plan, "# Another plan\n")
	status()
	want("an edit")
	if _, err := h.app.ApproveStep(t.Context(), scene.Approval{WorkflowID: id, Step: 3, Approved: true}); err != nil {
		t.Fatal(err)
	}
	if status().Doc["current_step"] != 4.0 {
		t.Errorf("after an approval elsewhere: %s", status().Text)
	}
	want("an approval")
}
