package mcpserver

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/kernel"
)

const approveIt = `{"workflow_id":"` + waiting + `","step":3,"approved":true}`

// saying is a client whose person gives one answer, and what the person was shown.
func saying(action string, content map[string]any, shown *[]string) *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		schema, _ := json.Marshal(req.Params.RequestedSchema)
		*shown = append(*shown, req.Params.Message+" "+string(schema))
		return &mcp.ElicitResult{Action: action, Content: content}, nil
	}}
}

func TestPersonConfirmsApproval(t *testing.T) {
	for name, protocol := range protocols {
		t.Run(name, func(t *testing.T) {
			d := newDesk()
			var shown []string
			c := connect(t, newServer(t, d, func(o *Options) { o.RequirePerson = true }), protocol,
				saying("accept", map[string]any{"comment": " fine "}, &shown))
			must[struct{}](c, "approve_step", approveIt)
			want := []kernel.Actor{{Kind: kernel.Person, Name: "ann", Via: "mcp tester", Confirmed: true}}
			if diff := cmp.Diff(want, d.by); diff != "" {
				t.Errorf("recorded (-want +got):\n%s", diff)
			}
			if got := d.approved[0]; got.Version != planDigest || got.Reason != "fine" {
				t.Errorf("recorded %+v", got)
			}
			if len(shown) != 1 || !strings.Contains(shown[0], `Approve "Verification Plan" (step 3 of `+waiting) || !strings.Contains(shown[0], planDigest.Short()) {
				t.Errorf("shown %q", shown)
			}
			if code, _ := refused(c, "approve_step", approveIt); code != fault.AlreadyAnswered {
				t.Errorf("a second approval gives %s", code)
			}
		})
	}
}

func TestPersonChoosesAVariant(t *testing.T) {
	d := newDesk()
	var shown []string
	c := connect(t, newServer(t, d, nil), "", saying("accept", map[string]any{"selected_variant": "B"}, &shown))
	must[struct{}](c, "approve_step", `{"workflow_id":"`+choice+`","phase":2,"approved":true,"selected_variant":"A"}`)
	if got := d.approved[0].SelectedVariant; got != "B" {
		t.Errorf("variant %q is recorded, the person chose B", got)
	}
	if len(shown) != 1 || !strings.Contains(shown[0], `"enum":["A","B"]`) {
		t.Errorf("shown %q", shown)
	}
}

func TestPersonDoesNotAgree(t *testing.T) {
	for _, action := range []string{"decline", "cancel"} {
		for name, protocol := range protocols {
			t.Run(action+" "+name, func(t *testing.T) {
				d := newDesk()
				var shown []string
				c := connect(t, newServer(t, d, nil), protocol, saying(action, nil, &shown))
				for _, tool := range []string{"approve_step", "cancel_session"} {
					if code, _ := refused(c, tool, calls[tool]); code != fault.PersonRequired {
						t.Errorf("%s: code %s", tool, code)
					}
				}
				if code, _ := refused(c, "commit_session", `{"session_name":"s1","confirm":true}`); code != fault.PersonRequired {
					t.Errorf("commit_session: code %s", code)
				}
				if len(d.by) > 0 || len(shown) != 3 {
					t.Errorf("recorded %v after %d questions", d.by, len(shown))
				}
			})
		}
	}
}

func TestUnconfirmedApproval(t *testing.T) {
	d := newDesk()
	c := connect(t, newServer(t, d, nil), "", nil)
	must[struct{}](c, "approve_step", approveIt)
	want := []kernel.Actor{{Kind: kernel.Person, Name: "ann", Via: "mcp tester"}}
	if diff := cmp.Diff(want, d.by); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
}

func TestPersonRequired(t *testing.T) {
	d := newDesk()
	c := connect(t, newServer(t, d, func(o *Options) { o.RequirePerson = true }), "", nil)
	for tool, args := range map[string]string{"approve_step": approveIt, "cancel_session": `{"session_name":"s1"}`, "commit_session": `{"session_name":"s1","confirm":true}`} {
		if code, _ := refused(c, tool, args); code != fault.PersonRequired {
			t.Errorf("%s: code %s", tool, code)
		}
	}
	if len(d.by) > 0 {
		t.Errorf("recorded %v", d.by)
	}
}

func TestNobodyIsAskedAboutNothing(t *testing.T) {
	var shown []string
	c := connect(t, newServer(t, newDesk(), nil), "", saying("accept", nil, &shown))
	if code, _ := refused(c, "approve_step", `{"workflow_id":"`+waiting+`","step":5,"approved":true}`); code != fault.IllegalStep {
		t.Errorf("code %s", code)
	}
	if len(shown) > 0 {
		t.Errorf("shown %q", shown)
	}
}

// byHand is a client that puts questions itself, so that a test can answer them wrongly.
func byHand(t *testing.T, d *desk) client {
	t.Helper()
	return connect(t, newServer(t, d, nil), "2026-07-28", &mcp.ClientOptions{
		Capabilities:   &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}}},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true}})
}

func answer(args, state string) *mcp.CallToolParams {
	return &mcp.CallToolParams{Name: "approve_step", Arguments: json.RawMessage(args), RequestState: state,
		InputResponses: mcp.InputResponseMap{questionID: &mcp.ElicitResult{Action: "accept"}}}
}

func TestForgedAnswers(t *testing.T) {
	d := newDesk()
	c := byHand(t, d)
	asked := c.call("approve_step", approveIt)
	if asked.RequestState == "" || len(asked.InputRequests) != 1 {
		t.Fatalf("got %+v, want a question", asked)
	}
	for name, params := range map[string]*mcp.CallToolParams{
		"a state of another server":     answer(approveIt, "AAAA.AAAA"),
		"a state without a signature":   answer(approveIt, strings.SplitN(asked.RequestState, ".", 2)[1]),
		"an answer to another question": answer(`{"workflow_id":"`+choice+`","phase":2,"approved":true}`, asked.RequestState),
		"other arguments":               answer(`{"workflow_id":"`+waiting+`","step":3,"approved":true,"reason":"x"}`, asked.RequestState),
	} {
		res, err := c.CallTool(t.Context(), params)
		if err != nil || !res.IsError || !strings.Contains(textOf(t, res), string(fault.StaleVerdict)) {
			t.Errorf("%s: %v %+v", name, err, res)
		}
	}
	res, err := c.CallTool(t.Context(), answer(approveIt, ""))
	if err != nil || len(res.InputRequests) != 1 {
		t.Errorf("an answer without a question: %v %+v, want the question", err, res)
	}
	if len(d.by) > 0 {
		t.Errorf("recorded %v", d.by)
	}
	if res, err := c.CallTool(t.Context(), answer(approveIt, asked.RequestState)); err != nil || res.IsError || len(d.by) != 1 {
		t.Errorf("the honest answer: %v %+v", err, res)
	}
}

func TestVersionChangesWhileThePersonThinks(t *testing.T) {
	d := newDesk()
	c := byHand(t, d)
	asked := c.call("approve_step", approveIt)
	d.mu.Lock()
	d.digest = digest.Of([]byte("another plan"))
	d.mu.Unlock()
	res, err := c.CallTool(t.Context(), answer(approveIt, asked.RequestState))
	if err != nil || !res.IsError || !strings.Contains(textOf(t, res), string(fault.StaleVerdict)) {
		t.Errorf("got %v %+v", err, res)
	}
}

func TestSessionChangesWhileThePersonThinks(t *testing.T) {
	d := newDesk()
	c := byHand(t, d)
	args := `{"session_name":"s1","confirm":true}`
	asked := c.call("commit_session", args)
	d.mu.Lock()
	d.state = "another file"
	d.mu.Unlock()
	again := answer(args, asked.RequestState)
	again.Name = "commit_session"
	res, err := c.CallTool(t.Context(), again)
	if err != nil || !res.IsError || !strings.Contains(textOf(t, res), string(fault.StaleVerdict)) {
		t.Errorf("got %v %+v", err, res)
	}
	if len(d.by) > 0 {
		t.Errorf("recorded %v", d.by)
	}
}

func TestClientThatFailsToAsk(t *testing.T) {
	d := newDesk()
	c := connect(t, newServer(t, d, nil), "2025-06-18", &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return nil, context.DeadlineExceeded
		}})
	if code, _ := refused(c, "approve_step", approveIt); code != fault.PersonRequired {
		t.Errorf("code %s", code)
	}
	if len(d.by) > 0 {
		t.Errorf("recorded %v", d.by)
	}
}
