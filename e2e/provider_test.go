package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"sluice/internal/app"
	"sluice/internal/config"
	"sluice/internal/engine"
	"sluice/internal/kernel"
	"sluice/internal/line"
	bookdoc "sluice/internal/line/novel/story"
	"sluice/internal/line/spec"
	"sluice/internal/line/spec/ingest"
	"sluice/internal/wire"
	"sluice/internal/workspace"
)

const (
	premise = "A lighthouse keeper finds a door under the sea."
	wish    = "# Search\n\nReaders must find a book by any word of its title.\n"
)

// parrot is a server in the format of OpenAI that repeats what rehearsal said to the same prompt. It refuses everybody from
// the moment that an agent is asked which the first outage names, until it is mended.
type parrot struct {
	t *testing.T

	mu      sync.Mutex
	said    map[string]utterance
	times   map[string]int
	outages []outage
	down    bool
}

type utterance struct{ agent, text string }

type outage struct {
	agent  string
	status int // 200 is a refusal of the model's own
	says   string
}

// listener writes down what is said on the way.
type listener struct {
	engine.Model
	to *parrot
}

func (l listener) Ask(ctx context.Context, at engine.Place, c line.Call) (line.Reply, error) {
	reply, err := l.Model.Ask(ctx, at, c)
	l.to.mu.Lock()
	defer l.to.mu.Unlock()
	l.to.said[strings.TrimSpace(c.System+c.Prompt)] = utterance{c.Agent, reply.Content}
	return reply, err
}

func (p *parrot) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct{ Messages []struct{ Content string } }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		p.t.Error(err)
	}
	prompt := ""
	for _, m := range body.Messages {
		prompt += m.Content
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	u, ok := p.said[strings.TrimSpace(prompt)]
	p.down = p.down || len(p.outages) > 0 && p.outages[0].agent == u.agent
	w.Header().Set("Content-Type", "application/json")
	reply := map[string]any{"content": u.text}
	switch {
	case p.down && p.outages[0].status != http.StatusOK:
		w.WriteHeader(p.outages[0].status)
		fmt.Fprint(w, `{"error":{"message":"not you","type":"error","param":null,"code":null}}`)
		return
	case p.down:
		reply = map[string]any{"refusal": "not that"}
	case !ok:
		p.t.Errorf("nobody wrote down what is said to %.300q", prompt)
	default:
		p.times[prompt]++
		if p.times[prompt] > 1 {
			p.t.Errorf("%s was asked the same again, which had been answered", u.agent)
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"model": "m", "usage": map[string]any{"prompt_tokens": 5, "completion_tokens": 7},
		"choices": []any{map[string]any{"message": reply, "finish_reason": "stop"}}})
}

func (p *parrot) mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.down {
		p.t.Fatalf("the outage at %s never came", p.outages[0].agent)
	}
	p.down, p.outages = false, p.outages[1:]
}

// learn has the whole work done by rehearsal in this process.
func (p *parrot) learn() {
	p.t.Helper()
	dir := p.t.TempDir()
	if err := workspace.Init(dir, config.DefaultFile(), true); err != nil {
		p.t.Fatal(err)
	}
	settings, err := config.Load(config.Source{Environ: []string{"SLUICE_ENGINE_WORKERS=1"}})
	if err != nil {
		p.t.Fatal(err)
	}
	a, closeAll, err := wire.Open(p.t.Context(), wire.Setup{Root: dir, Settings: settings, By: kernel.Actor{Kind: kernel.Person, Name: "ann", Via: "cli"}})
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = closeAll() }()
	a.Engine.Model = listener{a.Engine.Model, p}
	novel := bookdoc.DefaultSettings()
	novel.Premise, novel.TargetChapters = premise, 3
	if _, err := a.NewNovel(p.t.Context(), app.NovelNew{Name: "book", Settings: novel}); err != nil {
		p.t.Fatal(err)
	}
	if _, err := a.RunNovel(p.t.Context(), app.NovelRun{Name: "book"}); err != nil {
		p.t.Fatal(err)
	}
	plan, err := a.ImportPlan(p.t.Context(), p.plan())
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := a.RunPlan(p.t.Context(), plan.PlanID, 1); err != nil {
		p.t.Fatal(err)
	}
	// What waits for a person in the end is no failure.
	_, _ = a.NewSpec(p.t.Context(), app.NewSpec{Wish: spec.Wish{Sources: []ingest.Source{{Name: "wish.md", Body: []byte(wish)}}}})
}

func (p *parrot) plan() []byte {
	p.t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "internal", "wire", "testdata", "plan.json"))
	if err != nil {
		p.t.Fatal(err)
	}
	return raw
}

var nextCommand = regexp.MustCompile(`(?m)^next: sluice ([^\n]*?)(   .*)?$`)

// A fault that lasts ends a command with the server's words and the command that goes on; that command, after the fault is
// mended, brings the work to the same end, and nothing that was answered is paid for again.
func TestFaultsOfAProviderEndTheWorkAndResumeGoesOn(t *testing.T) {
	p := &parrot{t: t, said: map[string]utterance{}, times: map[string]int{}}
	p.learn()
	web := httptest.NewServer(p)
	defer web.Close()
	s := newShell(t, "SLUICE_MODEL_PROVIDER=openai", "SLUICE_MODEL_MODEL=m", "SLUICE_MODEL_BASE_URL="+web.URL, "SLUICE_MODEL_KEY_ENV=", "SLUICE_ENGINE_WORKERS=1")
	s.mustRun(0, "novel", "new", "book", "--premise", premise, "--chapters", "3")
	s.mustRun(0, "task", "import", s.write("plan.json", string(p.plan())))
	for _, work := range []struct {
		first   []string
		outages []outage
		resume  []string // besides the command that is named
		ends    int
	}{
		{[]string{"novel", "run", "book"}, []outage{{"world", 401, "refuses the key: 401"}, {"outline", 403, "refuses the key: 403"},
			{"chapter-plan", 404, "does not know the model"}, {"scene-text", 200, "declined to answer scene-text: not that"}},
			[]string{"novel", "resume", "book"}, 0},
		{[]string{"task", "run", "11111111-1111-4111-8111-111111111111"}, []outage{{"action", 401, "refuses the key: 401"}, {"check", 403, "refuses the key: 403"},
			{"action", 404, "does not know the model"}, {"check", 200, "declined to answer check: not that"}},
			[]string{"resume", "11111111-1111-4111-8111-111111111111"}, 0},
		{[]string{"spec", "new", "-f", s.write("wish.md", wish)}, []outage{{"compile", 401, "refuses the key: 401"}, {"plan-tasks", 403, "refuses the key: 403"},
			{"generate-vv", 404, "does not know the model"}, {"generate-vv", 200, "declined to answer generate-vv: not that"}},
			[]string{"resume", "F-2026-001"}, 4},
	} {
		p.outages = work.outages
		command := work.first
		for i, o := range work.outages {
			out, errs := s.mustRun(6, command...)
			all := out + errs
			wantAll(t, all, o.says, "next: sluice ")
			p.mend()
			if command = work.resume; i%2 == 0 {
				found := nextCommand.FindAllStringSubmatch(all, -1)
				command = strings.Fields(found[len(found)-1][1])
			}
		}
		s.mustRun(work.ends, command...)
	}
	s.mustRun(0, "verify")
	s.mustRun(0, "doctor")
	if len(p.times) != len(p.said) {
		t.Errorf("%d of %d prompts were answered", len(p.times), len(p.said))
	}
}
