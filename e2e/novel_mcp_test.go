package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sluice/internal/app"
	"sluice/internal/mcpserver"
)

// bookClient is an MCP client of a workspace with one book.
type bookClient struct {
	*shell
	session *mcp.ClientSession
}

// client starts the program as an MCP server on its standard input and output.
func (s *shell) client(args ...string) bookClient {
	s.t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, nil).
		Connect(s.t.Context(), &mcp.CommandTransport{Command: s.command(s.t.Context(), "", append(args, "mcp")...)}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = session.Close() })
	return bookClient{s, session}
}

// ask calls a tool about the book and gives its document; arguments are JSON without braces.
func (c bookClient) ask(tool, args string) (doc string, isError bool) {
	c.t.Helper()
	if args != "" {
		args = ", " + args
	}
	res, err := c.session.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(`{"project": "b"` + args + `}`)})
	if err != nil {
		c.t.Fatalf("%s: %v", tool, err)
	}
	text, ok := res.Content[0].(*mcp.TextContent)
	if !ok {
		c.t.Fatalf("%s answers with %T", tool, res.Content[0])
	}
	return text.Text, res.IsError
}

// must calls a tool that is not refused.
func (c bookClient) must(tool, args string) string {
	c.t.Helper()
	doc, isError := c.ask(tool, args)
	if isError {
		c.t.Fatalf("%s %s: %s", tool, args, doc)
	}
	return doc
}

// shownBook is what novel_status shows.
type shownBook struct {
	app.NovelShown
	Drive *mcpserver.DriveDoc
}

// rest waits until the server does nothing about the book.
func (c bookClient) rest() (b shownBook) {
	c.t.Helper()
	for range 20_000 {
		b = shownBook{}
		if err := json.Unmarshal([]byte(c.must("novel_status", "")), &b); err != nil {
			c.t.Fatal(err)
		}
		if b.Drive == nil || b.Drive.State != "running" {
			return b
		}
	}
	c.t.Fatal("the server works on the book for ever")
	return b
}

// pendingSecond is a book whose plans stand and whose second chapter waits after a logic review.
func pendingSecond(t *testing.T) *planned {
	p := newBook(t, "--logic-review", "blocking")
	s := &shell{t: t, dir: p.dir}
	low := s.write("low.yaml", "- {agent: logic-review, when: {chapter_number: 2}, calls: [1], reply: {overall_score: 60, issues: [{issue_type: motive, description: nobody wants, severity: high}]}}\n")
	s.mustRun(0, "novel", "run", "b", "--until", "plan")
	s.mustRun(4, "--rehearsal", low, "novel", "run", "b")
	return p
}

// TestTheGateIsTheSameAtBothDoors asks for everything that would generate something of the third chapter while the second waits,
// through both doors: the refusals are the same, field by field.
func TestTheGateIsTheSameAtBothDoors(t *testing.T) {
	t.Parallel()
	s := pendingSecond(t).copied(t)
	c := s.client()
	before := s.files("projects/b")
	for _, request := range []struct{ tool, args, command string }{
		{"novel_run", "", "run b"},
		{"novel_run", `"chapters": [1, 3]`, "resume b --chapters 1,3"},
		{"novel_step", `"step": "text", "chapters": [3]`, "step b text --chapters 3"},
		{"novel_step", `"step": "plan", "chapters": [3], "force": true`, "step b plan --chapters 3 --force"},
		{"chapter.text.generate", `"chapter_number": 3`, "step b text --chapters 3"},
		{"chapter.text.generate", `"chapter_number": 3, "force": true`, "regen b 3"},
		{"scene.generate", `"chapter_number": 3, "scene_number": 1`, "scene generate b 3 1"},
		{"scene.merge_to_chapter", `"chapter_number": 3`, "scene merge b 3"},
		{"novel_regen", `"chapter_number": 3`, "regen b 3"},
	} {
		got, isError := c.ask(request.tool, request.args)
		want, _ := s.mustRun(4, append([]string{"--json", "novel"}, strings.Fields(request.command)...)...)
		if !isError {
			t.Errorf("%s %s is not refused: %s", request.tool, request.args, got)
			continue
		}
		if diff := cmp.Diff(fields(t, want), fields(t, got)); diff != "" {
			t.Errorf("%s and %q are refused in different words (-command line +mcp):\n%s", request.tool, request.command, diff)
		}
		for _, field := range []string{"blocked_chapter", "target_chapter", "revision_status_file", "logic_review_report_file", "pending_chapters", "triggered_by",
			"revision_notes", "next_actions", "observed_score", "min_score", "high_issues_count"} {
			if fields(t, got)[field] == nil {
				t.Errorf("%s is refused without %s: %s", request.tool, field, got)
			}
		}
	}
	if diff := cmp.Diff(before, s.files("projects/b")); diff != "" {
		t.Errorf("what was refused changed something (-before +after):\n%s", clip(diff))
	}
}

// fields are those of an error document.
func fields(t *testing.T, doc string) map[string]any {
	t.Helper()
	var d struct{ Error map[string]any }
	if err := json.Unmarshal([]byte(doc), &d); err != nil {
		t.Fatalf("%v: %s", err, doc)
	}
	return d.Error
}

// TestWaysOutThroughMCP goes each way out of a pending revision through its tools, and then on to the end of the book.
func TestWaysOutThroughMCP(t *testing.T) {
	t.Parallel()
	p := pendingSecond(t)
	for name, way := range map[string]func(c bookClient){
		"apply_revision": func(c bookClient) {
			if doc, isError := c.ask("novel_apply", `"chapter_number": 2`); !isError || !strings.Contains(doc, "generate_candidate") {
				c.t.Errorf("without a candidate: %s", doc)
			}
			c.must("novel_candidate", `"chapter_number": 2`)
			if b := c.rest(); b.Block == nil || b.Next[2].After != "" {
				c.t.Errorf("with a candidate: %+v", b)
			}
			wantAll(c.t, c.must("novel_apply", `"chapter_number": 2`), `"status":"accepted"`, `via mcp tester`)
		},
		"reject": func(c bookClient) {
			wantAll(c.t, c.must("novel_reject", `"chapter_number": 2, "reason": "it is meant so"`), `"status":"rejected"`)
		},
		"regen":    func(c bookClient) { c.must("novel_regen", `"chapter_number": 2`) },
		"rollback": func(c bookClient) { c.must("novel_rollback", `"to_chapter": 2`) },
		"review of a text that was mended": func(c bookClient) {
			wantAll(c.t, c.must("novel_review", `"chapter_number": 2`), `"passed":false`, `"block"`)
			file := filepath.Join("projects", "b", "chapters", "chapter_002.json")
			text := string(mustRead(filepath.Join(c.dir, file)))
			c.write(file, strings.Replace(text, `"content": "`, `"content": "She wanted the door. `, 1))
			if b := c.rest(); b.BlockedChapter == nil {
				c.t.Error("an edit opens the gate")
			}
			c.must("novel_review", `"chapter_number": 2`)
			c.rest()
			wantAll(c.t, c.must("novel_review", `"chapter_number": 2`), `"passed":true`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := p.copied(t).client()
			if b := c.rest(); b.Block == nil || b.Block.BlockedChapter != 2 || *b.Block.ObservedScore != 60 || len(b.Next) != 5 {
				t.Errorf("it begins with %+v", b)
			}
			way(c)
			if b := c.rest(); b.BlockedChapter != nil || b.Block != nil || b.Drive != nil {
				t.Errorf("the gate is still shut: %+v", b)
			}
			c.must("novel_run", "")
			if b := c.rest(); b.Steps["text"] != "done" || b.Drive != nil {
				t.Errorf("the book does not go on: %+v", b)
			}
			c.mustRun(0, "verify")
		})
	}
}

// TestADriveThatComesToTheGate: work that goes on behind a call and ends at a pending chapter says so, with the files and ways out.
func TestADriveThatComesToTheGate(t *testing.T) {
	t.Parallel()
	s := newBook(t, "--logic-review", "blocking").copied(t)
	c := s.client("--rehearsal", s.write("low.yaml", "- {agent: logic-review, reply: {overall_score: 10}}\n"))
	c.must("novel_run", "")
	b := c.rest()
	if b.Drive == nil || b.Drive.Code != "revision_pending" {
		t.Errorf("the drive ended with %+v", b.Drive)
	}
	if b.Block == nil || b.Block.BlockedChapter != 1 || b.Block.RevisionStatusFile != "projects/b/chapters/chapter_001_revision.json" ||
		b.Block.LogicReviewReportFile != "projects/b/reviews/chapter_001_logic_review.json" || len(b.Next) != 5 {
		t.Errorf("got %+v with %+v", b.Block, b.Next)
	}
	if s.files("projects/b")["chapters/chapter_002_plan.json"] != "" {
		t.Error("the second chapter was planned")
	}
}
