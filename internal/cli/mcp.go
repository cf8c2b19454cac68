package cli

import (
	"io"

	"github.com/spf13/cobra"

	"sluice/internal/fault"
)

// Serving says how MCP clients are served.
type Serving struct {
	Options
	Profile string
	Addr    string // of HTTP; empty means over In and Out
	In      io.Reader
	Out     io.Writer
	Ready   func(ServingDoc) // HTTP is listened on
}

// ServingDoc says where a server is. The token is never shown, only its file.
type ServingDoc struct {
	URL       string `json:"url"`
	TokenFile string `json:"token_file"`
	Profile   string `json:"profile"`
	Workspace string `json:"workspace"`
	Remote    bool   `json:"remote,omitempty"` // other machines can reach it
}

func (k *Kit) mcp() *cobra.Command {
	var profile string
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve an MCP client over stdin and stdout",
		Long: `Serves the workspace to the MCP client that started this command, until the client leaves. docs/mcp.md shows how
clients are configured. Profile operator serves every tool; profile agent serves none that decides in a person's place.

` + exits(0, 1, 2, 3, 5),
		Example: "  sluice mcp\n  sluice mcp --profile agent --workspace ~/books",
		Args:    fitUse,
		RunE: func(c *cobra.Command, _ []string) error {
			o := k.options()
			o.Observe = nil // a client shows what happens in its own way
			return k.env.Serve(c.Context(), Serving{Options: o, Profile: profile, In: k.env.Stdin, Out: k.env.Stdout})
		},
	}
	profileFlag(c, &profile)
	return c
}

func (k *Kit) serve() *cobra.Command {
	var profile, addr string
	var overMCP bool
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve MCP clients over HTTP",
		Long: `Serves the workspace over HTTP until it is interrupted. With --mcp, MCP clients are served at /mcp. They need the
bearer token; it is made on first use and kept in a file of yours, whose path is shown.

` + exits(0, 1, 2, 3, 5),
		Example: "  sluice serve --mcp\n  sluice serve --mcp --addr 127.0.0.1:7717 --profile agent",
		Args:    fitUse,
		RunE: func(c *cobra.Command, _ []string) error {
			if !overMCP {
				return fault.New(fault.Usage, "--mcp", "sluice serve needs --mcp: there is nothing else to serve yet").
					With(fault.Action{Action: "serve", Command: "sluice serve --mcp", Why: "it serves MCP clients"}, help(c))
			}
			o := k.options()
			o.Observe = nil
			var failed error
			err := k.env.Serve(c.Context(), Serving{Options: o, Profile: profile, Addr: addr,
				Ready: func(d ServingDoc) { failed = k.Print(d, servingText(d)) }})
			if err == nil {
				err = failed
			}
			return err
		},
	}
	c.Flags().BoolVar(&overMCP, "mcp", false, "serve MCP clients")
	c.Flags().StringVar(&addr, "addr", "127.0.0.1:7717", "`HOST:PORT` to listen on; port 0 takes a free one")
	profileFlag(c, &profile)
	return c
}

func profileFlag(c *cobra.Command, profile *string) {
	c.Flags().StringVar(profile, "profile", "operator", "`PROFILE` of the clients: operator or agent")
}

func servingText(d ServingDoc) string {
	text := "serving MCP clients at " + d.URL + ", profile " + d.Profile + "\ntoken: in " + clean(d.TokenFile) + "\n"
	if d.Remote {
		text += "warning: other machines can reach this address, and what is sent to it is not encrypted\n"
	}
	return text
}
