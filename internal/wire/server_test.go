package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"sluice/internal/model"
)

// saying is one reply, and who gave it.
type saying struct{ agent, text string }

// book holds what a model said to each prompt.
type book struct {
	mu   sync.Mutex
	said map[string]saying
}

func (b *book) keep(prompt string, s saying) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said[strings.TrimSpace(prompt)] = s
}

func (b *book) find(prompt string) (saying, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, ok := b.said[strings.TrimSpace(prompt)]
	return s, ok
}

// tap writes down what is said.
type tap struct {
	model.Model
	book *book
}

func (t tap) Complete(ctx context.Context, r model.Request) (model.Reply, error) {
	reply, err := t.Model.Complete(ctx, r)
	t.book.keep(r.System+r.Prompt, saying{r.Agent, reply.Content})
	return reply, err
}

// server speaks one provider's format and says what stands in the book. It does each of its faults once, and is out of order
// from the beginning of each of its outages until it is mended.
type server struct {
	t       *testing.T
	kind    string
	book    *book
	faults  []func(w http.ResponseWriter)
	schema  bool // the first request with a schema is refused for one of its keywords
	outages []outage

	mu       sync.Mutex
	asked    int
	lost     int
	answered map[string]int // by agent
	down     bool           // the first of outages lasts
}

// outage begins when an agent is asked again that has been answered so often.
type outage struct {
	agent string
	after int
	does  func(w http.ResponseWriter)
}

func status(kind string, code int, header ...string) func(http.ResponseWriter) {
	body := `{"type":"error","error":{"type":"api_error","message":"not now"}}`
	if kind == "ollama" {
		body = `{"error":"not now"}`
	}
	return func(w http.ResponseWriter) {
		if len(header) > 0 {
			w.Header().Set("Retry-After", header[0])
		}
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

// faults are those after which the same request may be made again.
func faults(kind string) []func(http.ResponseWriter) {
	return []func(http.ResponseWriter){status(kind, 408), status(kind, 429, "1"), status(kind, 429), status(kind, 500), status(kind, 529),
		func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, "{")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
		nil, // no first byte until the client goes away
	}
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	if s.fails(w, r, raw) {
		return
	}
	prompt := asked(raw)
	prompt, _, _ = strings.Cut(prompt, "\n\nAnswer with one JSON document that fits this JSON schema")
	said, ok := s.book.find(prompt)
	if does := s.breaks(said.agent, ok); does != nil {
		does(w)
		return
	}
	if !ok {
		s.t.Errorf("%s: nobody wrote down what is said to %.300q", s.kind, prompt)
	}
	answer(w, s.kind, said.text, false)
}

// fails does the next passing fault, if there is one left.
func (s *server) fails(w http.ResponseWriter, r *http.Request, raw []byte) bool {
	s.mu.Lock()
	n := s.asked
	s.asked++
	refuses := s.schema && hasSchema(s.kind, raw)
	if refuses {
		s.schema = false
	}
	s.mu.Unlock()
	if refuses {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"type":"error","error":{"type":"invalid_request_error","message":"schema: keyword minItems is not supported"}}`)
		return true
	}
	// Every other request fails while there are faults left, so that each is followed by a try that succeeds.
	if n%2 == 0 || n/2 >= len(s.faults) {
		return false
	}
	if does := s.faults[n/2]; does != nil {
		does(w)
	} else {
		<-r.Context().Done()
	}
	return true
}

// breaks gives what an outage does to everybody who asks.
func (s *server) breaks(agent string, known bool) func(http.ResponseWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.outages) > 0 && !s.down {
		s.down = s.outages[0].agent == agent && s.answered[agent] == s.outages[0].after
	}
	if s.down {
		return s.outages[0].does
	}
	if !known {
		s.lost++
	}
	if s.answered == nil {
		s.answered = map[string]int{}
	}
	s.answered[agent]++
	return nil
}

// mend ends an outage. It tells whether there was one.
func (s *server) mend() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.down
	if was {
		s.down, s.outages = false, s.outages[1:]
	}
	return was
}

// calls counts the requests that were answered.
func (s *server) calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, of := range s.answered {
		n += of
	}
	return n
}

// hasSchema tells whether the server is asked to hold the model to a schema.
func hasSchema(kind string, raw []byte) bool {
	word := map[string]string{"openai": `"json_schema"`, "anthropic": `"output_config"`, "gemini": `"responseJsonSchema"`, "ollama": `"format":{`}[kind]
	return bytes.Contains(raw, []byte(word))
}

type part struct{ Text, Content string }

// asked reads system and prompt from the wire.
func asked(raw []byte) string {
	var body struct {
		System   json.RawMessage
		Messages []struct {
			Content json.RawMessage
		}
		Instruction struct{ Parts []part } `json:"systemInstruction"`
		Contents    []struct{ Parts []part }
	}
	_ = json.Unmarshal(raw, &body)
	var all string
	add := func(raw json.RawMessage) {
		var text string
		var parts []part
		if json.Unmarshal(raw, &text) != nil {
			_ = json.Unmarshal(raw, &parts)
		}
		for _, p := range parts {
			text += p.Text
		}
		all += text
	}
	add(body.System)
	for _, m := range body.Messages {
		add(m.Content)
	}
	for _, p := range body.Instruction.Parts {
		all += p.Text
	}
	for _, c := range body.Contents {
		for _, p := range c.Parts {
			all += p.Text
		}
	}
	return all
}

// answer writes a reply in one piece, or in the fewest that the format has; a refusal where the model declines. Ollama has no
// word for that: there the reply is cut.
func answer(w http.ResponseWriter, kind, text string, declines bool) {
	quoted, _ := json.Marshal(text)
	w.Header().Set("Content-Type", "application/json")
	finish := map[string]string{"openai": "stop", "anthropic": "end_turn", "gemini": "STOP", "ollama": "stop"}[kind]
	if declines {
		finish = map[string]string{"openai": "content_filter", "anthropic": "refusal", "gemini": "SAFETY", "ollama": "length"}[kind]
	}
	switch kind {
	case "openai":
		fmt.Fprintf(w, `{"model":"m","choices":[{"message":{"content":%s},"finish_reason":%q}],"usage":{"prompt_tokens":5,"completion_tokens":7}}`, quoted, finish)
	case "anthropic":
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range []string{`{"type":"message_start","message":{"model":"m","content":[],"usage":{"input_tokens":5,"output_tokens":1}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":` + string(quoted) + `}}`,
			`{"type":"message_delta","delta":{"stop_reason":"` + finish + `"},"usage":{"output_tokens":7}}`, `{"type":"message_stop"}`} {
			name, _, _ := strings.Cut(strings.TrimPrefix(e, `{"type":"`), `"`)
			fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, e)
		}
	case "gemini":
		fmt.Fprintf(w, `{"modelVersion":"m","candidates":[{"content":{"parts":[{"text":%s}]},"finishReason":%q}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":7}}`, quoted, finish)
	case "ollama":
		fmt.Fprintf(w, `{"model":"m","message":{"content":%s},"done":true,"done_reason":%q,"prompt_eval_count":5,"eval_count":7}`+"\n", quoted, finish)
	}
}
