package mcpserver_test

import (
	"context"
	"io"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sluice/internal/line/scene"
)

// bare is a typed tool of the SDK with the output of get_workflow_status and nothing behind it.
func bare(b *testing.B, doc scene.StatusDoc) *mcp.ClientSession {
	b.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "bare", Version: "1"}, nil)
	type in struct {
		WorkflowID string `json:"workflow_id"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "get_workflow_status"}, func(context.Context, *mcp.CallToolRequest, in) (*mcp.CallToolResult, scene.StatusDoc, error) {
		return nil, doc, nil
	})
	here, there := io.Pipe()
	back, forth := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	go func() { _ = server.Run(ctx, &mcp.IOTransport{Reader: here, Writer: forth}) }()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, nil).Connect(ctx, &mcp.IOTransport{Reader: back, Writer: there}, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close(); cancel() })
	return c
}

func BenchmarkCalls(b *testing.B) {
	h := newHouse(b, nil)
	c := h.join(nil)
	id, _ := h.waiting(c)
	status, err := h.app.WorkflowStatus(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	floor := bare(b, status)
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			must(b, floor, "get_workflow_status", args{"workflow_id": id})
		}
	})
	b.Run("get_workflow_status", func(b *testing.B) {
		for b.Loop() {
			must(b, c, "get_workflow_status", args{"workflow_id": id})
		}
	})
	b.Run("update_workflow_state", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			work := must(b, c, "start_generation", args{"scene_id": "0204"}).Doc["workflow_id"]
			b.StartTimer()
			must(b, c, "update_workflow_state", args{"workflow_id": work, "step": 1, "status": "completed"})
		}
	})
}
