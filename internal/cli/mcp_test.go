package cli

import (
	"context"
	"strings"
	"testing"
)

func TestServing(t *testing.T) {
	p := newPerson(t)
	var got Serving
	p.env.Serve = func(_ context.Context, s Serving) error {
		got = s
		if s.Ready != nil {
			s.Ready(ServingDoc{URL: "http://127.0.0.1:7717/mcp", TokenFile: "/home/ana/token", Profile: s.Profile, Remote: true})
		}
		return nil
	}
	for _, tt := range []struct {
		args      []string
		exit      int
		addr      string
		profile   string
		says, err string
	}{
		{[]string{"mcp", "--profile", "agent"}, 0, "", "agent", "", ""},
		{[]string{"serve", "--mcp"}, 0, "127.0.0.1:7717", "operator", "token: in /home/ana/token\nwarning: other machines", ""},
		{[]string{"serve", "--mcp", "--json", "--addr", "127.0.0.1:0"}, 0, "127.0.0.1:0", "operator", `"token_file": "/home/ana/token"`, ""},
		{[]string{"serve"}, 2, "", "", "", "sluice serve --mcp"},
		{[]string{"mcp", "extra"}, 2, "", "", "", "takes no arguments"},
	} {
		got = Serving{}
		p.stdout.Reset()
		p.stderr.Reset()
		p.env.Args = tt.args
		if exit := Main(t.Context(), p.env); exit != tt.exit || got.Addr != tt.addr || got.Profile != tt.profile {
			t.Errorf("%v: exit %d, serving %q for %q", tt.args, exit, got.Addr, got.Profile)
		}
		if !strings.Contains(p.stdout.String(), tt.says) || !strings.Contains(p.stderr.String(), tt.err) {
			t.Errorf("%v says\n%s%s", tt.args, p.stdout.String(), p.stderr.String())
		}
	}
}
