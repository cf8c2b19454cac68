package mcpserver

import (
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line/scene"
)

// call is one tool call on its way to a verb.
type call struct {
	*Server
	req           *mcp.CallToolRequest
	hasConnection bool // the client stays connected, so a current session can be remembered for it
}

// client is the name under which the calling program goes.
func (c *call) client() string {
	if info := c.req.ClientInfo(); info != nil && strings.TrimSpace(info.Name) != "" {
		return clip(strings.TrimSpace(info.Name))
	}
	return "unknown"
}

// asClient are the verbs in the name of the program that calls: it reports work, it decides nothing.
func (c *call) asClient() Verbs {
	return c.opts.As(kernel.Actor{Kind: kernel.Client, Name: c.client(), Via: "mcp " + c.client()})
}

// asPerson are the verbs in the name of the person behind the client. Whether the person confirmed it is recorded.
// Agents are never given a person's name.
func (c *call) asPerson(confirmed bool) Verbs {
	if c.opts.Profile == Agent {
		return c.asClient()
	}
	return c.opts.As(kernel.Actor{Kind: kernel.Person, Name: c.opts.Person, Via: "mcp " + c.client(), Confirmed: confirmed})
}

// session is the session a call is about: the one it names, else the current one of its connection.
func (c *call) session(named string) (string, error) {
	if err := scene.CheckSession(named); err != nil || named != "" {
		return named, err
	}
	return c.current.of(c.req.Session), nil
}

// currents remembers the current session of each connection.
type currents struct {
	mu   sync.Mutex
	name map[*mcp.ServerSession]string
}

func (c *currents) of(at *mcp.ServerSession) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.name[at]
}

// set makes a session the current one of a connection, and forgets connections that have ended.
func (c *currents) set(at *mcp.ServerSession, name string, server *mcp.Server) {
	live := map[*mcp.ServerSession]bool{}
	for s := range server.Sessions() {
		live[s] = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for s := range c.name {
		if !live[s] {
			delete(c.name, s)
		}
	}
	if name == "" {
		delete(c.name, at)
		return
	}
	c.name[at] = name
}

// leave makes connections whose current session is gone work without one.
func (c *currents) leave(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for s, n := range c.name {
		if n == name {
			delete(c.name, s)
		}
	}
}

// needsConnection refuses what only a connection could remember.
func (c *call) needsConnection(name string) error {
	if c.hasConnection {
		return nil
	}
	return fault.New(fault.BadValue, name, "this protocol has no connection that could remember a current session").
		With(fault.Action{Action: "name it", Why: "give session_name " + name + " with each call"})
}
