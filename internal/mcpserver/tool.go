package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sluice/internal/fault"
	"sluice/internal/schema"
)

// tool is one verb as clients see it.
type tool struct {
	name, title, about string
	hints              hints
	isApproving        bool // a person's decision: agents are not served it
	in, out            json.RawMessage
	handle             func(ctx context.Context, c *call, args json.RawMessage) (json.RawMessage, error)
}

// hints say what a call does to the world, for clients that ask before they act.
type hints struct{ readOnly, destructive, idempotent, openWorld bool }

var (
	reads   = hints{readOnly: true, idempotent: true}
	adds    = hints{}
	repeats = hints{idempotent: true}
	removes = hints{destructive: true, idempotent: true}
	works   = hints{openWorld: true} // it may call a model
)

// define makes a tool of a verb: schemas from its types, arguments decoded strictly.
func define[In, Out any](t tool, in, out []schema.Option, verb func(ctx context.Context, c *call, in In) (Out, error)) (tool, error) {
	var err error
	if t.in, err = schema.For[In](in...); err != nil {
		return t, fmt.Errorf("input of %s: %w", t.name, err)
	}
	if t.out, err = schema.For[Out](out...); err != nil {
		return t, fmt.Errorf("output of %s: %w", t.name, err)
	}
	fields, err := shapeOf(t.name, t.in)
	if err != nil {
		return t, err
	}
	t.handle = func(ctx context.Context, c *call, args json.RawMessage) (json.RawMessage, error) {
		var given In
		if err := fields.read(args, &given); err != nil {
			return nil, err
		}
		doc, err := verb(ctx, c, given)
		if err != nil {
			return nil, err
		}
		return json.Marshal(doc)
	}
	return t, nil
}

// description is the tool as tools/list shows it.
func (t tool) description() *mcp.Tool {
	destructive, open := t.hints.destructive, t.hints.openWorld
	return &mcp.Tool{Name: t.name, Title: t.title, Description: t.about, InputSchema: t.in, OutputSchema: t.out,
		Annotations: &mcp.ToolAnnotations{Title: t.title, ReadOnlyHint: t.hints.readOnly, IdempotentHint: t.hints.idempotent,
			DestructiveHint: &destructive, OpenWorldHint: &open}}
}

// handler answers calls of the tool. Whatever a verb refuses is a tool error, so that the model behind the client sees
// it; protocol errors are for calls that are no calls.
func (s *Server) handler(t tool, hasConnection bool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		c := &call{Server: s, req: req, hasConnection: hasConnection}
		doc, err := t.handle(ctx, c, req.Params.Arguments)
		if q, ok := errors.AsType[*question](err); ok {
			return q.result(), nil
		}
		if err != nil {
			return refusal(err), nil
		}
		return &mcp.CallToolResult{StructuredContent: doc, Content: []mcp.Content{&mcp.TextContent{Text: string(doc)}}}, nil
	}
}

// refusal is a tool error with the document of every door: {"error":{code, message, subject, next_actions}}. It has no
// structured content: that is promised to fit the output schema.
func refusal(err error) *mcp.CallToolResult {
	f := fault.From(err)
	if errors.Is(err, context.Canceled) {
		f = fault.Wrap(fault.Interrupted, "", err, "the call was interrupted; nothing is lost").
			With(fault.Action{Action: "call again", Why: "what was committed stays committed"})
	}
	body, err := json.Marshal(struct {
		Error *fault.Error `json:"error"`
	}{f})
	if err != nil {
		body = []byte(`{"error":{"code":"unexpected","message":"the refusal does not marshal","subject":"","next_actions":[]}}`)
	}
	r := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(body)}}}
	r.SetError(f)
	return r
}
