package mcpserver

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sluice/internal/fault"
)

// The two generations of the protocol: clients of the older one are asked by the server itself.
var protocols = map[string]string{"older protocol": "2025-06-18", "newest protocol": "2026-07-28"}

func newServer(t *testing.T, d *desk, change func(*Options)) *Server {
	t.Helper()
	o := Options{As: d.as, Person: "ann", Profile: Operator, Version: "test",
		Read: func(_ context.Context, path string) ([]byte, error) {
			if path == "workspace/verification-plan.md" {
				return []byte("# the plan\n"), nil
			}
			return nil, fault.New(fault.NotFound, path, "%s does not exist", path)
		}}
	if change != nil {
		change(&o)
	}
	s, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// client is someone at the other end.
type client struct {
	t *testing.T
	*mcp.ClientSession
}

func connect(t *testing.T, s *Server, protocol string, o *mcp.ClientOptions) client {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	if _, err := s.lasting.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, o).
		Connect(t.Context(), here, &mcp.ClientSessionOptions{ProtocolVersion: protocol})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return client{t, session}
}

func (c client) call(tool, args string) *mcp.CallToolResult {
	c.t.Helper()
	params := &mcp.CallToolParams{Name: tool}
	if args != "" {
		params.Arguments = json.RawMessage(args)
	}
	res, err := c.CallTool(c.t.Context(), params)
	if err != nil {
		c.t.Fatalf("%s: %v", tool, err)
	}
	return res
}

// must gives the document of a call that succeeds.
func must[T any](c client, tool, args string) T {
	c.t.Helper()
	res := c.call(tool, args)
	if res.IsError {
		c.t.Fatalf("%s %s: %s", tool, args, textOf(c.t, res))
	}
	var doc T
	if err := json.Unmarshal([]byte(textOf(c.t, res)), &doc); err != nil {
		c.t.Fatal(err)
	}
	return doc
}

// refused gives the code of a call that is refused.
func refused(c client, tool, args string) (fault.Code, string) {
	c.t.Helper()
	res := c.call(tool, args)
	text := textOf(c.t, res)
	if !res.IsError || res.StructuredContent != nil {
		c.t.Fatalf("%s %s succeeded: %s", tool, args, text)
	}
	var doc struct {
		Error struct {
			Code    fault.Code     `json:"code"`
			Message string         `json:"message"`
			Subject *string        `json:"subject"`
			Next    []fault.Action `json:"next_actions"`
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		c.t.Fatalf("%s: %v in %s", tool, err, text)
	}
	if doc.Error.Subject == nil || doc.Error.Next == nil || doc.Error.Message == "" {
		c.t.Errorf("%s: the refusal lacks fields: %s", tool, text)
	}
	return doc.Error.Code, doc.Error.Message
}

func textOf(t *testing.T, res *mcp.CallToolResult) string {
	t.Helper()
	if len(res.Content) != 1 {
		t.Fatalf("%d pieces of content", len(res.Content))
	}
	text, ok := res.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("content is %T", res.Content[0])
	}
	return text.Text
}
