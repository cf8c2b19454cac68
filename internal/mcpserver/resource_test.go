package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestResources(t *testing.T) {
	for name, protocol := range protocols {
		t.Run(name, func(t *testing.T) {
			c := connect(t, newServer(t, newDesk(), nil), protocol, nil)
			list, err := c.ListResources(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var uris []string
			for _, r := range list.Resources {
				uris = append(uris, r.URI)
			}
			for _, uri := range []string{"inbox://", "definition://generation", "definition://planning", "workflow://" + waiting + "/state"} {
				if !slices.Contains(uris, uri) {
					t.Errorf("%s is not among %q", uri, uris)
				}
			}
			templates, err := c.ListResourceTemplates(t.Context(), nil)
			if err != nil || len(templates.ResourceTemplates) != 2 {
				t.Errorf("templates: %v %+v", err, templates)
			}
			for uri, kind := range map[string]string{
				"inbox://": jsonType, "definition://generation": jsonType, "workflow://" + waiting + "/state": jsonType,
				"workflow://" + waiting + "/artifacts/verification_plan": "text/markdown",
			} {
				res, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
				if err != nil {
					t.Errorf("%s: %v", uri, err)
					continue
				}
				got := res.Contents[0]
				if got.MIMEType != kind || got.URI != uri || got.Text == "" || kind == jsonType && !json.Valid([]byte(got.Text)) {
					t.Errorf("%s: %+v", uri, got)
				}
			}
			for _, uri := range []string{"workflow://nobody/state", "workflow://../state", "workflow://" + waiting + "/artifacts/draft",
				"workflow://" + waiting + "/artifacts/..%2F..%2Fsecret", "workflow://" + waiting + "/log", "definition://opera", "file:///etc/passwd"} {
				if _, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
					t.Errorf("%s was read", uri)
				}
			}
		})
	}
}

func TestSubscribersHearOfChanges(t *testing.T) {
	d := newDesk()
	s := newServer(t, d, nil)
	heard := make(chan string, 10)
	c := connect(t, s, "2025-06-18", &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) { heard <- req.Params.URI }})
	uri := "workflow://" + waiting + "/state"
	if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}
	s.poll(t.Context())
	d.mu.Lock()
	d.state = `{"changed":true}`
	d.mu.Unlock()
	s.poll(t.Context())
	if got := <-heard; got != uri {
		t.Errorf("heard of %s", got)
	}
	s.poll(t.Context())
	if len(heard) > 0 {
		t.Error("heard of a change that was none")
	}
	if err := c.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}
	if len(s.watch.uris) != 0 {
		t.Error("nobody subscribes and it is still watched")
	}
	if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "workflow://nobody/state"}); err == nil {
		t.Error("subscribed to what is not there")
	}
}
