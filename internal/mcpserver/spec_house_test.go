package mcpserver_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sluice/internal/fault"
	"sluice/internal/mcpserver"
)

// agreeing is a client whose person agrees, and what the person was shown.
func agreeing(shown *[]string) *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		*shown = append(*shown, req.Params.Message)
		return &mcp.ElicitResult{Action: "accept", Content: args{"comment": "agreed by all"}}, nil
	}}
}

// rested waits until the server does nothing about a feature any more.
func rested(t *testing.T, c *mcp.ClientSession, feature string) answer {
	t.Helper()
	for {
		got := must(t, c, "spec_questions", args{"feature_id": feature})
		drive, _ := got.Doc["drive"].(map[string]any)
		if drive == nil || drive["state"] != "running" {
			return got
		}
	}
}

func TestFeatureFromSentenceToDocument(t *testing.T) {
	h := newHouse(t, nil)
	h.write("notes/change.md", "## Acceptance criteria\n- what was found can be saved\n")
	var shown []string
	c := h.join(agreeing(&shown))
	begun := must(t, c, "spec_new", args{"text": "Find a book by any word of its title"})
	f := begun.Doc["feature_id"].(string)
	if got := rested(t, c, f); got.Doc["status"] != "executable_ready" || got.Doc["waiting_for"] != "review" {
		t.Fatal(got.Text)
	}
	if got := ask(t, c, "spec_publish", args{"feature_id": f, "target": "file"}); got.Code != fault.IllegalStep || got.Next == 0 {
		t.Errorf("published without go: %s", got.Text)
	}
	must(t, c, "spec_review", args{"feature_id": f, "decision": "go", "reason": "agreed"})
	if len(shown) != 1 || !strings.Contains(shown[0], "Decide go on S-") {
		t.Errorf("shown %q", shown)
	}
	if got := must(t, c, "spec_publish", args{"feature_id": f, "target": "file", "dry_run": true}); !strings.Contains(got.Text, `"operation":"created"`) {
		t.Error(got.Text)
	}
	if _, err := os.Stat(filepath.Join(h.dir, "published")); err == nil {
		t.Error("a dry run wrote a document")
	}
	must(t, c, "spec_publish", args{"feature_id": f, "target": "file"})
	must(t, c, "spec_amend", args{"feature_id": f, "files": []string{"notes/change.md"}})
	rested(t, c, f)
	for tool, says := range map[string]string{
		"spec_diff": "what was found can be saved", "spec_evidence": "doc://change.md#L2-L2", "spec_versions": `"decision":"go"`, "spec_show": `"schema_version":"1.0"`,
		"spec_validate": `"overall_pass":true`,
	} {
		if got := must(t, c, tool, args{"feature_id": f}); !strings.Contains(got.Text, says) {
			t.Errorf("%s does not say %s: %s", tool, says, got.Text)
		}
	}
	if got := must(t, c, "spec_trace", args{"feature_id": f, "path": "spec.goal"}); !strings.Contains(got.Text, `"source":"input"`) || !strings.Contains(got.Text, "person ann via mcp tester") {
		t.Error(got.Text)
	}
	if got := must(t, c, "spec_replay", args{"id": f}); got.Doc["same"] != true {
		t.Error(got.Text)
	}
	if got := ask(t, c, "spec_amend", args{"feature_id": f, "files": []string{"../../etc/passwd"}}); got.Code == "" {
		t.Error("a file outside the workspace was read")
	}
}

func TestAgentsBeginFeatures(t *testing.T) {
	h := newHouse(t, func(o *mcpserver.Options) { o.Profile = mcpserver.Agent })
	c := h.join(nil)
	f := must(t, c, "spec_new", args{"text": "Find a book by any word of its title"}).Doc["feature_id"].(string)
	if got := rested(t, c, f); got.Doc["status"] != "executable_ready" {
		t.Fatal(got.Text)
	}
	if got := must(t, c, "spec_trace", args{"feature_id": f, "path": "spec.goal"}); !strings.Contains(got.Text, "client tester via mcp tester") {
		t.Error(got.Text)
	}
}
