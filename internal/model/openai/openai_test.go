package openai

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
	"sluice/internal/journal"
	"sluice/internal/model"
	"sluice/internal/modeltest"
)

// wire is the server's side of chat completions.
type wire struct{}

type chatRequest struct {
	Model    string
	Messages []struct{ Role, Content string }
	Format   *struct {
		Type   string
		Schema struct {
			Name   string
			Strict bool
			Schema json.RawMessage
		} `json:"json_schema"`
	} `json:"response_format"`
	MaxTokens int `json:"max_tokens"`
	Stream    bool
}

func (wire) Read(r *http.Request, body []byte) (modeltest.Asked, error) {
	if r.URL.Path != "/v1/chat/completions" {
		return modeltest.Asked{}, fmt.Errorf("path is %s", r.URL.Path)
	}
	var c chatRequest
	err := json.Unmarshal(body, &c)
	a := modeltest.Asked{Model: c.Model, Stream: c.Stream, Key: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")}
	for _, m := range c.Messages {
		switch m.Role {
		case "system":
			a.System = m.Content
		case "user":
			a.Prompt = m.Content
		}
	}
	if c.Format != nil && c.Format.Type == "json_schema" {
		a.Schema = c.Format.Schema.Schema
	}
	return a, err
}

func (wire) Write(w http.ResponseWriter, asked modeltest.Asked, a modeltest.Answer) {
	w.Header().Set("Content-Type", "application/json")
	if a.Status != 0 {
		if a.RetryAfter != "" {
			w.Header().Set("Retry-After", a.RetryAfter)
		}
		w.WriteHeader(a.Status)
		write(w, map[string]any{"error": map[string]any{"message": a.Message, "type": "error", "param": nil, "code": nil}})
		return
	}
	if asked.Stream {
		writeStream(w, a)
		return
	}
	message := map[string]any{"role": "assistant", "content": a.Text, "refusal": nil}
	finish := "stop"
	if a.Refusal != "" {
		message["content"], message["refusal"] = nil, a.Refusal
	}
	if a.Cut {
		finish = "length"
	}
	write(w, map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "test-model",
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish, "logprobs": nil}},
		"usage":   map[string]any{"prompt_tokens": a.Usage.InputTokens, "completion_tokens": a.Usage.OutputTokens, "total_tokens": 0},
	})
}

// writeStream sends the reply letter by letter, the usage in a piece of its own, and the mark of the end.
func writeStream(w http.ResponseWriter, a modeltest.Answer) {
	w.Header().Set("Content-Type", "text/event-stream")
	piece := func(delta map[string]any, finish any, usage any) {
		choices := []any{}
		if delta != nil {
			choices = append(choices, map[string]any{"index": 0, "delta": delta, "finish_reason": finish})
		}
		fmt.Fprint(w, "data: ")
		write(w, map[string]any{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "test-model",
			"choices": choices, "usage": usage})
		fmt.Fprint(w, "\n")
	}
	piece(map[string]any{"role": "assistant", "content": ""}, nil, nil)
	for _, letter := range a.Text {
		piece(map[string]any{"content": string(letter)}, nil, nil)
	}
	finish := "stop"
	if a.Refusal != "" {
		piece(map[string]any{"refusal": a.Refusal}, nil, nil)
	}
	if a.Cut {
		finish = "length"
	}
	piece(map[string]any{}, finish, nil)
	piece(nil, nil, map[string]any{"prompt_tokens": a.Usage.InputTokens, "completion_tokens": a.Usage.OutputTokens, "total_tokens": 0})
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func write(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }

func TestConformance(t *testing.T) {
	modeltest.Run(t, modeltest.Subject{
		Wire: wire{}, FallsBack: true,
		Open: func(_ *testing.T, baseURL string, key model.Secret, timeout time.Duration) model.Model {
			return New(model.Server{BaseURL: baseURL + "/v1", Key: modeltest.Key(key), Timeout: timeout})
		},
		Env: map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1:1", "OPENAI_API_KEY": "sk-from-the-environment"},
	})
}

// capture serves one canned body and keeps the last request.
func capture(t *testing.T, respond func(n int, c chatRequest, w http.ResponseWriter)) (string, *[]chatRequest) {
	t.Helper()
	var seen []chatRequest
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var c chatRequest
		if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
			t.Error(err)
		}
		seen = append(seen, c)
		w.Header().Set("Content-Type", "application/json")
		respond(len(seen), c, w)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, &seen
}

func TestSchemaOnTheWire(t *testing.T) {
	url, seen := capture(t, func(_ int, _ chatRequest, w http.ResponseWriter) {
		wire{}.Write(w, modeltest.Asked{}, modeltest.Answer{Text: "{}"})
	})
	c := New(model.Server{BaseURL: url, Model: "m"})
	for schema, exact := range map[string]bool{
		`{"type":"object","required":["b"],"properties":{"b":{"type":"string","minLength":3},"a":{"type":"integer"}}}`:     true,
		`{"type":"object","required":["m"],"properties":{"m":{"type":"object","additionalProperties":{"type":"string"}}}}`: false,
	} {
		if _, err := c.Complete(t.Context(), model.Request{Agent: "chapter plan/1", Prompt: "p", Schema: json.RawMessage(schema), Params: model.Params{MaxTokens: 9}}); err != nil {
			t.Fatal(err)
		}
		got := (*seen)[len(*seen)-1]
		if got.Format.Schema.Strict != exact || got.Format.Schema.Name != "chapter_plan_1" || got.MaxTokens != 9 || got.Model != "m" {
			t.Errorf("%s: sent %+v", schema, got)
		}
		if strings.Contains(string(got.Format.Schema.Schema), `"minLength"`) {
			t.Errorf("a keyword that servers refuse was sent: %s", got.Format.Schema.Schema)
		}
	}
	first := string((*seen)[0].Format.Schema.Schema) + string((*seen)[1].Format.Schema.Schema)
	if strings.Index(first, `"b":`) > strings.Index(first, `"a":`) {
		t.Errorf("the order of the properties changed: %s", first)
	}
}

func TestFallsBackStepByStep(t *testing.T) {
	url, seen := capture(t, func(_ int, c chatRequest, w http.ResponseWriter) {
		if c.Format != nil {
			wire{}.Write(w, modeltest.Asked{}, modeltest.Answer{Status: 400, Message: "response_format " + c.Format.Type + " is not supported"})
			return
		}
		wire{}.Write(w, modeltest.Asked{}, modeltest.Answer{Text: `{"a":1}`})
	})
	c := New(model.Server{BaseURL: url, Model: "m"})
	r := model.Request{Agent: "x", Prompt: "p", Schema: json.RawMessage(`{"type":"object"}`)}
	for range 2 {
		if _, err := c.Complete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	var kinds []string
	for _, s := range *seen {
		kind := "text"
		if s.Format != nil {
			kind = s.Format.Type
		}
		kinds = append(kinds, kind)
	}
	if got := strings.Join(kinds, " "); got != "json_schema json_object text text" {
		t.Errorf("asked as %s", got)
	}
	r.Params.Model = "other"
	if _, err := c.Complete(t.Context(), r); err != nil || (*seen)[4].Format == nil {
		t.Errorf("another model must be tried afresh: %v", err)
	}
}

func TestOddAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		body  string
		class model.ErrorClass
		code  fault.Code
	}{
		"error with status 200": {`{"error":{"code":429,"message":"upstream is busy"}}`, model.Retryable, fault.ModelUnavailable},
		"auth with status 200":  {`{"error":{"code":401,"message":"no"}}`, model.Permanent, fault.ModelAuth},
		"error without number":  {`{"error":{"code":"busy","message":"no"}}`, model.Retryable, fault.ModelUnavailable},
		"no choices":            {`{"choices":[]}`, model.Retryable, fault.ModelUnavailable},
		"empty content":         {`{"choices":[{"message":{"content":" "},"finish_reason":"stop"}]}`, model.Retryable, fault.ModelUnavailable},
		"content filter":        {`{"choices":[{"message":{"content":"x"},"finish_reason":"content_filter"}]}`, model.Permanent, fault.ModelRefused},
		"not json":              {`<html>`, model.Retryable, fault.ModelUnavailable},
	} {
		url, _ := capture(t, func(_ int, _ chatRequest, w http.ResponseWriter) { fmt.Fprint(w, test.body) })
		_, err := New(model.Server{BaseURL: url, Model: "m"}).Complete(t.Context(), model.Request{Agent: "x", Prompt: "p"})
		if model.ClassOf(err) != test.class || fault.CodeOf(err) != test.code {
			t.Errorf("%s: got %v (%s), want %s %s", name, err, model.ClassOf(err), test.class, test.code)
		}
	}
}

func TestServerWithoutStreamsIsAskedWhole(t *testing.T) {
	url, seen := capture(t, func(_ int, c chatRequest, w http.ResponseWriter) {
		if c.Stream {
			wire{}.Write(w, modeltest.Asked{}, modeltest.Answer{Status: 400, Message: "unknown parameter: stream_options"})
			return
		}
		wire{}.Write(w, modeltest.Asked{}, modeltest.Answer{Text: "whole"})
	})
	c := New(model.Server{BaseURL: url, Model: "m"})
	for range 2 {
		reply, err := c.Complete(t.Context(), model.Request{Agent: "x", Prompt: "p", Watch: func(int) {}})
		if err != nil || reply.Content != "whole" {
			t.Fatalf("got %+v, %v", reply, err)
		}
	}
	if len(*seen) != 3 {
		t.Errorf("%d requests for 2 calls, want 3: the stream is tried once", len(*seen))
	}
}

func TestServerThatTakesNoNoticeOfStreams(t *testing.T) {
	url, seen := capture(t, func(_ int, _ chatRequest, w http.ResponseWriter) {
		wire{}.Write(w, modeltest.Asked{}, modeltest.Answer{Text: "whole", Usage: journal.Usage{InputTokens: 3}})
	})
	told := 0
	reply, err := New(model.Server{BaseURL: url, Model: "m"}).Complete(t.Context(), model.Request{Agent: "x", Prompt: "p", Watch: func(n int) { told = n }})
	if err != nil || reply.Content != "whole" || reply.Usage.InputTokens != 3 || told != 5 || len(*seen) != 1 {
		t.Errorf("got %+v, %v after %d requests", reply, err, len(*seen))
	}
}

func TestErrorInsideAStream(t *testing.T) {
	url, _ := capture(t, func(_ int, _ chatRequest, w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"error\":{\"code\":429,\"message\":\"upstream is busy\"}}\n\n")
	})
	_, err := New(model.Server{BaseURL: url, Model: "m"}).Complete(t.Context(), model.Request{Agent: "x", Prompt: "p", Watch: func(int) {}})
	if model.ClassOf(err) != model.Retryable || !strings.Contains(err.Error(), "upstream is busy") {
		t.Errorf("got %v (%s)", err, model.ClassOf(err))
	}
}

func TestMissingKeyIsToldBeforeAnythingIsSent(t *testing.T) {
	c := New(model.Server{BaseURL: "http://127.0.0.1:1", Key: model.KeyFromEnv(func(string) (string, bool) { return "", false }, "OPENAI_API_KEY")})
	if _, err := c.Complete(t.Context(), model.Request{}); !errors.Is(err, fault.ModelAuth) {
		t.Errorf("got %v, want model_auth", err)
	}
}
