package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/app"
	"sluice/internal/config"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/line/novel/story"
	"sluice/internal/line/spec"
	"sluice/internal/line/spec/ingest"
	"sluice/internal/model"
	"sluice/internal/workspace"
)

// book holds what a model said to each prompt.
type book struct {
	mu   sync.Mutex
	said map[string]string
}

func (b *book) keep(prompt, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said[strings.TrimSpace(prompt)] = text
}

func (b *book) find(prompt string) (string, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	text, ok := b.said[strings.TrimSpace(prompt)]
	return text, ok
}

// tap writes down what is said.
type tap struct {
	model.Model
	book *book
}

func (t tap) Complete(ctx context.Context, r model.Request) (model.Reply, error) {
	reply, err := t.Model.Complete(ctx, r)
	t.book.keep(r.System+r.Prompt, reply.Content)
	return reply, err
}

// server speaks one provider's format, says what stands in the book, and does each of its faults once.
type server struct {
	t      *testing.T
	kind   string
	book   *book
	faults []func(w http.ResponseWriter)

	mu    sync.Mutex
	asked int
	lost  int
}

func status(code int, header ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		if len(header) > 0 {
			w.Header().Set("Retry-After", header[0])
		}
		w.WriteHeader(code)
		fmt.Fprint(w, `{"type":"error","error":{"type":"api_error","message":"not now"}}`)
	}
}

// faults are those after which the same request may be made again.
func faults() []func(http.ResponseWriter) {
	return []func(http.ResponseWriter){status(408), status(429, "1"), status(429), status(500), status(529),
		func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, "{")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
	}
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	s.mu.Lock()
	n := s.asked
	s.asked++
	s.mu.Unlock()
	// Every other request fails while there are faults left, so that each is followed by a try that succeeds.
	if n%2 == 1 && n/2 < len(s.faults) {
		s.faults[n/2](w)
		return
	}
	prompt := asked(s.kind, raw)
	prompt, _, _ = strings.Cut(prompt, "\n\nAnswer with one JSON document that fits this JSON schema")
	text, ok := s.book.find(prompt)
	if !ok {
		s.mu.Lock()
		s.lost++
		s.mu.Unlock()
		s.t.Errorf("%s: nobody wrote down what is said to %.300q", s.kind, prompt)
	}
	answer(w, s.kind, text)
}

type part struct{ Text, Content string }

// asked reads system and prompt from the wire.
func asked(kind string, raw []byte) string {
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

// answer writes a reply in one piece, or in the fewest that the format has.
func answer(w http.ResponseWriter, kind, text string) {
	quoted, _ := json.Marshal(text)
	w.Header().Set("Content-Type", "application/json")
	switch kind {
	case "openai":
		fmt.Fprintf(w, `{"model":"m","choices":[{"message":{"content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":7}}`, quoted)
	case "anthropic":
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range []string{`{"type":"message_start","message":{"model":"m","content":[],"usage":{"input_tokens":5,"output_tokens":1}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":` + string(quoted) + `}}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}`, `{"type":"message_stop"}`} {
			name, _, _ := strings.Cut(strings.TrimPrefix(e, `{"type":"`), `"`)
			fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, e)
		}
	case "gemini":
		fmt.Fprintf(w, `{"modelVersion":"m","candidates":[{"content":{"parts":[{"text":%s}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":7}}`, quoted)
	case "ollama":
		fmt.Fprintf(w, `{"model":"m","message":{"content":%s},"done":true,"done_reason":"stop","prompt_eval_count":5,"eval_count":7}`+"\n", quoted)
	}
}

// work is a book of three chapters, a plan and a spec, in a workspace of its own. It gives every event and file, without what
// differs by nature: when, how long, and the words about a try that failed.
func work(t *testing.T, environ []string, wrap func(model.Model) model.Model) string {
	t.Helper()
	dir := t.TempDir()
	if err := workspace.Init(dir, config.DefaultFile(), true); err != nil {
		t.Fatal(err)
	}
	a, closeAll := openIn(t, dir, func(s *Setup) {
		settings, err := config.Load(config.Source{Environ: append(environ, "SLUICE_ENGINE_WORKERS=1", "SLUICE_PERSON_NAME=ann")})
		if err != nil {
			t.Fatal(err)
		}
		s.Settings = settings
	})
	defer closeAll()
	if wrap != nil {
		inner := a.Engine.Model.(talk)
		inner.model = wrap(inner.model)
		a.Engine.Model = inner
	}
	novel := story.DefaultSettings()
	novel.Premise, novel.TargetChapters, novel.Language = "A lighthouse keeper finds a door under the sea.", 3, "en"
	if _, err := a.NewNovel(t.Context(), app.NovelNew{Name: "book", Settings: novel}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.RunNovel(t.Context(), app.NovelRun{Name: "book"}); err != nil {
		t.Fatal(err)
	}
	plan, err := os.ReadFile(filepath.Join("testdata", "plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	imported, err := a.ImportPlan(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.RunPlan(t.Context(), imported.PlanID, 1); err != nil && fault.CodeOf(err).Exit() != fault.ExitParked {
		t.Fatal(err)
	}
	source := ingest.Source{Name: "text", Body: []byte("# Search\n\nReaders must find a book by any word of its title.\n")}
	if _, err := a.NewSpec(t.Context(), app.NewSpec{Wish: spec.Wish{Title: "Search", Sources: []ingest.Source{source}}}); err != nil && fault.CodeOf(err).Exit() != fault.ExitParked {
		t.Fatal(err)
	}
	return history(t, a) + files(t, dir)
}

// files are the bytes that the work left for people, with their times taken out.
func files(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == ".sluice" {
				return fs.SkipDir
			}
			return err
		}
		body, err := os.ReadFile(filepath.Join(dir, path))
		fmt.Fprintf(&b, "== %s\n%s\n", path, differs.ReplaceAll(body, []byte("·")))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var differs = regexp.MustCompile(`"code":"model_unavailable","message":"(\\.|[^"\\])*"|"[0-9]{4}-[0-9]{2}-[0-9]{2}T[^"]*"|"(duration|took|elapsed)[a-z_]*":[0-9]+|"sha256:[0-9a-f]+"`)

func history(t *testing.T, a *app.App) string {
	t.Helper()
	page, err := a.Store.List(t.Context(), journal.Filter{})
	if err != nil || len(page.Runs) == 0 {
		t.Fatalf("got %+v, %v", page, err)
	}
	var b strings.Builder
	for _, run := range page.Runs {
		log, err := a.Log(t.Context(), app.LogQuery{Run: run.ID})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "== %s %s\n", run.ID, run.Status)
		for _, e := range log.Events {
			line, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			b.WriteString(differs.ReplaceAllString(string(line), "·") + "\n")
		}
	}
	return b.String()
}

// The same work through every provider, with every passing fault once, is the same history.
func TestProvidersMakeTheSameHistory(t *testing.T) {
	said := &book{said: map[string]string{}}
	work(t, nil, func(m model.Model) model.Model { return tap{m, said} })
	kinds := []string{"openai", "anthropic", "gemini", "ollama"}
	histories := make([]string, len(kinds))
	t.Run("work", func(t *testing.T) {
		for i, kind := range kinds {
			t.Run(kind, func(t *testing.T) {
				t.Parallel() // most of the time is spent waiting before the next try
				srv := &server{t: t, kind: kind, book: said, faults: faults()}
				web := httptest.NewServer(srv)
				defer web.Close()
				histories[i] = work(t, []string{"SLUICE_MODEL_PROVIDER=" + kind, "SLUICE_MODEL_MODEL=m", "SLUICE_MODEL_BASE_URL=" + web.URL,
					"SLUICE_MODEL_KEY_ENV="}, nil)
				if srv.asked < 2*len(faults()) || srv.lost > 0 {
					t.Errorf("asked %d times, %d of them in vain", srv.asked, srv.lost)
				}
			})
		}
	})
	for i, kind := range kinds {
		if diff := cmp.Diff(strings.Split(histories[0], "\n"), strings.Split(histories[i], "\n")); diff != "" {
			t.Errorf("%s (-openai +%s):\n%.4000s", kind, kind, diff)
		}
	}
}

// An overloaded model is stood in for, and what it was asked is not asked again.
func TestTierFallsBackAndRemembers(t *testing.T) {
	said := &book{said: map[string]string{}}
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { status(529)(w) }))
	defer busy.Close()
	second := &server{t: t, kind: "ollama", book: said}
	web := httptest.NewServer(second)
	defer web.Close()
	settings, err := config.Load(config.Source{Environ: []string{"SLUICE_MODEL_PROVIDER=anthropic", "SLUICE_MODEL_MODEL=other", "SLUICE_MODEL_BASE_URL=" + busy.URL,
		"SLUICE_MODEL_KEY_ENV=", "SLUICE_MODEL_AGENTS={wri*: strong}", "SLUICE_MODEL_TIERS={strong: [big, {provider: near, model: small}]}",
		"SLUICE_MODEL_PROVIDERS={near: {kind: ollama, base_url: \"" + web.URL + "\"}}"}})
	if err != nil {
		t.Fatal(err)
	}
	a := openTest(t, func(s *Setup) { s.Settings = settings })
	m := a.Engine.Model.(talk).model
	r := model.Request{Agent: "writer", Prompt: "Write.", Scope: model.Scope{Run: "r1", Node: "n"}}
	said.keep("Write.", "Rain.")
	for i := range 2 {
		reply, err := m.Complete(t.Context(), r)
		if err != nil || reply.Content != "Rain." || reply.Provider != "near" || reply.Reused != (i == 1) {
			t.Fatalf("call %d: got %+v, %v", i+1, reply, err)
		}
		if i == 0 && len(reply.Tries) != 1 {
			t.Errorf("got tries %+v, want that of the model that was overloaded", reply.Tries)
		}
	}
	if second.asked != 1 {
		t.Errorf("asked %d times, want once", second.asked)
	}
}
