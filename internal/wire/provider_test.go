package wire

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/app"
	"sluice/internal/config"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/line/novel/story"
	"sluice/internal/line/spec"
	"sluice/internal/line/spec/ingest"
	"sluice/internal/line/task"
	"sluice/internal/model"
	"sluice/internal/workspace"
)

// trial is a book of three chapters, a plan and a spec, in a workspace of its own.
type trial struct {
	environ []string
	wrap    func(model.Model) model.Model
	// broke is asked when a command ends because of a model. It mends what is broken and tells whether to go on.
	broke func(what string, told error) bool
}

// work does it all, and gives every event and file without what differs by nature: when, how long, and the words about a try
// that failed.
func (tr trial) work(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := workspace.Init(dir, config.DefaultFile(), true); err != nil {
		t.Fatal(err)
	}
	a, closeAll := openIn(t, dir, func(s *Setup) {
		settings, err := config.Load(config.Source{Environ: append(tr.environ, "SLUICE_ENGINE_WORKERS=1", "SLUICE_PERSON_NAME=ann")})
		if err != nil {
			t.Fatal(err)
		}
		s.Settings = settings
	})
	defer closeAll()
	if tr.wrap != nil {
		inner := a.Engine.Model.(talk)
		inner.model = tr.wrap(inner.model)
		a.Engine.Model = inner
	}
	tr.novel(t, a)
	tr.plan(t, a)
	tr.spec(t, a)
	return history(t, a) + files(t, dir)
}

// goOn repeats a command until nothing is broken.
func (tr trial) goOn(t *testing.T, what string, first, again func() error) {
	t.Helper()
	err := first()
	for err != nil && fault.CodeOf(err).Exit() == fault.ExitGaveUp && tr.broke != nil && tr.broke(what, err) {
		err = again()
	}
	if err != nil && fault.CodeOf(err).Exit() != fault.ExitParked {
		t.Fatalf("%s: %v", what, err)
	}
}

func (tr trial) novel(t *testing.T, a *app.App) {
	t.Helper()
	settings := story.DefaultSettings()
	settings.Premise, settings.TargetChapters, settings.Language = "A lighthouse keeper finds a door under the sea.", 3, "en"
	if _, err := a.NewNovel(t.Context(), app.NovelNew{Name: "book", Settings: settings}); err != nil {
		t.Fatal(err)
	}
	run := func() error {
		d, err := a.RunNovel(t.Context(), app.NovelRun{Name: "book"})
		if err == nil && len(d.FailedChapters) > 0 {
			return fault.New(fault.StepFailed, "book", "chapters %v failed: %v", d.FailedChapters, d.Results)
		}
		return err
	}
	tr.goOn(t, "novel", run, run)
}

func (tr trial) plan(t *testing.T, a *app.App) {
	t.Helper()
	plan, err := os.ReadFile(filepath.Join("testdata", "plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	imported, err := a.ImportPlan(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	run := func() error {
		d, err := a.RunPlan(t.Context(), imported.PlanID, 1)
		if err == nil && d.Status == task.PlanFailed {
			return fault.New(fault.StepFailed, imported.PlanID, "the plan failed: %+v", d.Nodes)
		}
		return err
	}
	tr.goOn(t, "plan", run, run)
}

func (tr trial) spec(t *testing.T, a *app.App) {
	t.Helper()
	source := ingest.Source{Name: "text", Body: []byte("# Search\n\nReaders must find a book by any word of its title.\n")}
	feature := ""
	tr.goOn(t, "spec", func() error {
		d, err := a.NewSpec(t.Context(), app.NewSpec{Wish: spec.Wish{Title: "Search", Sources: []ingest.Source{source}}})
		feature = d.FeatureID
		return err
	}, func() error {
		_, err := a.RunSpec(t.Context(), feature)
		return err
	})
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

var differs = regexp.MustCompile(`"code":"model_unavailable","message":"(\\.|[^"\\])*"|"[0-9]{4}-[0-9]{2}-[0-9]{2}T[^"]*"|"(duration|took|elapsed)[a-z_]*":[0-9]+|"sha256:[0-9a-f]+"` +
	// Who refused, and how a model is made to decline: what Ollama cannot do is a cut reply there.
	`|(openai|anthropic|gemini|ollama) (refuses the key|does not know the model)|model_(refused|truncated)` +
	`|the model declined to answer [a-z-]+(: (SAFETY|the server's content filter stopped it))?|the reply to [a-z-]+ was cut off at the token limit`)

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

var kinds = []string{"openai", "anthropic", "gemini", "ollama"}

// rehearsed writes down what the rehearsal says to everything that the work asks.
func rehearsed(t *testing.T) *book {
	t.Helper()
	said := &book{said: map[string]saying{}}
	trial{wrap: func(m model.Model) model.Model { return tap{m, said} }}.work(t)
	return said
}

// sameWork does the work through the local server of every provider, and compares what came of it.
func sameWork(t *testing.T, said *book, prepare func(s *server) trial, check func(t *testing.T, s *server)) {
	t.Helper()
	histories := make([]string, len(kinds))
	t.Run("work", func(t *testing.T) {
		for i, kind := range kinds {
			t.Run(kind, func(t *testing.T) {
				t.Parallel() // most of the time is spent waiting before the next try
				srv := &server{t: t, kind: kind, book: said}
				tr := prepare(srv)
				web := httptest.NewServer(srv)
				defer web.Close()
				tr.environ = append(tr.environ, "SLUICE_MODEL_PROVIDER="+kind, "SLUICE_MODEL_MODEL=m", "SLUICE_MODEL_BASE_URL="+web.URL, "SLUICE_MODEL_KEY_ENV=")
				histories[i] = tr.work(t)
				check(t, srv)
			})
		}
	})
	for i, kind := range kinds {
		if diff := cmp.Diff(strings.Split(histories[0], "\n"), strings.Split(histories[i], "\n")); diff != "" {
			t.Errorf("%s (-openai +%s):\n%.4000s", kind, kind, diff)
		}
	}
}

// The same work through every provider, with every passing fault once, is the same history.
func TestProvidersMakeTheSameHistory(t *testing.T) {
	t.Parallel()
	sameWork(t, rehearsed(t), func(s *server) trial {
		s.faults, s.schema = faults(s.kind), true
		return trial{environ: []string{"SLUICE_MODEL_TIMEOUT=3s"}} // for the one fault that is nothing but waiting
	}, func(t *testing.T, s *server) {
		if s.asked < 2*len(s.faults) || s.lost > 0 || s.schema {
			t.Errorf("asked %d times, %d of them in vain, schema refused: %t", s.asked, s.lost, !s.schema)
		}
	})
}

var ends = regexp.MustCompile(`refuses the key: 40[13]: not now|does not know the model or the address: 404: not now|declined to answer|was cut off at the token limit`)

// A fault that lasts ends each kind of work, says what it is, and loses nothing: once it is mended the same command goes on, and
// what was answered before is not asked again.
func TestProvidersGoOnAfterAFaultThatEndsTheWork(t *testing.T) {
	t.Parallel()
	said := rehearsed(t)
	sameWork(t, said, func(s *server) trial {
		declines := func(w http.ResponseWriter) { answer(w, s.kind, "I cannot help with that.", true) }
		s.outages = []outage{
			{"world", 0, status(s.kind, 401)}, {"characters", 0, status(s.kind, 403)}, {"chapter-plan", 1, status(s.kind, 404)}, {"scene-text", 4, declines},
			{"action", 0, status(s.kind, 401)}, {"check", 0, status(s.kind, 403)}, {"action", 1, status(s.kind, 404)}, {"check", 1, declines},
			{"compile", 0, status(s.kind, 401)}, {"plan-tasks", 0, status(s.kind, 403)}, {"generate-vv", 0, status(s.kind, 404)},
		}
		return trial{broke: func(what string, told error) bool {
			if !ends.MatchString(told.Error()) {
				s.t.Errorf("%s: %s ended with %v, which does not say what to mend", s.kind, what, told)
			}
			return s.mend()
		}}
	}, func(t *testing.T, s *server) {
		if len(s.outages) > 0 || s.lost > 0 {
			t.Errorf("%d outages never came, asked %d times in vain", len(s.outages), s.lost)
		}
		if s.calls() != len(said.said) {
			t.Errorf("answered %d requests for %d prompts", s.calls(), len(said.said))
		}
	})
}

// An overloaded model is stood in for, and what it was asked is not asked again.
func TestTierFallsBackAndRemembers(t *testing.T) {
	said := &book{said: map[string]saying{}}
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { status("anthropic", 529)(w) }))
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
	said.keep("Write.", saying{"writer", "Rain."})
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
