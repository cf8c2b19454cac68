package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"sluice/internal/app"
	"sluice/internal/config"
	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/feishutest"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line/spec"
	"sluice/internal/line/spec/ingest"
	"sluice/internal/line/spec/ledger"
	"sluice/internal/publish"
	"sluice/internal/wire"
)

// newMixedSpec is a workspace without a feature, and a real author of specs.
func newMixedSpec(t *testing.T) mixed {
	t.Helper()
	a := &author{once: map[string]string{}}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var asked struct {
			Format struct {
				Schema struct{ Name string } `json:"json_schema"`
			} `json:"response_format"`
		}
		if err != nil || json.Unmarshal(body, &asked) != nil {
			http.Error(w, "no request", http.StatusBadRequest)
			return
		}
		agent := asked.Format.Schema.Name
		a.mu.Lock()
		if _, told := a.once[agent]; !told {
			a.once[agent] = specified(agent, a.calls.Load()+1)
		}
		a.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		a.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		a.CloseClientConnections()
		a.Close()
	})
	return mixed{newShell(t, authorPrice), a}
}

// specified is what the author says of a feature as its n-th reply. It never knows the goal.
func specified(agent string, n int64) string {
	switch agent {
	case spec.AgentCompile:
		return fmt.Sprintf(`{"title":"Book search","background":"page %d","acceptance_criteria":[{"id":"AC-1","criteria":"a word finds it"}]}`, n)
	case spec.AgentQuestions:
		return fmt.Sprintf(`{"questions":[{"path":"spec.goal","question":"what is the goal, asked as page %d?"}]}`, n)
	case spec.AgentPlan:
		return fmt.Sprintf(`{"tasks":[{"task_id":"T-1","title":"build page %d","type":"dev","scope":"all of it"}]}`, n)
	case spec.AgentVV:
		return fmt.Sprintf(`{"vv":[{"vv_id":"VV-1","task_id":"T-1","type":"unit","procedure":"read page %d","expected_result":"it is there","evidence_required":["log"]}]}`, n)
	}
	return `{}`
}

const wanted = "Let readers find a book by any word of its title"

// soundSpec wants nothing to have been paid for twice, every reply to be recorded but those of the given number of calls that were
// cut off, since what they were for was taken back, and every file to be as it should.
func (m mixed) soundSpec(feature string, cut int) {
	m.t.Helper()
	paid := m.paid(feature)
	for key, n := range paid {
		if n > 1 {
			m.t.Errorf("call %s was paid for %d times", key, n)
		}
	}
	if n := int(m.author.calls.Load()); n < len(paid) || n > len(paid)+cut {
		m.t.Errorf("the author answered %d calls, and %d are recorded", n, len(paid))
	}
	m.shell.soundSpec(feature)
}

func (s *shell) soundSpec(feature string) {
	s.t.Helper()
	s.mustRun(0, "verify")
	s.mustRun(0, "doctor")
	if _, err := newRecorded(s.dir, absolute(s.t, "..", "schemas")); err != nil {
		s.t.Error(err)
	}
	if d := s.replayed(0, feature); !d.Same {
		s.t.Errorf("replay: %+v", d)
	}
}

func (s *shell) theFeature() spec.Summary {
	s.t.Helper()
	var all app.SpecListDoc
	s.decode(&all, "spec", "list")
	if len(all.Features) != 1 {
		s.t.Fatalf("%d features", len(all.Features))
	}
	return all.Features[0]
}

// pasted runs the first command that a refusal names.
func (s *shell) pasted(want int, out string) string {
	s.t.Helper()
	next := nextCommands(out)
	if len(next) == 0 {
		s.t.Fatalf("nothing is named in %s", out)
	}
	args := strings.Fields(next[0])
	for i := range args {
		args[i] = strings.Trim(args[i], "'")
	}
	got, _ := s.mustRun(want, append([]string{"--json"}, args...)...)
	return got
}

// TestSpecCancelledBesideADrive cancels a feature while another process waits for a model: that one ends with a refusal which
// names the way on, and a reply that it got is used when the feature is resumed.
func TestSpecCancelledBesideADrive(t *testing.T) {
	t.Parallel()
	m := newMixedSpec(t)
	drive := m.drive(spec.AgentPlan, 1, "--json", "spec", "new", wanted)
	id := m.theFeature().FeatureID
	for _, args := range [][]string{{"run", id}, {"answer", id, "-a", "spec.goal=" + wanted}, {"review", id, "go", "--reason", "yes"}, {"amend", id, "more"},
		{"reopen", id}, {"publish", id, "--target", "file"}} {
		m.mustRun(5, append([]string{"spec"}, args...)...)
	}
	m.mustRun(0, "doctor")
	m.mustRun(0, "cancel", id, "--reason", "not now")
	said := drive.end(5)
	wantAll(t, said, `"run_closed"`, `"sluice resume `+id+`"`)
	for _, args := range [][]string{{"run", id}, {"answer", id, "-a", "spec.goal=" + wanted}, {"review", id, "go", "--reason", "yes"}, {"amend", id, "more"},
		{"reopen", id}, {"publish", id, "--target", "file"}} {
		out, _ := m.mustRun(5, append([]string{"--json", "spec"}, args...)...)
		if next := nextCommands(out); len(next) != 1 || next[0] != "resume "+id {
			t.Errorf("%v of a cancelled feature names %v", args, next)
		}
	}
	m.env = m.author.realEnv()
	m.pasted(4, said[strings.Index(said, "{"):])
	m.env = []string{authorPrice}
	if s := m.theFeature(); s.Status != spec.ExecutableReady {
		t.Errorf("after %d calls it is %+v", m.author.calls.Load(), s)
	}
	m.soundSpec(id, 1) // three where the reply was faster than the word that nobody waits for it
}

// TestSpecDecidedWhileItIsPublished decides otherwise, or goes on to the next version, while a process brings a version outside:
// what stands there is recorded where it belongs, and what was decided holds.
func TestSpecDecidedWhileItIsPublished(t *testing.T) {
	for _, c := range []struct {
		name   string
		lead   [][]string
		exit   int
		status spec.Status
		code   string
	}{
		{"dropped", [][]string{{"review", "F", "drop", "--reason", "not after all"}}, 5, spec.Dropped, "stale_verdict"},
		{"held", [][]string{{"review", "F", "hold", "--reason", "later"}}, 5, spec.OnHold, "stale_verdict"},
		{"amended", [][]string{{"publish", "F", "--target", "file"}, {"amend", "F", "AC-9: what was found can be saved"}, {"review", "F", "go", "--reason", "yes"}},
			0, spec.ExecutableReady, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, f := newPublishable(t)
			id := featureOf(t, s)
			before := s.theFeature()
			sending, meanwhile := make(chan bool), make(chan bool)
			var once sync.Once
			f.Hold(func(op feishutest.Op) {
				if op == feishutest.Create {
					once.Do(func() {
						sending <- true
						<-meanwhile
					})
				}
			})
			cmd := s.command(t.Context(), "", "--json", "spec", "publish", id, "--target", "feishu")
			var said bytes.Buffer
			cmd.Stdout = &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			<-sending
			for _, args := range c.lead {
				args[1] = id
				if code, out, errs := s.run("", append([]string{"spec"}, args...)...); code != 0 && code != 4 {
					t.Fatalf("%v: %d %s%s", args, code, out, errs)
				}
			}
			close(meanwhile)
			_ = cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != c.exit || !strings.Contains(said.String(), c.code) {
				t.Errorf("publishing ended with %d: %s", got, said.String())
			}
			if got := s.theFeature(); got.Status != c.status {
				t.Errorf("the feature is %s", got.Status)
			}
			shown, err := filepath.Glob(filepath.Join(s.dir, "snapshots", before.RunID, "*_publish.json"))
			if err != nil || len(shown) != len(c.lead)/3+1 {
				t.Errorf("%d snapshots of publications in the first run, %v", len(shown), err)
			}
			all, _ := ledgerOf(t, s)
			for _, r := range all {
				if r.SpecVersion != before.SpecVersion {
					t.Errorf("the ledger has %+v", r)
				}
			}
			s.soundSpec(id)
			if c.code != "" {
				s.pasted(map[spec.Status]int{spec.Dropped: 4, spec.OnHold: 4}[c.status], said.String())
				return
			}
			s.mustRun(0, "spec", "publish", id, "--target", "feishu")
			if got := second(ledgerOf(t, s)); got[ledger.Updated] != 1 || len(f.Records()) != 1 || s.theFeature().Status != spec.Published {
				t.Errorf("the next version was not published: %v, %d records, %+v", got, len(f.Records()), s.theFeature())
			}
			s.soundSpec(id)
		})
	}
}

// intruded lets something else happen once, right before the first commit.
type intruded struct {
	engine.Journal
	first func()
}

func (i intruded) Append(ctx context.Context, b ...journal.Batch) error {
	i.first()
	return i.Journal.Append(ctx, b...)
}

// intrudedLedger does so before a place is claimed.
type intrudedLedger struct {
	publish.Ledger
	first func()
}

func (i intrudedLedger) Claim(ctx context.Context, place, key string) (journal.Claim, error) {
	i.first()
	return i.Ledger.Claim(ctx, place, key)
}

// between opens the workspace in this process; right before what it commits first, another process gives a command.
func (s *shell) between(args ...string) *app.App {
	s.t.Helper()
	settings, err := config.Load(config.Source{})
	if err != nil {
		s.t.Fatal(err)
	}
	first := sync.OnceFunc(func() {
		if code, out, errs := s.run("", append([]string{"spec"}, args...)...); code != 0 && code != 4 {
			s.t.Errorf("%v: %d %s%s", args, code, out, errs)
		}
	})
	a, closeAll, err := wire.Open(s.t.Context(), wire.Setup{Root: s.dir, Settings: settings, By: kernel.Actor{Kind: kernel.Person, Name: "ben", Via: "cli"},
		Between: wire.Between{Journal: func(j engine.Journal) engine.Journal { return intruded{j, first} },
			Ledger: func(l publish.Ledger) publish.Ledger { return intrudedLedger{l, first} }}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = closeAll() })
	return a
}

// TestSpecCommandsAtOnce lets another process get in between what a command has seen and what it commits. What is no longer legal
// then is refused as if it came after, and names what is.
func TestSpecCommandsAtOnce(t *testing.T) {
	review := func(d spec.Recommendation) func(context.Context, *app.App, string) error {
		return func(ctx context.Context, a *app.App, id string) error {
			_, err := a.ReviewSpec(ctx, id, spec.Verdict{Decision: d, Reason: "seen before"})
			return err
		}
	}
	reopen := func(ctx context.Context, a *app.App, id string) error { _, err := a.ReopenSpec(ctx, id); return err }
	amend := func(ctx context.Context, a *app.App, id string) error {
		_, err := a.BeginAmend(ctx, id, spec.Wish{Sources: []ingest.Source{{Name: "text", Body: []byte("AC-7: it is quick")}}})
		return err
	}
	send := func(ctx context.Context, a *app.App, id string) error {
		_, err := a.PublishSpec(ctx, id, "file")
		return err
	}
	goes, holds, drops := []string{"review", "F", "go", "--reason", "yes"}, []string{"review", "F", "hold", "--reason", "yes"}, []string{"review", "F", "drop", "--reason", "yes"}
	sends := []string{"publish", "F", "--target", "file"}
	for _, c := range []struct {
		name  string
		lead  [][]string
		first []string
		then  func(context.Context, *app.App, string) error
		want  fault.Code
		is    spec.Status
	}{
		{"go and drop where both were asked", nil, drops, review(spec.Go), fault.AlreadyAnswered, spec.Dropped},
		{"go of what was reopened", [][]string{holds}, []string{"reopen", "F"}, review(spec.Go), fault.IllegalStep, spec.Clarifying},
		{"go of what was dropped", [][]string{holds}, drops, review(spec.Go), fault.IllegalStep, spec.Dropped},
		{"drop of what was published", [][]string{goes}, sends, review(spec.Drop), fault.IllegalStep, spec.Published},
		{"publishing of what was held", [][]string{goes}, holds, send, fault.IllegalStep, spec.OnHold},
		{"publishing of what was published", [][]string{goes}, sends, send, "", spec.Published},
		{"reopening of what was decided to go", [][]string{holds}, goes, reopen, fault.IllegalStep, spec.ExecutableReady},
		{"reopening of what was reopened", [][]string{holds}, []string{"reopen", "F"}, reopen, fault.IllegalStep, spec.Clarifying},
		{"amending of what was amended", [][]string{goes, sends}, []string{"amend", "F", "AC-8: it is free"}, amend, fault.IllegalStep, spec.ExecutableReady},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newShell(t)
			id := s.specs(4, "new", wanted).FeatureID
			mine := func(args []string) []string {
				args = append([]string{}, args...)
				args[1] = id
				return args
			}
			for _, args := range c.lead {
				s.mustRun(0, append([]string{"spec"}, mine(args)...)...)
			}
			err := c.then(t.Context(), s.between(mine(c.first)...), id)
			if fault.CodeOf(err) != c.want {
				t.Errorf("it ended with %v", err)
			}
			if got := s.theFeature().Status; got != c.is {
				t.Errorf("the feature is %s", got)
			}
			if n := len(s.files("published")); n > 1 || n == 1 && c.is == spec.OnHold {
				t.Errorf("%d files were published", n)
			}
			s.soundSpec(id)
		})
	}
}

// TestSpecPublicationIsNotTheEngines tries to hand a publication that failed to the engine.
func TestSpecPublicationIsNotTheEngines(t *testing.T) {
	t.Parallel()
	s, f := newPublishable(t)
	id := featureOf(t, s)
	f.Inject(feishutest.Create, feishutest.Forbidden)
	s.mustRun(6, "spec", "publish", id, "--target", "feishu")
	out, _ := s.mustRun(5, "--json", "reopen", id, "p1/r1/publish/feishu")
	wantAll(t, out, "illegal_transition")
	s.pasted(0, out)
	if got := s.theFeature(); got.Status != spec.Published || got.LastError != "" {
		t.Errorf("the feature is %+v", got)
	}
	s.soundSpec(id)
}
