package rehearsal

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/model"
)

// memoryCounter counts as a store does, without one.
type memoryCounter struct {
	mu     sync.Mutex
	counts map[string]int64
}

func newCounter() *memoryCounter { return &memoryCounter{counts: make(map[string]int64)} }

func (c *memoryCounter) Reserve(_ context.Context, name string, n int64) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := c.counts[name] + 1
	c.counts[name] += n
	return first, nil
}

func mustLoad(t *testing.T, source string) Script {
	t.Helper()
	s, err := LoadScript([]byte(source))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const reviewSchema = `{"type":"object","required":["chapter_number","overall_score","issues","detail"],"properties":{"chapter_number":{"type":"integer"},"overall_score":{"type":"integer"},"issues":{"type":"array","items":{"type":"string"}},"detail":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}}}`

type reviewReply struct {
	Number int               `json:"chapter_number"`
	Score  int               `json:"overall_score"`
	Issues []string          `json:"issues"`
	Detail map[string]string `json:"detail"`
}

func ask(t *testing.T, m model.Model, agent, inputs string) (reviewReply, error) {
	t.Helper()
	got, err := m.Complete(t.Context(), model.Request{Agent: agent, Inputs: json.RawMessage(inputs), Schema: json.RawMessage(reviewSchema)})
	if err != nil {
		return reviewReply{}, err
	}
	var r reviewReply
	if err := json.Unmarshal([]byte(got.Content), &r); err != nil {
		t.Fatalf("%v in %s", err, got.Content)
	}
	return r, nil
}

func TestTheFirstRuleThatMatchesApplies(t *testing.T) {
	m := New(mustLoad(t, `
- agent: logic-review
  when: {chapter_number: 2, chapter: {kind: prologue}}
  reply: {overall_score: 60, issues: [time runs backwards], detail: {a: x, b: null}}
- agent: "logic-*"
  when: {chapter_number: 2.0}
  reply: {overall_score: 70}
- agent: "*"
  reply: {overall_score: 80}
`), nil)
	for inputs, want := range map[string]int{
		`{"chapter_number":2,"chapter":{"kind":"prologue","title":"x"},"more":1}`: 60,
		`{"chapter_number":2,"chapter":{"kind":"chapter"}}`:                       70,
		`{"chapter_number":2}`:   70,
		`{"chapter_number":"2"}`: 80,
		`{}`:                     80,
	} {
		got, err := ask(t, m, "logic-review", inputs)
		if err != nil || got.Score != want {
			t.Errorf("%s: got %+v, %v, want %d", inputs, got, err, want)
		}
		if want == 60 {
			if _, ok := got.Detail["b"]; len(got.Issues) != 1 || got.Number != 2 || got.Detail["a"] != "x" || ok {
				t.Errorf("merged reply is %+v", got)
			}
		}
	}
	if got, _ := ask(t, m, "consistency", `{"chapter_number":2}`); got.Score != 80 {
		t.Errorf("another agent got %d, want 80", got.Score)
	}
}

func TestCallsAreCountedOverTheLifeOfTheWorkspace(t *testing.T) {
	const source = `
- {agent: check, calls: [1], reply: {overall_score: 10}}
- {agent: check, calls: [3], reply: {overall_score: 30}}
- {agent: "*", when: {chapter_number: 7}, calls: [2], reply: {overall_score: 72}}
- {agent: check, reply: {overall_score: 50}}
`
	counter := newCounter()
	var got []int
	for i := range 5 {
		// A new process reads the script again, here with its rules in another order.
		lines := strings.Split(strings.TrimSpace(source), "\n")
		if i%2 == 1 {
			lines[0], lines[1] = lines[1], lines[0]
		}
		r, err := ask(t, New(mustLoad(t, strings.Join(lines, "\n")), counter), "check", `{"chapter_number":7}`)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r.Score)
	}
	want := []int{10, 72, 30, 50, 50}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
	if len(counter.counts) != 2 {
		t.Errorf("%d counters, want one per agent and when: %v", len(counter.counts), counter.counts)
	}
}

func TestPlainTextReplies(t *testing.T) {
	for _, source := range []string{`[{agent: "*", reply: "as written"}]`, `[{agent: "*", reply: {text: as written}}]`} {
		got, err := New(mustLoad(t, source), nil).Complete(t.Context(), model.Request{Agent: "scene-text"})
		if err != nil || got.Content != "as written" {
			t.Errorf("%s: got %q, %v", source, got.Content, err)
		}
	}
	_, err := New(mustLoad(t, `[{agent: "*", reply: {words: 3}}]`), nil).Complete(t.Context(), model.Request{Agent: "scene-text"})
	if !errors.Is(err, fault.BadScript) {
		t.Errorf("got %v, want bad_script", err)
	}
}

func TestFailures(t *testing.T) {
	for fail, want := range map[Fail]struct {
		class model.ErrorClass
		code  fault.Code
	}{
		Timeout: {model.Retryable, fault.ModelUnavailable}, RateLimit: {model.Retryable, fault.ModelUnavailable},
		ServerError: {model.Retryable, fault.ModelUnavailable}, Refuse: {model.Permanent, fault.ModelRefused},
		Truncate: {model.Permanent, fault.ModelTruncated}, BadJSON: {model.Unusable, fault.ReplyUnusable},
		WrongSchema: {model.Unusable, fault.ReplyUnusable},
	} {
		m := New(mustLoad(t, "- agent: '*'\n  fail: "+string(fail)), nil)
		r := model.Request{Agent: "logic-review", Schema: json.RawMessage(reviewSchema)}
		_, _, _, err := model.Structured[reviewReply](t.Context(), m, model.NewSchemas(), r, nil)
		if model.ClassOf(err) != want.class || fault.CodeOf(err) != want.code {
			t.Errorf("%s: got %v (%s), want %s %s", fail, err, model.ClassOf(err), want.class, want.code)
		}
	}
}

func TestARetryIsAnotherCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(mustLoad(t, "- {agent: '*', calls: [1, 2], fail: timeout}"), newCounter())
		got, err := model.Retry(m, model.DefaultRetry()).Complete(t.Context(), model.Request{Agent: "world"})
		if err != nil || len(got.Tries) != 2 {
			t.Errorf("got %v, %v, want an answer after two tries", got.Tries, err)
		}
	})
}

func TestDelayIsRealAndEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(mustLoad(t, "- {agent: '*', delay: 3s}"), nil)
		began := time.Now()
		got, err := m.Complete(t.Context(), model.Request{Agent: "world"})
		if err != nil || time.Since(began) != 3*time.Second || got.Usage.Duration != 3*time.Second {
			t.Errorf("took %s, recorded %s, %v", time.Since(began), got.Usage.Duration, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := m.Complete(ctx, model.Request{Agent: "world"}); !errors.Is(err, context.DeadlineExceeded) || model.ClassOf(err) != model.Interrupted {
			t.Errorf("got %v, want the deadline", err)
		}
	})
}

// diary is a store of calls that writes down what happens.
type diary struct{ lines []string }

func (d *diary) Reply(context.Context, string) (journal.Reply, bool, error) {
	return journal.Reply{}, false, nil
}
func (d *diary) BeginCall(context.Context, journal.Call) (int64, error) {
	d.lines = append(d.lines, "begin")
	return 1, nil
}
func (d *diary) EndCall(context.Context, int64, *journal.Reply, journal.Outcome, journal.Usage, string) error {
	d.lines = append(d.lines, "stored")
	return nil
}
func (d *diary) Reserve(context.Context, string, int64) (int64, error) {
	d.lines = append(d.lines, "counted")
	return 1, nil
}

func TestCrashesComeAtTheirPoint(t *testing.T) {
	for fail, want := range map[Fail]string{
		CrashBefore: "begin counted crash stored", // a real crash ends before "stored"
		CrashAfter:  "begin counted stored crash",
	} {
		d := &diary{}
		m := New(mustLoad(t, "- {agent: '*', calls: [1], fail: "+string(fail)+", reply: {text: x}}"), d).
			WithCrash(func() { d.lines = append(d.lines, "crash") })
		if _, err := model.Memo(m, "rehearsal", d).Complete(t.Context(), model.Request{Agent: "world"}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(d.lines, " "); got != want {
			t.Errorf("%s: got %q, want %q", fail, got, want)
		}
	}
}

// The default crash really is a SIGKILL: it is tried in a process of its own.
func TestCrashKillsTheProcess(t *testing.T) {
	if os.Getenv("REHEARSAL_CRASH") != "" {
		m := New(mustLoad(t, "- {agent: '*', fail: crash_before}"), nil)
		_, _ = m.Complete(t.Context(), model.Request{Agent: "world"})
		t.Fatal("still alive")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestCrashKillsTheProcess$")
	cmd.Env = append(os.Environ(), "REHEARSAL_CRASH=1")
	out, err := cmd.CombinedOutput()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || strings.Contains(string(out), "still alive") {
		t.Fatalf("got %v: %s", err, out)
	}
	if runtime.GOOS != "windows" && exit.String() != "signal: killed" {
		t.Errorf("got %s, want signal: killed", exit)
	}
}

func TestScriptErrorsNameThePlace(t *testing.T) {
	for name, test := range map[string]struct{ source, want string }{
		"unknown field":  {"- agent: x\n  repply: {}\n", "[2:3] unknown field \"repply\""},
		"unknown fail":   {"- agent: x\n- agent: y\n  fail: explode\n", `[3:9] rule 2: fail "explode" is none of`},
		"no agent":       {"- fail: timeout\n", "rule 1: agent is missing"},
		"bad glob":       {"- agent: '[x'\n", `rule 1: agent "[x" is not a glob`},
		"bad delay":      {"- agent: x\n  delay: soon\n", `[2:10] rule 1: delay "soon" is not a duration`},
		"call zero":      {"- agent: x\n  calls: [0]\n", "rule 1: call 0: calls are counted from 1"},
		"fail and reply": {"- agent: x\n  fail: timeout\n  reply: {a: 1}\n", "rule 1: fail timeout leaves no reply to change"},
		"not a list":     {"agent: x\n", "[1:"},
		"not yaml":       {"- agent: [\n", "["},
		"when no map":    {"- agent: x\n  when: 3\n", "[2:"},
	} {
		_, err := LoadScript([]byte(test.source))
		if !errors.Is(err, fault.BadScript) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want bad_script with %q", name, err, test.want)
		}
	}
	for _, empty := range []string{"", "# nothing\n", "[]"} {
		if _, err := LoadScript([]byte(empty)); err != nil {
			t.Errorf("%q: %v", empty, err)
		}
	}
}

func TestExamplesOfTheManualLoad(t *testing.T) {
	manual, err := os.ReadFile("../../../docs/rehearsal.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(manual), "```yaml\n")
	for _, part := range parts[1:] {
		source, _, _ := strings.Cut(part, "```")
		if s := mustLoad(t, source); len(s.rules) == 0 {
			t.Errorf("no rules in %s", source)
		}
	}
	if len(parts) < 3 {
		t.Error("the manual shows no examples")
	}
}

func FuzzLoadScript(f *testing.F) {
	for _, s := range []string{"- agent: x", "- {agent: '*', calls: [1], reply: {a: [1, null]}}", "- agent: x\n  when: {a: {b: 1}}\n  delay: 1s", "&a [*a]", "- agent: x\n  reply: .nan"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		s, err := LoadScript([]byte(source))
		if err != nil {
			if !errors.Is(err, fault.BadScript) {
				t.Errorf("got %v, want bad_script", err)
			}
			return
		}
		for _, r := range s.rules {
			if r.agent == "" || !strings.HasPrefix(r.counter, "rehearsal/") {
				t.Errorf("rule %+v", r)
			}
		}
	})
}

func TestUsageIsEstimated(t *testing.T) {
	got, err := New(Script{}, nil).Complete(t.Context(), model.Request{Agent: "world", System: "1234", Prompt: "时间 five"})
	if err != nil || got.Usage.InputTokens != 1+4 || got.Usage.OutputTokens == 0 || got.Usage.Duration != 0 {
		t.Errorf("got %+v, %v", got.Usage, err)
	}
}
