package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// What the author charges for every call.
const (
	authorIn, authorOut = 100, 10
	authorPrice         = "SLUICE_MODEL_PRICES={author-1: {input: 3, output: 15}}"
	authorCost          = (authorIn*3 + authorOut*15) / 1e6
)

// author is a real provider of books: it speaks the chat protocol of OpenAI, and no text that it writes is like another.
type author struct {
	*httptest.Server
	calls atomic.Int64

	mu   sync.Mutex
	hold func(ctx context.Context, agent string) // is told of every call before it is answered
	once map[string]string                       // what an agent says the next time, by its name
}

func newAuthor(t *testing.T) *author {
	t.Helper()
	a := &author{once: map[string]string{}}
	a.Server = httptest.NewServer(a)
	t.Cleanup(func() {
		a.CloseClientConnections()
		a.Close()
	})
	return a
}

func (a *author) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Format struct {
			Schema struct{ Name string } `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	agent := asked.Format.Schema.Name
	if agent == "" { // the only text that fits no schema
		agent = "scene-text"
	}
	a.mu.Lock()
	hold, content := a.hold, a.once[agent]
	delete(a.once, agent)
	a.mu.Unlock()
	if hold != nil {
		hold(r.Context(), agent)
	}
	n := a.calls.Add(1)
	if content == "" {
		content = authoredPlan(agent, n)
	}
	if content == "" {
		content = authored(agent, n)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"id": "c1", "object": "chat.completion", "model": "author-1",
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": content}}},
		"usage":   map[string]any{"prompt_tokens": authorIn, "completion_tokens": authorOut, "total_tokens": authorIn + authorOut}})
}

func (a *author) holding(hold func(ctx context.Context, agent string)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.hold = hold
}

// busy is a process that drives a book and waits for the author.
type busy struct {
	*exec.Cmd
	t        *testing.T
	released chan struct{}
	ended    chan error
	said     *bytes.Buffer
}

// drive starts a command with the author's key, and comes back when it asks for the n-th reply of an agent.
func (m mixed) drive(agent string, n int, args ...string) *busy {
	m.t.Helper()
	b := &busy{t: m.t, released: make(chan struct{}), ended: make(chan error, 1), said: &bytes.Buffer{}}
	asked := make(chan struct{}, 1)
	var count atomic.Int64
	m.author.holding(func(ctx context.Context, who string) {
		if who != agent || count.Add(1) != int64(n) {
			return
		}
		asked <- struct{}{}
		select {
		case <-b.released:
		case <-ctx.Done():
		}
	})
	m.env = m.author.realEnv()
	b.Cmd = m.command(m.t.Context(), "", args...)
	m.env = []string{authorPrice}
	b.Stdout, b.Stderr = b.said, b.said
	if err := b.Start(); err != nil {
		m.t.Fatal(err)
	}
	go func() { b.ended <- b.Wait() }()
	select {
	case <-asked:
	case err := <-b.ended:
		m.t.Fatalf("sluice %s ended before it asked: %v\n%s", strings.Join(args, " "), err, b.said)
	}
	return b
}

// kill ends the process at once.
func (b *busy) kill() {
	b.t.Helper()
	if err := b.Process.Kill(); err != nil {
		b.t.Fatal(err)
	}
	if err := <-b.ended; err == nil {
		b.t.Error("the killed process ended well")
	}
	close(b.released)
}

// end lets the author answer, and wants the process to end with a code. It gives what it said.
func (b *busy) end(want int) string {
	b.t.Helper()
	close(b.released)
	<-b.ended
	if got := b.ProcessState.ExitCode(); got != want {
		b.t.Errorf("the process that drove ended with %d, want %d\n%s", got, want, b.said)
	}
	return b.said.String()
}

func (a *author) says(agent, content string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.once[agent] = content
}

// authored is what the author says as its n-th reply.
func authored(agent string, n int64) string {
	person := func(name string) string {
		return fmt.Sprintf(`{"name":%q,"role":"keeper","gender":"female","appearance":"grey","personality":"patient","background":"the coast","motivation":"to know"}`, name)
	}
	switch agent {
	case "world":
		return `{"world_name":"Skerry","time_period":"now","geography":"a rock","social_system":"none","technology_level":"lamps","culture_customs":"tea"}`
	case "theme":
		return `{"core_theme":"patience","sub_themes":["salt"],"main_conflict":"sea and door","sub_conflicts":["fog"],"tone":"calm"}`
	case "characters":
		return `{"protagonist":` + person("Mara") + `,"supporting_characters":[` + person("Ivo") + "," + person("Tess") + "," + person("Noor") + `]}`
	case "outline":
		var chapters []string
		for i := 1; i <= 4; i++ {
			chapters = append(chapters, fmt.Sprintf(`{"chapter_number":%d,"chapter_title":"Tide %[1]d","summary":"the tide comes","key_events":["tide %[1]d"],"timeline_anchor":"day %[1]d","dependencies":[]}`, i))
		}
		return `{"story_premise":"a door","beginning":"a","development":"b","climax":"c","resolution":"d","chapters":[` + strings.Join(chapters, ",") + `]}`
	case "chapter-plan":
		scene := `{"scene_number":%d,"location":"the rock","characters":["Mara"],"purpose":"to see","key_actions":["looks"],"estimated_words":20,"scene_type":"quiet","intensity":"low"}`
		return `{"scenes":[` + fmt.Sprintf(scene, 1) + "," + fmt.Sprintf(scene, 2) + `]}`
	case "revision":
		return fmt.Sprintf(`{"scenes":[{"scene_number":1,"content":"Mara revised the morning, page %d."},{"scene_number":2,"content":"Mara revised the evening, page %[1]d."}]}`, n)
	case "chapter-memory":
		return `{"summary":"Mara looks at the sea","timeline_anchor":"day one","location_summary":"the rock","key_events":["a look"],"character_states":{"Mara":"calm"},"unresolved_threads":[]}`
	case "consistency":
		return `{"summary":"nothing contradicts","issues":[]}`
	case "logic-review":
		return `{"overall_score":95,"summary":"it holds","issues":[]}`
	}
	return fmt.Sprintf("Mara lit the lamp and wrote page %d of her own hand.", n)
}

// realEnv is the environment of somebody who has the author's key.
func (a *author) realEnv() []string {
	return []string{"SLUICE_MODEL_PROVIDER=openai", "SLUICE_MODEL_BASE_URL=" + a.URL, "SLUICE_MODEL_MODEL=author-1", "SLUICE_MODEL_KEY_ENV=", authorPrice}
}
