package gemini

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

// wire is the server's side of generateContent.
type wire struct{}

type generateRequest struct {
	System struct {
		Parts []struct{ Text string }
	} `json:"systemInstruction"`
	Contents []struct {
		Role  string
		Parts []struct{ Text string }
	}
	Config struct {
		Schema    json.RawMessage `json:"responseJsonSchema"`
		MIME      string          `json:"responseMimeType"`
		MaxTokens int             `json:"maxOutputTokens"`
	} `json:"generationConfig"`
}

func (wire) Read(r *http.Request, body []byte) (modeltest.Asked, error) {
	path, ok := strings.CutPrefix(r.URL.Path, "/v1beta/models/")
	name, verb, _ := strings.Cut(path, ":")
	if !ok || verb != "generateContent" && verb != "streamGenerateContent" {
		return modeltest.Asked{}, fmt.Errorf("path is %s", r.URL.Path)
	}
	var c generateRequest
	err := json.Unmarshal(body, &c)
	a := modeltest.Asked{Model: name, Stream: verb == "streamGenerateContent", Key: r.Header.Get("X-Goog-Api-Key"), Schema: c.Config.Schema}
	if r.URL.Query().Has("key") || r.Header.Get("Authorization") != "" {
		err = errors.Join(err, errors.New("a key stands where logs show it"))
	}
	for _, part := range c.System.Parts {
		a.System += part.Text
	}
	for _, content := range c.Contents {
		for _, part := range content.Parts {
			a.Prompt += part.Text
		}
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
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"code": a.Status, "message": a.Message, "status": "X"}})
		return
	}
	usage := map[string]any{"promptTokenCount": a.Usage.InputTokens, "candidatesTokenCount": a.Usage.OutputTokens - 2, "thoughtsTokenCount": 2}
	piece := func(text, finish string) map[string]any {
		candidate := map[string]any{"content": map[string]any{"role": "model", "parts": []any{map[string]any{"text": text}}}}
		if finish != "" {
			candidate["finishReason"] = finish
		}
		return map[string]any{"candidates": []any{candidate}, "modelVersion": "test-model", "usageMetadata": usage}
	}
	finish := "STOP"
	if a.Cut {
		finish = "MAX_TOKENS"
	}
	whole := piece(a.Text, finish)
	if a.Refusal != "" {
		whole = map[string]any{"promptFeedback": map[string]any{"blockReason": "SAFETY", "blockReasonMessage": a.Refusal}, "usageMetadata": usage}
	}
	if !asked.Stream {
		_ = json.NewEncoder(w).Encode(whole)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(v any) {
		fmt.Fprint(w, "data: ")
		_ = json.NewEncoder(w).Encode(v)
		fmt.Fprint(w, "\n")
	}
	if a.Refusal != "" {
		send(whole)
		return
	}
	for _, letter := range a.Text {
		send(piece(string(letter), ""))
	}
	send(piece("", finish))
}

func TestConformance(t *testing.T) {
	modeltest.Run(t, modeltest.Subject{
		Wire: wire{}, FallsBack: true,
		Open: func(_ *testing.T, baseURL string, key model.Secret, timeout time.Duration) model.Model {
			return New(model.Server{BaseURL: baseURL, Key: modeltest.Key(key), Timeout: timeout})
		},
		Env: map[string]string{"GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:1", "GOOGLE_VERTEX_BASE_URL": "http://127.0.0.1:1",
			"GEMINI_API_KEY": "key-from-the-environment", "GOOGLE_GENAI_USE_VERTEXAI": "true", "GOOGLE_GENAI_USE_ENTERPRISE": "true",
			"GOOGLE_CLOUD_PROJECT": "somebody", "GOOGLE_CLOUD_LOCATION": "somewhere"},
	})
}

// talk serves a canned answer and keeps the last request.
func talk(t *testing.T, status int, body string) (*Client, *generateRequest) {
	t.Helper()
	var seen generateRequest
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = generateRequest{}
		if err := json.NewDecoder(r.Body).Decode(&seen); err != nil {
			t.Error(err)
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(srv.Close)
	return New(model.Server{BaseURL: srv.URL, Model: "m"}), &seen
}

const fine = `{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"{}"}]},"finishReason":"STOP"}]}`

func TestSchemaOnTheWire(t *testing.T) {
	c, seen := talk(t, 200, fine)
	r := model.Request{Agent: "x", Prompt: "p", Params: model.Params{MaxTokens: 9},
		Schema: json.RawMessage(`{"type":"object","required":["reason"],"properties":{"reason":{"type":"string","maxLength":9},"a":{"type":"integer","minimum":1}}}`)}
	reply, err := c.Complete(t.Context(), r)
	if err != nil || reply.Content != "{}" {
		t.Fatalf("got %+v, %v; want the reply without the thoughts", reply, err)
	}
	got := string(seen.Config.Schema)
	if strings.Index(got, `"reason":{`) > strings.Index(got, `"a":{`) || strings.Contains(got, `"maxLength"`) || !strings.Contains(got, `"minimum":1`) {
		t.Errorf("sent %s, want the order kept and only what the API lists", got)
	}
	if seen.Config.MIME != "application/json" || seen.Config.MaxTokens != 9 {
		t.Errorf("sent %+v", seen.Config)
	}
}

func TestOddAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		body   string
		class  model.ErrorClass
		code   fault.Code
	}{
		"wrong key": {400, `{"error":{"code":400,"message":"API key not valid","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`, model.Permanent, fault.ModelAuth},
		"blocked while writing": {200, `{"candidates":[{"content":{"parts":[{"text":"Once"}]},"finishReason":"PROHIBITED_CONTENT","finishMessage":"no"}]}`,
			model.Permanent, fault.ModelRefused},
		"no candidates":   {200, `{"candidates":[]}`, model.Retryable, fault.ModelUnavailable},
		"no content":      {200, `{"candidates":[{"finishReason":"STOP"}]}`, model.Retryable, fault.ModelUnavailable},
		"not json":        {200, `<html>`, model.Retryable, fault.ModelUnavailable},
		"plain text":      {503, `the backend is down`, model.Retryable, fault.ModelUnavailable},
		"other finish":    {200, `{"candidates":[{"finishReason":"OTHER"}]}`, model.Retryable, fault.ModelUnavailable},
		"null candidates": {200, `{"candidates":[null]}`, model.Retryable, fault.ModelUnavailable},
	} {
		c, _ := talk(t, test.status, test.body)
		_, err := c.Complete(t.Context(), model.Request{Agent: "x", Prompt: "p"})
		if model.ClassOf(err) != test.class || fault.CodeOf(err) != test.code {
			t.Errorf("%s: got %v (%s), want %s %s", name, err, model.ClassOf(err), test.class, test.code)
		}
	}
}

func TestWaitIsReadFromTheBodyToo(t *testing.T) {
	c, _ := talk(t, 429, `{"error":{"code":429,"message":"quota","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"17.5s"}]}}`)
	_, err := c.Complete(t.Context(), model.Request{Agent: "x", Prompt: "p"})
	if e, ok := errors.AsType[*model.Error](err); !ok || e.RetryAfter != 17500*time.Millisecond {
		t.Errorf("got %v, want a wait of 17.5s", err)
	}
}

func TestErrorInsideAStream(t *testing.T) {
	c, _ := talk(t, 200, "data: {\"error\":{\"code\":503,\"message\":\"overloaded\"}}\n\n")
	_, err := c.Complete(t.Context(), model.Request{Agent: "x", Prompt: "p", Watch: func(int) {}})
	if model.ClassOf(err) != model.Retryable || !strings.Contains(fmt.Sprint(err), "overloaded") {
		t.Errorf("got %v (%s)", err, model.ClassOf(err))
	}
}

func TestNameIsNoPath(t *testing.T) {
	c, _ := talk(t, 200, fine)
	for _, name := range []string{"../files", "m?x=1", "m:delete", "a b", "models/../../x"} {
		if _, err := c.Complete(t.Context(), model.Request{Params: model.Params{Model: name}}); !errors.Is(err, fault.ModelUnknown) {
			t.Errorf("%s: got %v, want model_unknown", name, err)
		}
	}
}
