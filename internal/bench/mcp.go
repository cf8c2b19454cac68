package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sluice/internal/app"
	"sluice/internal/config"
	"sluice/internal/kernel"
	"sluice/internal/line/scene"
	"sluice/internal/mcpserver"
	"sluice/internal/wire"
	"sluice/internal/workspace"
)

const callsPerRound = 1000

// mcpCalls measures calls per second over a pair of pipes, as stdio has them: get_workflow_status against a bare typed
// tool of the same SDK with the same output, one after the other in each round; and update_workflow_state, which
// commits.
func mcpCalls(ctx context.Context, rounds int) (err error) {
	dir, err := os.MkdirTemp("", "sluice-mcp")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	a, done, err := openWorkspace(ctx, dir, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	status, err := a.StartGeneration(ctx, scene.StartGeneration{SceneID: "0204"})
	if err != nil {
		return err
	}
	server, err := mcpserver.New(ctx, mcpserver.Options{Person: "bench", Profile: mcpserver.Operator,
		As: func(by kernel.Actor) mcpserver.Verbs {
			one := *a
			one.By = by
			return &one
		},
		Read: func(_ context.Context, path string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, path)) }})
	if err != nil {
		return err
	}
	defer server.Stop()
	ours, err := dial(ctx, func(in io.ReadCloser, out io.WriteCloser) { _ = server.Talk(ctx, in, out) })
	if err != nil {
		return err
	}
	defer ours.Close()
	bare, err := dial(ctx, bareTool(ctx, status))
	if err != nil {
		return err
	}
	defer bare.Close()
	return compareCalls(ctx, rounds, ours, bare, status.WorkflowID, a)
}

func compareCalls(ctx context.Context, rounds int, ours, bare *mcp.ClientSession, id string, a *app.App) error {
	ask := func(int) map[string]any { return map[string]any{"workflow_id": id} }
	var rates, ratios, updates []float64
	for range rounds {
		floor, err := callRate(ctx, bare, callsPerRound, "get_workflow_status", ask)
		if err != nil {
			return err
		}
		rate, err := callRate(ctx, ours, callsPerRound, "get_workflow_status", ask)
		if err != nil {
			return err
		}
		update, err := updateRate(ctx, ours, callsPerRound/20, a)
		if err != nil {
			return err
		}
		rates, ratios, updates = append(rates, rate), append(ratios, rate/floor), append(updates, update)
	}
	// The ratio of each round, not of the medians: the machine may slow down in between.
	ratio := median(ratios)
	rate := median(rates)
	reportAgainst("mcp_status", rate, "calls/s", rate/ratio)
	report("mcp_update", median(updates), "calls/s")
	return nil
}

// updateRate reports step 1 of fresh workflows as completed; each report commits and writes files.
func updateRate(ctx context.Context, c *mcp.ClientSession, n int, a *app.App) (float64, error) {
	ids := make([]string, n)
	for i := range ids {
		doc, err := a.StartGeneration(ctx, scene.StartGeneration{SceneID: "0204"})
		if err != nil {
			return 0, err
		}
		ids[i] = doc.WorkflowID
	}
	return callRate(ctx, c, n, "update_workflow_state", func(i int) map[string]any {
		return map[string]any{"workflow_id": ids[i], "step": 1, "status": "completed"}
	})
}

func callRate(ctx context.Context, c *mcp.ClientSession, n int, tool string, args func(i int) map[string]any) (float64, error) {
	started := time.Now()
	for i := range n {
		res, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args(i)})
		if err != nil {
			return 0, err
		}
		if res.IsError {
			return 0, fmt.Errorf("%s: %s", tool, res.Content[0].(*mcp.TextContent).Text)
		}
	}
	return float64(n) / time.Since(started).Seconds(), nil
}

// bareTool serves a typed tool with a fixed output and nothing behind it.
func bareTool(ctx context.Context, doc scene.StatusDoc) func(io.ReadCloser, io.WriteCloser) {
	server := mcp.NewServer(&mcp.Implementation{Name: "bare", Version: "1"}, nil)
	type in struct {
		WorkflowID string `json:"workflow_id"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "get_workflow_status"}, func(context.Context, *mcp.CallToolRequest, in) (*mcp.CallToolResult, scene.StatusDoc, error) {
		return nil, doc, nil
	})
	return func(in io.ReadCloser, out io.WriteCloser) {
		_ = server.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
	}
}

// dial connects a client to what serve answers over pipes of the operating system.
func dial(ctx context.Context, serve func(io.ReadCloser, io.WriteCloser)) (*mcp.ClientSession, error) {
	here, there, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	back, forth, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	go serve(here, forth)
	return mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil).Connect(ctx, &mcp.IOTransport{Reader: back, Writer: there}, nil)
}

// openWorkspace makes a workspace in dir and opens it with a rehearsal script, or with none.
func openWorkspace(ctx context.Context, dir, script string) (*app.App, func() error, error) {
	if err := workspace.Init(dir, config.DefaultFile(), true); err != nil {
		return nil, nil, err
	}
	return reopenWorkspace(ctx, dir, script)
}

func reopenWorkspace(ctx context.Context, dir, script string) (*app.App, func() error, error) {
	settings, err := config.Load(config.Source{Environ: []string{"SLUICE_MODEL_CONCURRENCY=0"}}) // the workers are the limit
	if err != nil {
		return nil, nil, err
	}
	return wire.Open(ctx, wire.Setup{Root: dir, Settings: settings, Rehearsal: script, By: kernel.Actor{Kind: kernel.Person, Name: "bench", Via: "cli"}})
}
