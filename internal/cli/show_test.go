package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sluice/internal/app"
	"sluice/internal/digest"
	"sluice/internal/doctor"
	"sluice/internal/fault"
	"sluice/internal/golden"
	"sluice/internal/kernel"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// TestFaultsGolden shows one error of each class as a person sees it.
func TestFaultsGolden(t *testing.T) {
	faults := []*fault.Error{
		fault.New(fault.Unexpected, "", "the fold of run r-7 is empty"),
		fault.New(fault.Interrupted, "r-7", "run r-7 was interrupted; what was finished is kept").With(
			fault.Action{Action: "run", Command: "sluice run r-7", Why: "it goes on where it stopped"}),
		fault.New(fault.BadConfig, "sluice.yaml", "sluice.yaml:2:12: engine.workers is \"many\"; a whole number is needed\n  2 |   workers: many\n    |            ^").With(
			fault.Action{Action: "edit", Why: "correct sluice.yaml and run the command again"}),
		fault.New(fault.UnknownWorkspace, ".", "neither this directory nor one above it holds sluice.yaml").With(
			fault.Action{Action: "init", Command: "sluice init", Why: "it writes sluice.yaml"}),
		fault.New(fault.AskOpen, "a1", "ask a1 is open").With(fault.Action{Action: "approve", Command: "sluice approve a1"},
			fault.Action{Action: "run", Command: "sluice run r-7", After: "approve"}),
		fault.New(fault.StoreLocked, ".sluice/sluice.db", "the store is locked by another program"),
		fault.Wrap(fault.ModelUnavailable, "openai", errors.New("503 from \x1b[31mthe server\x07\u202e"), "the model did not answer after 3 tries"),
		{Code: fault.StoreCorrupt, Subject: "r-7", Message: "batch 4 of run r-7 does not hash to its predecessor", LogPath: ".sluice/log/sluice-20260102.log",
			Next: []fault.Action{{Action: "check", Command: "sluice verify"}}},
	}
	var b strings.Builder
	for _, f := range faults {
		fmt.Fprintf(&b, "exit %d\n%s\n", f.Code.Exit(), look{now: noon}.fault(f))
	}
	b.WriteString("with colours, for a workspace named by a flag\n" + strings.ReplaceAll(
		look{now: noon, isColoured: true, workspace: "my books"}.fault(faults[1]), "\x1b", "ESC"))
	golden.Check(t, "faults.golden", b.String())
}

func manyAsks() app.RunDoc {
	d := app.RunDoc{Run: "book-1", Line: "novel", Title: "星と\x1b[2Jship", Status: "parked", Rehearsal: true, OpenedAt: noon.Add(-50 * time.Hour),
		UpdatedAt: noon, Events: 1234, Usage: app.UsageDoc{Calls: 12, Reused: 3, InputTokens: 1234567, OutputTokens: 89},
		Nodes: []app.NodeDoc{
			{Node: "world", Kind: "make", Title: "World", Status: "done", Attempts: 1, Newest: "world@2", Approved: "world@1", Stale: true},
			{Node: "chapter", Kind: "group", Status: "waiting"},
			{Node: "chapter/003/text", Kind: "make", Title: "Chapter 3", Status: "failed", Attempts: 3, Reason: "model_unavailable: no answer"},
			{Node: "theme", Kind: "make", Title: "主题：一个关于海与星的漫长故事，写给所有还在路上的人", Status: "asking", Attempts: 1, Newest: "theme@1"},
		},
		Asks: []app.AskDoc{
			{Ask: "a1", Run: "book-1", Node: "theme", Kind: "approve", Reason: "gate", Title: "Approve the theme", Version: "theme@1",
				Digest: digest.Of([]byte("x")), Since: noon.Add(-3 * time.Minute), Options: []string{"approve", "reject"},
				Commands: []string{"sluice approve a1", "sluice reject a1 --reason TEXT"}},
			{Ask: "a2", Run: "book-1", Node: "world", Kind: "answer", Reason: "performer", Title: "Questions", Since: noon.Add(-72 * time.Hour),
				Questions: []kernel.Question{{ID: "tone", Text: "Which tone?", Choices: []string{"warm", "dry"}}, {ID: "name", Text: "Whose name?"}},
				Commands:  []string{"sluice answer a2 -a tone=… -a name=…"}},
			{Ask: "a3", Run: "book-1", Node: "world", Kind: "decide", Reason: "offer", Title: "world", Version: "world@2", Offer: "world@3",
				Since: noon, Commands: []string{"sluice answer a3 keep", "sluice answer a3 take"}},
		}}
	d.Next = []fault.Action{{Action: "answer", Command: "sluice approve a1", Why: "x"}, {Action: "run", Command: "sluice run book-1", Why: "what failed is tried again"}}
	return d
}

func TestDocumentsGolden(t *testing.T) {
	v := look{now: noon}
	d := manyAsks()
	narrow := look{now: noon, width: 60}
	report := doctor.Report{Runs: 2, Batches: 9, Events: 40, Versions: 3, Bytes: 2_500_000, Reviews: 1,
		Findings: []doctor.Finding{{Code: "file_missing", Severity: "error", Run: "r-1", Node: "text", Path: "a/b.md", Message: "a/b.md is gone",
			Hint: "it can be written again", Command: "sluice doctor --repair", Repairable: true},
			{Code: "chain_broken", Severity: "error", Run: "r-1", Seq: 7, Message: "batch 7–9 names another hash"}},
		Repaired: []doctor.Finding{{Code: "file_damaged", Severity: "error", Path: "c.md", Message: "c.md shows other bytes"}}}
	calls := app.CallsDoc{Calls: []app.CallDoc{
		{ID: 1, Run: "r-1", Node: "text", Agent: "write", Key: "sha256:0123456789abcdef0123", Provider: "openai", Model: "gpt", StartedAt: noon, DurationMS: 1234, InputTokens: 10, OutputTokens: 20, Outcome: "answered"},
		{ID: 2, Run: "r-1", Node: "text", Agent: "write", Key: "short", Provider: "rehearsal", StartedAt: noon, Outcome: "failed", Error: "rate_limit\x07: slow down"}}}
	overview := app.OverviewDoc{Workspace: "/w", OpenAsks: 1, Next: "c2", Runs: []app.RunRow{
		{Run: "book-1", Line: "novel", Title: "长篇小说：星海的尽头与归来的人们", Status: "parked", UpdatedAt: noon.Add(-90 * time.Minute)},
		{Run: "r-10", Line: "sample", Title: "An announcement that goes on and on and on", Status: "done", UpdatedAt: noon.Add(-5 * 24 * time.Hour)}}}
	var b strings.Builder
	for _, part := range []struct{ name, text string }{
		{"summary", v.summary(d)}, {"status", v.status(d)}, {"status in 60 columns", narrow.status(d)}, {"recorded", v.recorded("approved", d)},
		{"inbox", v.inbox(app.InboxDoc{Asks: d.Asks})}, {"empty inbox", v.inbox(app.InboxDoc{})},
		{"overview", v.overview(overview)}, {"overview in 60 columns", narrow.overview(overview)}, {"empty overview", v.overview(app.OverviewDoc{Workspace: "/w"})},
		{"calls", v.calls(calls)}, {"no calls", v.calls(app.CallsDoc{})},
		{"report", v.report("examined", report)}, {"clean report", v.report("verified", doctor.Report{Runs: 1})},
	} {
		b.WriteString("== " + part.name + "\n" + part.text + "\n")
	}
	if strings.ContainsAny(b.String(), "\x1b\x07") {
		t.Error("a control character reached the text")
	}
	for line := range strings.Lines(narrow.status(d)[strings.Index(narrow.status(d), "NODE"):] + narrow.overview(overview)) {
		if n := columns(strings.TrimSuffix(line, "\n")); n > 60 && !strings.HasPrefix(line, "next:") {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	golden.Check(t, "documents.golden", b.String())
}

func TestEventsGolden(t *testing.T) {
	score, ana := 92.5, kernel.Actor{Kind: kernel.Person, Name: "ana", Via: "cli"}
	facts := []kernel.Fact{
		kernel.RunOpened{Run: "r-1", Line: "sample", Title: "T"},
		kernel.NodesAdded{Nodes: make([]kernel.Node, 2)},
		kernel.AttemptBegan{Node: "text", N: 1, Performer: kernel.Actor{Kind: kernel.Engine}},
		kernel.AttemptBegan{Node: "text", N: 2, Performer: ana},
		kernel.AttemptClosed{Node: "text", Snapshot: kernel.Snapshot{Outcome: kernel.Delivered}},
		kernel.AttemptClosed{Node: "text", Snapshot: kernel.Snapshot{Outcome: kernel.Failed, Errors: []kernel.StepError{{Code: "timeout", Message: "no answer"}}}},
		kernel.AttemptClosed{Node: "text", Snapshot: kernel.Snapshot{Outcome: kernel.Unusable}},
		kernel.AttemptClosed{Node: "text", Snapshot: kernel.Snapshot{Outcome: kernel.Withdrawn}},
		kernel.VersionStored{Version: kernel.Version{ID: "text@1", Size: 1234, By: kernel.Actor{Kind: kernel.Engine}}},
		kernel.VersionStored{Version: kernel.Version{ID: "text@2", Size: 12, By: ana}, Offered: true},
		kernel.OfferTaken{Node: "text", Version: "text@2"},
		kernel.ReviewRecorded{Review: kernel.Review{Version: "text@1", Verdict: kernel.ForIt, Score: &score, Check: "text/review"}},
		kernel.ReviewRecorded{Review: kernel.Review{Version: "text@1", Verdict: kernel.AgainstIt, Late: true, By: ana, Findings: make([]kernel.Finding, 1)}},
		kernel.VersionApproved{Version: "text@1", Rule: "none"},
		kernel.VersionApproved{Version: "text@1", Rule: "min_words"},
		kernel.VersionApproved{Version: "text@1", Reviews: []kernel.ReviewID{"a", "b"}},
		kernel.VersionRejected{Version: "text@1", Then: kernel.Rework},
		kernel.AskOpened{Ask: kernel.Ask{ID: "a1", Title: "Approve it"}},
		kernel.AskOpened{Ask: kernel.Ask{ID: "a2", Kind: kernel.AskApprove, Node: "text"}},
		kernel.AskClosed{Ask: "a1", Choice: "approve"},
		kernel.AskClosed{Ask: "a1", Withdrawn: "a newer version stands"},
		kernel.NodeAbandoned{Node: "text", Reason: "dropped"}, kernel.NodeReopened{Node: "text"}, kernel.NodeHeld{Node: "text"},
		kernel.RedoRequested{Nodes: []kernel.NodeID{"a", "b"}, Note: "shorter"},
		kernel.RolledBack{N: 1, Nodes: []kernel.NodeID{"a"}}, kernel.RollbackUndone{N: 1},
		kernel.RunClosed{Outcome: kernel.Cancelled, Reason: "enough"}, kernel.RunReopened{},
		kernel.RunRelabelled{Set: map[string]string{"committed_from_session": "s"}, Drop: []string{"session_name"}}, kernel.RunRelabelled{},
		kernel.EvidenceRecorded{Evidence: kernel.Evidence{ID: "e1"}},
	}
	var b strings.Builder
	seen := map[string]bool{}
	for _, f := range facts {
		raw, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		e := app.EventDoc{Seq: 1, At: noon, By: "engine", Type: kernel.Word(f), Fact: raw}
		fmt.Fprintf(&b, "%-18s progress: %q log: %q\n", e.Type, describe(f), what(e))
		seen[e.Type] = true
	}
	if len(seen) != 21 {
		t.Errorf("%d words are described, the kernel has 21", len(seen))
	}
	if got := what(app.EventDoc{Type: "from_the_future", Fact: json.RawMessage(`{}`)}); got != "from_the_future" {
		t.Errorf("an unknown word is shown as %q", got)
	}
	golden.Check(t, "events.golden", b.String())
}

func TestForeignTextIsHarmless(t *testing.T) {
	for in, want := range map[string]string{
		"plain 文字 é":                    "plain 文字 é",
		"a\x1b[31mred\x1b[0m":           `a\x1b[31mred\x1b[0m`,
		"two\r\nlines\tand more":        "two lines and more",
		"bell\x07 del\x7f c1\u009b":     `bell\x07 del\x7f c1\x9b`,
		"turned \u202etxt.exe\u2066":    `turned \u202etxt.exe\u2066`,
		"broken \xff\xfe end":           "broken \ufffd\ufffd end",
		"\x1b]0;title\x07 and \x1bPdcs": `\x1b]0;title\x07 and \x1bPdcs`,
	} {
		if got := clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
	if got := cleanBlock("a\nb\x1b"); got != "a\nb\\x1b" {
		t.Errorf("got %q", got)
	}
	if got, want := escapeJSON("{\"a\": \"\u009b31m\u202e\x7f文\"}\n"), "{\"a\": \"\\u009b31m\\u202e\\u007f文\"}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCutCountsColumns(t *testing.T) {
	for _, tt := range []struct {
		in    string
		width int
		want  string
	}{
		{"short", 10, "short"}, {"exactly", 7, "exactly"}, {"too long", 5, "too …"}, {"文字文字", 8, "文字文字"}, {"文字文字", 7, "文字文…"},
		{"文字文字", 6, "文字…"}, {"e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"}, {"all", 0, "all"}, {"x", 1, "x"}, {"xy", 1, "…"},
	} {
		if got := cut(tt.in, tt.width); got != tt.want || tt.width > 0 && columns(got) > tt.width {
			t.Errorf("cut(%q, %d) = %q, want %q", tt.in, tt.width, got, tt.want)
		}
	}
}

func TestPlainProgressIsLines(t *testing.T) {
	var b strings.Builder
	p := &progress{w: &b, now: time.Now, columns: func() int { return 0 }}
	p.observe(kernel.NewRun(), []kernel.Event{{Fact: kernel.AttemptBegan{Node: "te\x1bxt", N: 1, Performer: kernel.Actor{Kind: kernel.Engine}}},
		{Fact: kernel.AttemptClosed{Snapshot: kernel.Snapshot{Outcome: kernel.Delivered}}}})
	p.warn("slow\x07")
	fmt.Fprint(p, "prompt:\n\t| \x1b[2J\n")
	p.end()
	if got, want := b.String(), "began te\\x1bxt\nwarning: slow\\x07\nprompt:\n\t| \\x1b[2J\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestProgressTellsNoAskThatCameWithItsAnswer(t *testing.T) {
	var b strings.Builder
	p := &progress{w: &b, now: time.Now, columns: func() int { return 0 }}
	opened := func(id kernel.AskID) kernel.Event {
		return kernel.Event{Fact: kernel.AskOpened{Ask: kernel.Ask{ID: id, Title: "what?"}}}
	}
	gone := func(id kernel.AskID) kernel.Event {
		return kernel.Event{Fact: kernel.AskClosed{Ask: id, Withdrawn: "settled"}}
	}
	p.observe(kernel.NewRun(), []kernel.Event{opened("a1"), gone("a1"), opened("a2")})
	p.observe(kernel.NewRun(), []kernel.Event{gone("a2")})
	if got, want := b.String(), "asks you: what? (a2)\nwithdrew ask a2: settled\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLiveLineRedrawsAndClears(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		p := &progress{w: &b, now: time.Now, columns: func() int { return 24 }, isLive: true}
		began := kernel.Event{Fact: kernel.AttemptBegan{Node: "a/long/name/of/a/node", N: 1, Performer: kernel.Actor{Kind: kernel.Engine}}}
		p.observe(kernel.NewRun(), []kernel.Event{began})
		time.Sleep(1500 * time.Millisecond) // of the bubble's clock
		synctest.Wait()
		p.warn("careful")
		p.end()
		p.end()
		got := b.String()
		if strings.ContainsAny(got, "\x1b") || !strings.Contains(got, "1s") || !strings.Contains(got, "\rwarning: careful\n") {
			t.Errorf("got %q", got)
		}
		for part := range strings.FieldsFuncSeq(got, func(r rune) bool { return r == '\r' || r == '\n' }) {
			if columns(part) > 23 {
				t.Errorf("%q takes %d columns of 24", part, columns(part))
			}
		}
		if !strings.HasSuffix(got, strings.Repeat(" ", 10)+"\r") {
			t.Errorf("the line is not cleared at the end: %q", got)
		}
	})
}
