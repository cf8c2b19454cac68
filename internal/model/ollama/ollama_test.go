package ollama

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

// wire is the server's side of /api/chat.
type wire struct{}

func (wire) Read(r *http.Request, body []byte) (modeltest.Asked, error) {
	if r.URL.Path != "/api/chat" {
		return modeltest.Asked{}, fmt.Errorf("path is %s", r.URL.Path)
	}
	var c request
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
	if strings.HasPrefix(string(c.Format), "{") {
		a.Schema = c.Format
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
		line(w, map[string]any{"error": a.Message})
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	for _, letter := range a.Text {
		line(w, map[string]any{"model": "test-model", "created_at": "2026-01-01T00:00:00Z", "done": false,
			"message": map[string]any{"role": "assistant", "content": string(letter)}})
	}
	reason := "stop"
	if a.Cut {
		reason = "length"
	}
	line(w, map[string]any{"model": "test-model", "created_at": "2026-01-01T00:00:01Z", "done": true, "done_reason": reason,
		"message":        map[string]any{"role": "assistant", "content": ""},
		"total_duration": 5000000, "prompt_eval_count": a.Usage.InputTokens, "eval_count": a.Usage.OutputTokens})
}

func line(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }

func TestConformance(t *testing.T) {
	modeltest.Run(t, modeltest.Subject{
		Wire: wire{}, FallsBack: true, CannotRefuse: true,
		Open: func(_ *testing.T, baseURL string, key model.Secret, timeout time.Duration) model.Model {
			return New(model.Server{BaseURL: baseURL, Key: modeltest.Key(key), Timeout: timeout}, 0)
		},
		Env: map[string]string{"OLLAMA_HOST": "http://127.0.0.1:1", "OLLAMA_API_KEY": "sk-from-the-environment"},
	})
}

// talk serves canned lines and keeps the last request.
func talk(t *testing.T, status int, lines string) (string, *request) {
	t.Helper()
	var seen request
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&seen); err != nil {
			t.Error(err)
		}
		w.WriteHeader(status)
		fmt.Fprint(w, lines)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, &seen
}

const done = `{"model":"m","message":{"role":"assistant","content":"ok"},"done":true,"done_reason":"stop"}` + "\n"

func TestWindowMakesRoom(t *testing.T) {
	for name, test := range map[string]struct {
		prompt string
		reply  int
		fixed  int
		want   int
	}{
		"short":               {"Build a world.", 100, 0, 8 << 10},
		"reply unbounded":     {"Build a world.", 0, 0, 16 << 10},
		"long English":        {strings.Repeat("rain ", 6000), 1000, 0, 16 << 10},
		"long Chinese":        {strings.Repeat("雨", 20000), 1000, 0, 32 << 10},
		"what the user wants": {strings.Repeat("雨", 20000), 1000, 4096, 4096},
		"beyond all models":   {strings.Repeat("雨", 600000), 1000, 0, 256 << 10},
	} {
		url, seen := talk(t, 200, done)
		c := New(model.Server{BaseURL: url + "/", Model: "m"}, test.fixed)
		if _, err := c.Complete(t.Context(), model.Request{Prompt: test.prompt, Params: model.Params{MaxTokens: test.reply}}); err != nil {
			t.Fatal(err)
		}
		if seen.Options.Window != test.want || seen.Options.MaxTokens != test.reply || seen.Truncate || seen.Model != "m" {
			t.Errorf("%s: sent %+v, want a window of %d and no silent cut", name, seen.Options, test.want)
		}
	}
}

func TestOddAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		body   string
		class  model.ErrorClass
		code   fault.Code
		says   string
	}{
		"error inside the stream": {200, `{"message":{"content":"Once"}}` + "\n" + `{"error":"llama runner process has terminated"}` + "\n",
			model.Retryable, fault.ModelUnavailable, "runner process"},
		"loaded and silent": {200, `{"message":{"content":""},"done":true,"done_reason":"load"}` + "\n", model.Retryable, fault.ModelUnavailable, "empty"},
		"not json":          {200, "<html>", model.Retryable, fault.ModelUnavailable, "cannot be read"},
		"nothing":           {200, "", model.Retryable, fault.ModelUnavailable, "ended before"},
		"plain text error":  {502, "bad gateway", model.Retryable, fault.ModelUnavailable, "bad gateway"},
		"prompt too long":   {400, `{"error":"the input length exceeds the context length"}`, model.Permanent, fault.ModelBadRequest, "context length"},
	} {
		url, _ := talk(t, test.status, test.body)
		_, err := New(model.Server{BaseURL: url, Model: "m"}, 0).Complete(t.Context(), model.Request{Agent: "x", Prompt: "p"})
		if model.ClassOf(err) != test.class || fault.CodeOf(err) != test.code || !strings.Contains(fmt.Sprint(err), test.says) {
			t.Errorf("%s: got %v (%s), want %s %s", name, err, model.ClassOf(err), test.class, test.code)
		}
	}
}

func TestMissingModelSaysHowToGetIt(t *testing.T) {
	for name, want := range map[string]string{"qwen3:8b": "ollama pull qwen3:8b", "x; rm -rf /": "ollama pull MODEL"} {
		url, _ := talk(t, 404, `{"error":"model not found"}`)
		_, err := New(model.Server{BaseURL: url, Model: name}, 0).Complete(t.Context(), model.Request{Agent: "x", Prompt: "p"})
		next := fault.From(err).Next
		if !errors.Is(err, fault.ModelUnknown) || len(next) == 0 || next[len(next)-1].Command != want {
			t.Errorf("got %v, %+v; want %s", err, next, want)
		}
	}
}

func TestThoughtsAreLeftOut(t *testing.T) {
	url, _ := talk(t, 200, `{"message":{"content":"","thinking":"hm"}}`+"\n"+done)
	reply, err := New(model.Server{BaseURL: url, Model: "m"}, 0).Complete(t.Context(), model.Request{Agent: "x", Prompt: "p"})
	if err != nil || reply.Content != "ok" {
		t.Errorf("got %+v, %v", reply, err)
	}
}
