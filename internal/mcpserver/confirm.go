package mcpserver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sluice/internal/app"
	"sluice/internal/digest"
	"sluice/internal/fault"
)

// question is what the person at the client must be asked before the call is done. It travels as an error through the
// verb and leaves as the result of the call; the client asks and calls again with the answer. Nothing waits here.
type question struct {
	message string
	schema  json.RawMessage
	state   string
}

const questionID = "approval"

func (q *question) Error() string { return "the person at the client is asked: " + q.message }

func (q *question) result() *mcp.CallToolResult {
	return &mcp.CallToolResult{RequestState: q.state, InputRequests: mcp.InputRequestMap{
		questionID: &mcp.ElicitParams{Mode: "form", Message: q.message, RequestedSchema: q.schema}}}
}

// matter is what a person is asked to confirm.
type matter struct {
	subject  string        // a workflow or a session
	version  digest.Digest // what the person is shown; a later version is not meant
	text     string
	variants []string // to choose from, if there are any
	variant  string   // that the client proposes
	command  string   // by which a person does it elsewhere
}

// confirmation is what a person said.
type confirmation struct {
	isPersons bool          // a person was asked and agreed
	version   digest.Digest // that the person was shown
	variant   string
	comment   string
}

// confirm asks the person at the client, if the client can; otherwise the call counts as unconfirmed, or is refused where
// a person is required.
func (c *call) confirm(m matter) (confirmation, error) {
	if !c.canAsk() {
		if c.opts.RequirePerson {
			return confirmation{}, fault.New(fault.PersonRequired, m.subject,
				"%s needs a person; client %s cannot ask one and mcp.require_person is true", m.subject, c.client()).
				With(fault.Action{Action: "decide", Command: m.command, Why: "a person decides it at the command line"})
		}
		return confirmation{variant: m.variant}, nil
	}
	answer, asked := c.req.Params.InputResponses[questionID].(*mcp.ElicitResult)
	if !asked || c.req.Params.RequestState == "" {
		return confirmation{}, c.ask(m)
	}
	shown, err := c.seal.open(c.req.Params.RequestState, c.req.Params.Name, c.req.Params.Arguments)
	if err != nil {
		return confirmation{}, err
	}
	if answer.Action != "accept" {
		said := "dismissed the question"
		if answer.Action == "decline" {
			said = "declined"
		}
		return confirmation{}, fault.New(fault.PersonRequired, m.subject, "the person at %s %s; nothing was recorded", c.client(), said).
			With(fault.Action{Action: "decide", Command: m.command, Why: "a person can still decide it at the command line"})
	}
	said := confirmation{isPersons: true, version: shown.Version, variant: m.variant}
	if v, ok := answer.Content["selected_variant"].(string); ok && v != "" {
		said.variant = v
	}
	if v, ok := answer.Content["comment"].(string); ok {
		said.comment = strings.TrimSpace(v)
	}
	return said, nil
}

// canAsk tells whether the client can put a form to a person. One that names no kind of question means forms.
func (c *call) canAsk() bool {
	can := c.req.ClientCapabilities()
	return can != nil && can.Elicitation != nil && (can.Elicitation.Form != nil || can.Elicitation.URL == nil)
}

func (c *call) ask(m matter) error {
	type property struct {
		Type      string   `json:"type"`
		Title     string   `json:"title"`
		About     string   `json:"description,omitempty"`
		Enum      []string `json:"enum,omitempty"`
		Default   string   `json:"default,omitempty"`
		MaxLength int      `json:"maxLength,omitempty"`
	}
	form := struct {
		Type       string              `json:"type"`
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required,omitempty"`
	}{Type: "object", Properties: map[string]property{
		"comment": {Type: "string", Title: "Comment", About: "kept with the decision", MaxLength: 2000}}}
	if len(m.variants) > 0 {
		form.Properties["selected_variant"] = property{Type: "string", Title: "Variant", Enum: m.variants, Default: m.variant}
		form.Required = []string{"selected_variant"}
	}
	schema, err := json.Marshal(form)
	if err != nil {
		return err
	}
	state, err := c.seal.close(c.req.Params.Name, c.req.Params.Arguments, m)
	if err != nil {
		return err
	}
	return &question{message: m.text, schema: schema, state: state}
}

// seal signs what travels through the client between a question and its answer, so that an answer belongs to the call it
// was asked for and to the version that was shown. The key lives as long as the server.
type seal [32]byte

type sealed struct {
	Tool    string        `json:"tool"`
	Call    digest.Digest `json:"call"` // of the arguments
	Version digest.Digest `json:"version,omitempty"`
}

func (k *seal) close(tool string, args json.RawMessage, m matter) (string, error) {
	body, err := json.Marshal(sealed{Tool: tool, Call: digest.Of(args), Version: m.version})
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(k.sign(body)) + "." + base64.RawURLEncoding.EncodeToString(body), nil
}

func (k *seal) open(state, tool string, args json.RawMessage) (sealed, error) {
	stale := fault.New(fault.StaleVerdict, tool, "the answer belongs to no question of this server and this call").
		With(fault.Action{Action: "call again", Why: "without an answer, so that the person is asked"})
	mac, body, ok := strings.Cut(state, ".")
	sum, err1 := base64.RawURLEncoding.DecodeString(mac)
	plain, err2 := base64.RawURLEncoding.DecodeString(body)
	var s sealed
	if !ok || err1 != nil || err2 != nil || !hmac.Equal(sum, k.sign(plain)) || json.Unmarshal(plain, &s) != nil {
		return s, stale
	}
	if s.Tool != tool || s.Call != digest.Of(args) {
		return s, stale
	}
	return s, nil
}

func (k *seal) sign(body []byte) []byte {
	h := hmac.New(sha256.New, k[:])
	fmt.Fprintf(h, "sluice question %d\n", len(body))
	h.Write(body)
	return h.Sum(nil)
}

func commitText(d app.CommitDoc, client string) string {
	return fmt.Sprintf("Commit session %s: %d changes and %d workflows go into the workspace?\nAsked by %s.",
		d.SessionName, len(d.Changes), len(d.Workflows), client)
}
