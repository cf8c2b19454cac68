package wire

import (
	"context"
	"net"
	"net/netip"
	"os"
	"path/filepath"

	"sluice/internal/cli"
	"sluice/internal/config"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/mcpserver"
	"sluice/internal/workspace"
)

// serve opens the workspace for MCP clients, over HTTP if an address is given.
func serve(ctx context.Context, o cli.Serving, b Between) (err error) {
	profile, err := mcpserver.ParseProfile(o.Profile)
	if err != nil {
		return err
	}
	root, err := workspace.Find(o.Dir, o.Workspace)
	if err != nil {
		return err
	}
	s, err := settings(o.Options, root)
	if err != nil {
		return err
	}
	h := &house{}
	a, err := h.enter(ctx, setup(o.Options, root, s, b))
	if err != nil {
		return err
	}
	defer func() {
		if closing := h.close(); err == nil {
			err = closing
		}
	}()
	server, err := mcpserver.New(ctx, mcpserver.Options{
		As: func(by kernel.Actor) mcpserver.Verbs {
			one := *a
			one.By = by
			return &one
		},
		Read:   func(_ context.Context, path string) ([]byte, error) { return h.tree.Read(path) },
		Person: s.Person.Name, RequirePerson: s.MCP.RequirePerson, Profile: profile, Version: Version, Log: a.Engine.Log,
	})
	if err != nil {
		return err
	}
	if o.Addr == "" {
		return server.Stdio(ctx, o.In, o.Out)
	}
	return serveHTTP(ctx, o, server, root, profile)
}

func serveHTTP(ctx context.Context, o cli.Serving, server *mcpserver.Server, root string, profile mcpserver.Profile) error {
	own := config.UserFile(os.Getenv)
	if own == "" {
		return fault.New(fault.BadConfig, "token", "there is no home directory to keep the token in").
			With(fault.Action{Action: "set HOME", Why: "the token is kept in the user's configuration directory"})
	}
	file := filepath.Join(filepath.Dir(own), "mcp-token")
	token, err := mcpserver.Token(file)
	if err != nil {
		return err
	}
	l, err := mcpserver.Listen(ctx, o.Addr)
	if err != nil {
		return err
	}
	at, err := netip.ParseAddrPort(l.Addr().String())
	o.Ready(cli.ServingDoc{URL: "http://" + hostOf(l.Addr()) + mcpserver.Path, TokenFile: file, Profile: string(profile), Workspace: root,
		Remote: err != nil || !at.Addr().IsLoopback()})
	return server.Serve(ctx, l, token)
}

// hostOf is the address as a client on this machine writes it.
func hostOf(a net.Addr) string {
	at, err := netip.ParseAddrPort(a.String())
	if err == nil && at.Addr().IsUnspecified() {
		return netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), at.Port()).String()
	}
	return a.String()
}
