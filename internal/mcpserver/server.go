package mcpserver

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sluice/internal/fault"
	"sluice/internal/kernel"
)

// Profile says for whom tools are served.
type Profile string

// The profiles. An operator's client has a person behind it; an agent's has not, and is served no approving tool.
const (
	Operator Profile = "operator"
	Agent    Profile = "agent"
)

// ParseProfile reads a profile; empty is the operator's.
func ParseProfile(text string) (Profile, error) {
	switch p := Profile(text); p {
	case "":
		return Operator, nil
	case Operator, Agent:
		return p, nil
	}
	return "", fault.New(fault.Usage, "--profile", "profile %q is none of %s, %s", clip(text), Operator, Agent).
		With(fault.Action{Action: "help", Command: "sluice mcp --help", Why: "it says what the profiles serve"})
}

// Options are what a server is made of.
type Options struct {
	As            func(by kernel.Actor) Verbs                            // the verbs, in someone's name
	Read          func(ctx context.Context, path string) ([]byte, error) // a file of the workspace
	Person        string                                                 // whose name approvals are recorded under
	RequirePerson bool                                                   // approvals that no person confirmed are refused
	Profile       Profile
	Version       string
	Log           *slog.Logger
}

// Server serves one workspace to MCP clients. What it drives in the background ends with it.
type Server struct {
	opts     Options
	tools    []tool
	drives   *drives
	current  currents
	seal     seal
	watch    watch
	statuses statuses
	busy     activity
	lasting  *mcp.Server // serves clients that stay connected: stdio, and HTTP with sessions
	fleeting *mcp.Server // serves single requests: HTTP without sessions
}

// New makes a server. Its background work ends when ctx does.
func New(ctx context.Context, o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{opts: o, drives: newDrives(ctx, o.Log), current: currents{name: map[*mcp.ServerSession]string{}},
		watch: watch{uris: map[string]*watched{}}, statuses: statuses{kept: map[string]keptStatus{}}}
	if _, err := rand.Read(s.seal[:]); err != nil {
		return nil, err
	}
	all, err := tools()
	if err != nil {
		return nil, err
	}
	s.tools = slices.DeleteFunc(all, func(t tool) bool { return t.isApproving && o.Profile == Agent })
	s.lasting, s.fleeting = s.build(true), s.build(false)
	return s, nil
}

const instructions = `Sluice runs work through gates: scene workflows, books (novel_…) and specs (spec_…). In a workflow, ask
get_next_step before you work and report with update_workflow_state what you did. What waits for approval waits for a person;
get_inbox lists it. Every refusal is an error with a code and next_actions: do one of them instead of trying again.`

func (s *Server) build(hasConnection bool) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "sluice", Title: "Sluice", Version: s.opts.Version}, &mcp.ServerOptions{
		Instructions: strings.ReplaceAll(instructions, "\n", " "), Logger: slog.New(slog.DiscardHandler),
		Capabilities:       &mcp.ServerCapabilities{},
		SubscribeHandler:   s.subscribe,
		UnsubscribeHandler: s.unsubscribe,
	})
	for _, t := range s.tools {
		server.AddTool(t.description(), s.handler(t, hasConnection))
	}
	s.addResources(server)
	server.AddReceivingMiddleware(s.busy.counted, s.listing, whole)
	return server
}

// askTime is how long a client of an older protocol may keep its call open while it asks its user. Silence is no consent.
const askTime = 10 * time.Minute

// whole turns a tool call that broke on its way, such as a question that the client could not put, into a tool error.
// Calls of tools that do not exist stay protocol errors.
func whole(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method != "tools/call" {
			return next(ctx, method, req)
		}
		bounded, cancel := context.WithTimeout(ctx, askTime)
		defer cancel()
		res, err := next(bounded, method, req)
		if err == nil || ctx.Err() != nil {
			return res, err
		}
		if _, isOurs := err.(*jsonrpc.Error); isOurs { // not wrapped: a client's own error would be
			return res, err
		}
		return refusal(fault.Wrap(fault.PersonRequired, "", err, "the client did not answer what it was asked; nothing was recorded").
			With(fault.Action{Action: "call again", Why: "the person is asked again"})), nil
	}
}

// Stdio serves one client over a pair of streams until it leaves or ctx ends. With the client the server ends.
func (s *Server) Stdio(ctx context.Context, in io.Reader, out io.Writer) error {
	defer s.Stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go s.watching(ctx)
	return s.Talk(ctx, in, out)
}

// Talk serves one of several clients over a pair of streams until it leaves or ctx ends.
func (s *Server) Talk(ctx context.Context, in io.Reader, out io.Writer) error {
	answers := noted{oneAtATime{&sync.Mutex{}, out}, &s.busy}
	questions := lingering{newMessages(in, answers), ctx, &s.busy}
	err := s.lasting.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(questions), Writer: answers})
	if ctx.Err() != nil || errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) {
		return nil // asked to end, or the client left
	}
	if err != nil {
		return fmt.Errorf("serving stdio: %w", err)
	}
	return nil
}

// Stop ends the background work and waits until it has ended.
func (s *Server) Stop() { s.drives.stop() }
