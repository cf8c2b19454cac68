package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sluice/internal/fault"
	"sluice/internal/model"
	"sluice/internal/modeltest"
)

// wire is the server's side of the Messages API.
type wire struct{}

type messagesRequest struct {
	Model     string
	MaxTokens int                     `json:"max_tokens"`
	System    []struct{ Text string } `json:"system"`
	Messages  []struct {
		Role    string
		Content []struct{ Type, Text string }
	}
	Output struct {
		Format struct {
			Type   string
			Schema json.RawMessage
		}
	} `json:"output_config"`
	Temperature *float64
	Stream      bool
}

func (wire) Read(r *http.Request, body []byte) (modeltest.Asked, error) {
	if r.URL.Path != "/v1/messages" || r.Header.Get("Anthropic-Version") == "" {
		return modeltest.Asked{}, fmt.Errorf("path is %s, version %q", r.URL.Path, r.Header.Get("Anthropic-Version"))
	}
	var c messagesRequest
	err := json.Unmarshal(body, &c)
	a := modeltest.Asked{Model: c.Model, Stream: c.Stream, Key: r.Header.Get("X-Api-Key"), Schema: c.Output.Format.Schema}
	if auth := r.Header.Get("Authorization"); auth != "" {
		err = errors.Join(err, fmt.Errorf("a key nobody configured: %s", auth))
	}
	for _, s := range c.System {
		a.System += s.Text
	}
	for _, m := range c.Messages {
		for _, part := range m.Content {
			a.Prompt += part.Text
		}
	}
	if c.MaxTokens == 0 {
		err = errors.Join(err, errors.New("max_tokens is missing"))
	}
	return a, err
}

func (wire) Write(w http.ResponseWriter, _ modeltest.Asked, a modeltest.Answer) {
	if a.Status != 0 {
		w.Header().Set("Content-Type", "application/json")
		if a.RetryAfter != "" {
			w.Header().Set("Retry-After", a.RetryAfter)
		}
		w.WriteHeader(a.Status)
		_ = json.NewEncoder(w).Encode(map[string]any{"type": "error", "request_id": "req_1",
			"error": map[string]any{"type": "invalid_request_error", "message": a.Message}})
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event(w, "message_start", map[string]any{"message": map[string]any{"id": "msg_1", "type": "message", "role": "assistant",
		"model": "test-model", "content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": a.Usage.InputTokens, "output_tokens": 1}}})
	event(w, "content_block_start", map[string]any{"index": 0, "content_block": map[string]any{"type": "text", "text": ""}})
	event(w, "ping", map[string]any{})
	for _, letter := range a.Text {
		event(w, "content_block_delta", map[string]any{"index": 0, "delta": map[string]any{"type": "text_delta", "text": string(letter)}})
	}
	event(w, "content_block_stop", map[string]any{"index": 0})
	delta := map[string]any{"stop_reason": "end_turn", "stop_sequence": nil, "stop_details": nil}
	if a.Refusal != "" {
		delta["stop_reason"] = "refusal"
		delta["stop_details"] = map[string]any{"type": "refusal", "category": nil, "explanation": a.Refusal}
	}
	if a.Cut {
		delta["stop_reason"] = "max_tokens"
	}
	event(w, "message_delta", map[string]any{"delta": delta, "usage": map[string]any{"output_tokens": a.Usage.OutputTokens}})
	event(w, "message_stop", map[string]any{})
}

func event(w http.ResponseWriter, name string, body map[string]any) {
	body["type"] = name
	fmt.Fprintf(w, "event: %s\ndata: ", name)
	_ = json.NewEncoder(w).Encode(body)
	fmt.Fprint(w, "\n")
}

func TestConformance(t *testing.T) {
	modeltest.Run(t, modeltest.Subject{
		Wire: wire{}, FallsBack: true,
		Open: func(_ *testing.T, baseURL string, key model.Secret, timeout time.Duration) model.Model {
			return New(model.Server{BaseURL: baseURL, Key: modeltest.Key(key), Timeout: timeout})
		},
		Env: map[string]string{"ANTHROPIC_BASE_URL": "http://127.0.0.1:1", "ANTHROPIC_API_KEY": "sk-from-the-environment",
			"ANTHROPIC_AUTH_TOKEN": "token-from-the-environment", "ANTHROPIC_CUSTOM_HEADERS": "X-Api-Key: sk-from-a-header"},
	})
}

// talk serves what the test writes and keeps the last request.
func talk(t *testing.T, respond func(http.ResponseWriter)) (*Client, *messagesRequest) {
	t.Helper()
	var seen messagesRequest
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = messagesRequest{}
		if err := json.NewDecoder(r.Body).Decode(&seen); err != nil {
			t.Error(err)
		}
		respond(w)
	}))
	t.Cleanup(srv.Close)
	return New(model.Server{BaseURL: srv.URL, Model: "m"}), &seen
}

func TestSchemaOnTheWire(t *testing.T) {
	c, seen := talk(t, func(w http.ResponseWriter) { wire{}.Write(w, modeltest.Asked{}, modeltest.Answer{Text: "{}"}) })
	ask := func(schema string) string {
		t.Helper()
		if _, err := c.Complete(t.Context(), model.Request{Agent: "x", Prompt: "p", Schema: json.RawMessage(schema)}); err != nil {
			t.Fatal(err)
		}
		return string(seen.Output.Format.Schema)
	}
	got := ask(`{"type":"object","required":["reason"],"properties":{"reason":{"type":"string","maxLength":9},"a":{"type":"integer"}}}`)
	if strings.Index(got, `"reason"`) > strings.Index(got, `"a"`) || strings.Contains(got, `"maxLength"`) {
		t.Errorf("sent %s, want the order kept and no keyword that is refused", got)
	}
	if !strings.Contains(got, `"additionalProperties":false`) || !strings.Contains(got, `"required":["reason"]`) || seen.Output.Format.Type != "json_schema" {
		t.Errorf("sent %s, want a closed object whose optional property stays optional", got)
	}
	if got := ask(`{"type":"object","required":["m"],"properties":{"m":{"type":"object","additionalProperties":{"type":"string"}}}}`); got != "" {
		t.Errorf("sent %s: free maps are always refused", got)
	}
	if prompt := seen.Messages[0].Content[0].Text; !strings.Contains(prompt, `"additionalProperties"`) {
		t.Errorf("the prompt %q does not show the schema", prompt)
	}
}

func TestErrorInsideTheStream(t *testing.T) {
	for kind, test := range map[string]struct {
		class model.ErrorClass
		code  fault.Code
	}{
		"overloaded_error":      {model.Retryable, fault.ModelUnavailable},
		"rate_limit_error":      {model.Retryable, fault.ModelUnavailable},
		"api_error":             {model.Retryable, fault.ModelUnavailable},
		"timeout_error":         {model.Retryable, fault.ModelUnavailable},
		"something_new":         {model.Retryable, fault.ModelUnavailable},
		"authentication_error":  {model.Permanent, fault.ModelAuth},
		"permission_error":      {model.Permanent, fault.ModelAuth},
		"not_found_error":       {model.Permanent, fault.ModelUnknown},
		"invalid_request_error": {model.Permanent, fault.ModelBadRequest},
	} {
		c, _ := talk(t, func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			event(w, "message_start", map[string]any{"message": map[string]any{"model": "m", "content": []any{}}})
			event(w, "error", map[string]any{"error": map[string]any{"type": kind, "message": "its own words"}})
		})
		_, err := c.Complete(t.Context(), model.Request{Agent: "x", Prompt: "p"})
		if model.ClassOf(err) != test.class || fault.CodeOf(err) != test.code || !strings.Contains(fmt.Sprint(err), "its own words") {
			t.Errorf("%s: got %v (%s), want %s %s", kind, err, model.ClassOf(err), test.class, test.code)
		}
	}
}

func TestOddAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		write func(http.ResponseWriter)
		code  fault.Code
	}{
		"not a stream":    {func(w http.ResponseWriter) { fmt.Fprint(w, "<html>") }, fault.ModelUnavailable},
		"empty":           {func(w http.ResponseWriter) { wire{}.Write(w, modeltest.Asked{}, modeltest.Answer{Text: " "}) }, fault.ModelUnavailable},
		"window exceeded": {func(w http.ResponseWriter) { stopped(w, "model_context_window_exceeded") }, fault.ModelTruncated},
		"gateway error":   {func(w http.ResponseWriter) { w.WriteHeader(502); fmt.Fprint(w, "<html>bad gateway") }, fault.ModelUnavailable},
	} {
		c, _ := talk(t, test.write)
		if _, err := c.Complete(t.Context(), model.Request{Agent: "x", Prompt: "p"}); fault.CodeOf(err) != test.code {
			t.Errorf("%s: got %v, want %s", name, err, test.code)
		}
	}
}

// stopped is a reply that thought, spoke and stopped for a reason.
func stopped(w http.ResponseWriter, reason string) {
	w.Header().Set("Content-Type", "text/event-stream")
	event(w, "message_start", map[string]any{"message": map[string]any{"model": "m", "content": []any{},
		"usage": map[string]any{"input_tokens": 1, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 3}}})
	event(w, "content_block_start", map[string]any{"index": 0, "content_block": map[string]any{"type": "thinking", "thinking": ""}})
	event(w, "content_block_delta", map[string]any{"index": 0, "delta": map[string]any{"type": "thinking_delta", "thinking": "hm"}})
	event(w, "content_block_start", map[string]any{"index": 1, "content_block": map[string]any{"type": "text", "text": ""}})
	event(w, "content_block_delta", map[string]any{"index": 1, "delta": map[string]any{"type": "text_delta", "text": "ok"}})
	event(w, "message_delta", map[string]any{"delta": map[string]any{"stop_reason": reason}, "usage": map[string]any{"output_tokens": 4}})
	event(w, "message_stop", map[string]any{})
}

func TestThoughtsAreLeftOutAndCachedTokensCount(t *testing.T) {
	c, _ := talk(t, func(w http.ResponseWriter) { stopped(w, "end_turn") })
	reply, err := c.Complete(t.Context(), model.Request{Agent: "x", Prompt: "p"})
	if err != nil || reply.Content != "ok" || reply.Usage.InputTokens != 9 || reply.Usage.OutputTokens != 4 {
		t.Errorf("got %+v, %v", reply, err)
	}
}

func TestBoundsOfTheReply(t *testing.T) {
	c, seen := talk(t, func(w http.ResponseWriter) { stopped(w, "end_turn") })
	heat := 0.5
	for _, test := range []struct {
		params model.Params
		tokens int
	}{{model.Params{}, defaultMaxTokens}, {model.Params{MaxTokens: 64000, Temperature: &heat}, 64000}} {
		if _, err := c.Complete(t.Context(), model.Request{Prompt: "p", Params: test.params}); err != nil {
			t.Fatal(err)
		}
		if seen.MaxTokens != test.tokens || !seen.Stream || (seen.Temperature == nil) != (test.params.Temperature == nil) {
			t.Errorf("sent %+v, want %d tokens", seen, test.tokens)
		}
	}
}
