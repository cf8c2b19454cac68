package mcpserver

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"sluice/internal/fault"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// calls is one good call per tool.
var calls = with(specCalls, map[string]string{
	"get_workflow_status":    `{"workflow_id":"` + waiting + `"}`,
	"get_next_step":          `{"workflow_id":"` + waiting + `"}`,
	"validate_prerequisites": `{"workflow_id":"` + waiting + `","step":4}`,
	"approve_step":           `{"workflow_id":"` + waiting + `","step":3,"approved":true,"modifications":{"emotional_tone":"detached"}}`,
	"update_workflow_state":  `{"workflow_id":"` + waiting + `","step":4,"status":"in_progress","artifacts":{"draft":"workspace/draft.md"}}`,
	"list_workflows":         `{"status":"in_progress","workflow_type":"generation"}`,
	"resume_workflow":        `{"workflow_id":"` + waiting + `","from_step":4}`,
	"cancel_workflow":        `{"workflow_id":"` + waiting + `","reason":"enough"}`,
	"start_generation":       `{"scene_id":"0204"}`,
	"start_planning":         `{"level":"scene","act":1,"chapter":2,"scene":4,"session_name":"s1"}`,
	"create_session":         `{"session_name":"s2"}`,
	"list_sessions":          `{}`,
	"switch_session":         `{"session_name":"s1"}`,
	"commit_session":         `{"session_name":"s1"}`,
	"cancel_session":         `{"session_name":"s1"}`,
	"get_inbox":              `{}`,
	"get_metrics":            `{"workflow_id":"` + choice + `","session_name":"s1"}`,
	"resolve_path":           `{"path":"acts/act-1/a.md","write":true,"session_name":"s1"}`,
	"novel_new":              `{"project":"mybook","premise":"a door in the sea","target_chapters":3}`,
	"novel_set":              `{"project":"mybook","settings":{"author":"Ann"}}`,
	"novel_list":             `{}`,
	"novel_status":           `{"project":"mybook"}`,
	"novel_context":          `{"project":"mybook","chapter_number":1}`,
	"novel_stale":            `{"project":"mybook"}`,
	"novel_lock":             `{"project":"mybook","chapters":[2,1,2]}`,
	"novel_export":           `{"project":"mybook","format":"epub"}`,
	"novel_run":              `{"project":"mybook-a","chapters":[1,2]}`,
	"novel_step":             `{"project":"mybook-b","step":"outline","force":true}`,
	"chapter.text.generate":  `{"project":"mybook-c","chapter_number":2}`,
	"scene.generate":         `{"project":"mybook-d","chapter_number":2,"scene_number":1}`,
	"scene.merge_to_chapter": `{"project":"mybook-e","chapter_number":2}`,
	"novel_regen":            `{"project":"mybook-f","chapter_number":2}`,
	"novel_check":            `{"project":"mybook","chapter_number":1}`,
	"novel_review":           `{"project":"mybook-g","chapter_number":2}`,
	"novel_memory":           `{"project":"mybook","recent":2}`,
	"novel_memory_rebuild":   `{"project":"mybook-h"}`,
	"novel_candidate":        `{"project":"mybook-i","chapter_number":2}`,
	"novel_apply":            `{"project":"mybook-j","chapter_number":2}`,
	"novel_reject":           `{"project":"mybook","chapter_number":2,"reason":"intended"}`,
	"novel_rollback":         `{"project":"mybook","to_chapter":2,"to_scene":1}`,
})

func with(more, all map[string]string) map[string]string {
	maps.Copy(all, more)
	return all
}

// ordered are the tools in an order in which each has something to do: a session is thrown away last.
func ordered() []string {
	names := slices.Sorted(maps.Keys(calls))
	return append(slices.DeleteFunc(names, func(n string) bool { return n == "cancel_session" }), "cancel_session")
}

func listed(t *testing.T, c client) map[string]*mcp.Tool {
	t.Helper()
	res, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*mcp.Tool{}
	for _, tool := range res.Tools {
		all[tool.Name] = tool
	}
	return all
}

func TestToolsGolden(t *testing.T) {
	c := connect(t, newServer(t, newDesk(), nil), "", nil)
	res, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	enc := json.NewEncoder(&got)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(res.Tools); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "tools.golden")
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got.String()); diff != "" {
		t.Errorf("%s (-want +got), go test ./internal/mcpserver -update rewrites it:\n%s", path, diff)
	}
}

func TestEveryToolAnswersAsItsSchemaSays(t *testing.T) {
	for name, protocol := range protocols {
		t.Run(name, func(t *testing.T) {
			c := connect(t, newServer(t, newDesk(), nil), protocol, nil)
			all := listed(t, c)
			if len(all) != len(calls) {
				t.Errorf("%d tools are served and %d tried", len(all), len(calls))
			}
			for _, tool := range ordered() {
				args, description := calls[tool], all[tool]
				if description == nil {
					t.Errorf("%s is not served", tool)
					continue
				}
				fits(t, tool+" input", description.InputSchema, []byte(args))
				res := c.call(tool, args)
				if res.IsError {
					t.Errorf("%s: %s", tool, textOf(t, res))
					continue
				}
				fits(t, tool+" output", description.OutputSchema, []byte(textOf(t, res)))
				structured, err := json.Marshal(res.StructuredContent)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(decoded(t, []byte(textOf(t, res))), decoded(t, structured)); diff != "" {
					t.Errorf("%s: text and structured content differ:\n%s", tool, diff)
				}
			}
		})
	}
}

// fits validates with another implementation than the one that made the schema.
func fits(t *testing.T, what string, schema any, doc []byte) {
	t.Helper()
	raw, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("schema.json", decoded(t, raw)); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if err := compiled.Validate(decoded(t, doc)); err != nil {
		t.Errorf("%s: %v\n%s", what, err, doc)
	}
}

func decoded(t *testing.T, raw []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestRefusals(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	c := connect(t, newServer(t, newDesk(), nil), "", nil)
	for _, tt := range []struct {
		name, tool, args string
		code             fault.Code
		says             string
	}{
		{"unknown field", "get_workflow_status", `{"workflow_id":"` + waiting + `","verbose":true}`, fault.BadValue, `has no field "verbose"; it takes session_name, workflow_id`},
		{"field in other letters", "get_workflow_status", `{"Workflow_ID":"` + waiting + `"}`, fault.BadValue, "has no field"},
		{"field given twice", "get_workflow_status", `{"workflow_id":"a","workflow_id":"b"}`, fault.BadValue, "twice"},
		{"missing field", "validate_prerequisites", `{"workflow_id":"` + waiting + `"}`, fault.BadValue, "validate_prerequisites needs step"},
		{"no arguments", "get_next_step", ``, fault.BadValue, "needs workflow_id"},
		{"null", "get_next_step", `{"workflow_id":null}`, fault.BadValue, "null"},
		{"wrong type", "validate_prerequisites", `{"workflow_id":"` + waiting + `","step":"four"}`, fault.BadValue, "a whole number is needed"},
		{"fraction", "validate_prerequisites", `{"workflow_id":"` + waiting + `","step":1.5}`, fault.BadValue, "a whole number is needed"},
		{"a list of arguments", "get_next_step", `["a"]`, fault.BadValue, "no JSON object"},
		{"id with a path", "get_workflow_status", `{"workflow_id":"../../etc/passwd"}`, fault.BadValue, "workflow id"},
		{"id with a newline", "get_workflow_status", `{"workflow_id":"a\nb"}`, fault.BadValue, "workflow id"},
		{"unknown workflow", "get_workflow_status", `{"workflow_id":"generation-scene-9999"}`, fault.UnknownRun, "there is no run"},
		{"session with a path", "list_workflows", `{"session_name":"../x"}`, fault.BadValue, "session name"},
		{"workflow of another session", "get_workflow_status", `{"workflow_id":"` + waiting + `","session_name":"s1"}`, fault.UnknownRun, "session s1 has no workflow"},
		{"next step in another session", "get_next_step", `{"workflow_id":"` + waiting + `","session_name":"s1"}`, fault.UnknownRun, "session s1 has no workflow"},
		{"an artifact of 1 MB", "update_workflow_state", `{"workflow_id":"` + waiting + `","step":4,"status":"completed","artifacts":{"draft":"` + big + `"}}`, fault.BadValue, "at most"},
		{"session that is not there", "switch_session", `{"session_name":"nobody"}`, fault.NotFound, "no open session"},
		{"no session at all", "commit_session", `{}`, fault.BadValue, "no session is named"},
		{"step that does not wait", "approve_step", `{"workflow_id":"` + waiting + `","step":5,"approved":true}`, fault.IllegalStep, "does not wait"},
		{"stale version", "approve_step", `{"workflow_id":"` + waiting + `","step":3,"approved":true,"version":"sha256:` + strings.Repeat("0", 64) + `"}`, fault.StaleVerdict, "another version"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c.t = t
			code, message := refused(c, tt.tool, tt.args)
			if code != tt.code || !strings.Contains(message, tt.says) {
				t.Errorf("got %s: %s, want %s: … %s …", code, message, tt.code, tt.says)
			}
		})
	}
}

func TestUnknownToolIsNoToolError(t *testing.T) {
	c := connect(t, newServer(t, newDesk(), nil), "", nil)
	if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "drop_everything"}); err == nil || !strings.Contains(err.Error(), "unknown tool") {
		t.Errorf("got %v", err)
	}
}

func TestAgentsDecideNothing(t *testing.T) {
	d := newDesk()
	c := connect(t, newServer(t, d, func(o *Options) { o.Profile = Agent }), "", nil)
	all := listed(t, c)
	for _, tool := range []string{"approve_step", "cancel_session"} {
		if all[tool] != nil {
			t.Errorf("%s is served to agents", tool)
		}
		if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(calls[tool])}); err == nil {
			t.Errorf("%s was called", tool)
		}
	}
	if code, _ := refused(c, "commit_session", `{"session_name":"s1","confirm":true}`); code != fault.PersonRequired {
		t.Errorf("confirm gives %s", code)
	}
	if doc := must[struct{ Preview bool }](c, "commit_session", `{"session_name":"s1"}`); !doc.Preview {
		t.Error("no preview")
	}
	must[struct{}](c, "resume_workflow", calls["resume_workflow"])
	if want := "resume " + waiting + " 4 by client tester via mcp tester"; !slices.Contains(d.acts, want) {
		t.Errorf("acts are %q, want %q", d.acts, want)
	}
	if len(d.by) > 0 {
		t.Errorf("decided by %v", d.by)
	}
}

func TestSessionOfAConnection(t *testing.T) {
	d := newDesk()
	s := newServer(t, d, nil)
	one, other := connect(t, s, "", nil), connect(t, s, "", nil)
	must[switchDoc](one, "switch_session", `{"session_name":"s1"}`)
	type page struct {
		Total   int
		Current string
	}
	if got := must[page](one, "list_workflows", `{}`); got.Total != 1 {
		t.Errorf("%d workflows in the current session, want 1", got.Total)
	}
	if got := must[page](other, "list_workflows", `{}`); got.Total != 2 {
		t.Errorf("%d workflows for the other connection, want 2", got.Total)
	}
	if got := must[page](one, "list_sessions", `{}`); got.Current != "s1" {
		t.Errorf("current is %q", got.Current)
	}
	if got := must[page](other, "list_sessions", `{}`); got.Current != "" {
		t.Errorf("current of the other is %q", got.Current)
	}
	must[struct{}](one, "start_generation", `{"scene_id":"0204"}`)
	if want := `start 0204 in "s1" drive false by person ann via mcp tester`; !slices.Contains(d.acts, want) {
		t.Errorf("acts are %q, want %q", d.acts, want)
	}
	must[switchDoc](one, "switch_session", `{}`)
	if got := must[page](one, "list_workflows", `{}`); got.Total != 2 {
		t.Errorf("%d workflows after leaving, want 2", got.Total)
	}
	must[switchDoc](one, "switch_session", `{"session_name":"s1"}`)
	must[struct{}](one, "cancel_session", `{}`)
	if got := must[page](one, "list_sessions", `{}`); got.Current != "" {
		t.Errorf("the cancelled session %q is still current", got.Current)
	}
}
