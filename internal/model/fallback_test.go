package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sluice/internal/fault"
)

func TestFallbackAsksTheNextOnlyWhenOneCannotAnswerNow(t *testing.T) {
	overloaded := FromStatus("first", 529, nil, "overloaded")
	for name, test := range map[string]struct {
		first error
		asks  int // of the second
		code  fault.Code
	}{
		"answers":     {nil, 0, ""},
		"overloaded":  {overloaded, 1, ""},
		"limited":     {FromStatus("first", 429, nil, ""), 1, ""},
		"unreachable": {Unavailable("first", "no answer"), 1, ""},
		"key":         {FromStatus("first", 401, nil, ""), 0, fault.ModelAuth},
		"bad request": {FromStatus("first", 400, nil, ""), 0, fault.ModelBadRequest},
		"refused":     {Refused("first", "x", "no", Reply{}.Usage), 0, fault.ModelRefused},
		"cut":         {Truncated("first", "x", Reply{}.Usage), 0, fault.ModelTruncated},
	} {
		first := says("first")
		if test.first != nil {
			first = fails(test.first)
		}
		second := says("second")
		reply, err := Fallback(first, Pin(second, "other")).Complete(t.Context(), Request{Agent: "x", Params: Params{Model: "wanted"}})
		if fault.CodeOf(err) != test.code || len(second.asked) != test.asks {
			t.Errorf("%s: got %+v, %v after %d calls of the second", name, reply, err, len(second.asked))
		}
		if test.asks == 1 && (reply.Content != "second" || len(reply.Tries) != 1 || second.asked[0].Params.Model != "other" || first.asked[0].Params.Model != "wanted") {
			t.Errorf("%s: got %+v, asked for %+v", name, reply, second.asked)
		}
	}
}

func TestFallbackTellsOfAllThatFailed(t *testing.T) {
	none := fault.New(fault.ModelAuth, "K", "no key: K is not set").With(fault.Action{Action: "x"})
	_, err := Fallback(fails(FromStatus("first", 529, nil, "overloaded")), fails(none)).Complete(t.Context(), Request{})
	if ClassOf(err) != Retryable || !errors.Is(err, fault.ModelUnavailable) || Retries(err) != 1 {
		t.Errorf("got %v (%s): what can be done is what can be done about the first", err, ClassOf(err))
	}
	if text := err.Error(); !strings.Contains(text, "529: overloaded; then no key: K is not set") {
		t.Errorf("got %s, want both told", text)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stops := funcModel(func(ctx context.Context, _ Request) (Reply, error) { cancel(); return Reply{}, Stopped(ctx, "second") })
	if _, err := Fallback(fails(Unavailable("first", "no")), stops).Complete(ctx, Request{}); ClassOf(err) != Interrupted {
		t.Errorf("got %v, want an interruption", err)
	}
}

// Whoever answered, a later run of the same step finds the reply under what it asks for.
func TestFallbackReplyIsFoundAgain(t *testing.T) {
	store := newMemoryCalls()
	first, second := fails(Unavailable("first", "no")), says("second")
	m := Memo(Fallback(first, Pin(second, "other")), "first", store)
	r := Request{Agent: "x", Prompt: "p", Params: Params{Model: "wanted"}}
	for i := range 2 {
		reply, err := m.Complete(t.Context(), r)
		if err != nil || reply.Content != "second" || reply.Provider != "fake" || reply.Reused != (i == 1) {
			t.Fatalf("call %d: got %+v, %v", i+1, reply, err)
		}
	}
	if len(first.asked) != 1 || len(second.asked) != 1 {
		t.Errorf("asked %d and %d times, want once each", len(first.asked), len(second.asked))
	}
}

func TestRouteByAgent(t *testing.T) {
	text, chapter, other := says("text"), says("chapter"), says("other")
	m := Route([]Way{{"scene-text", text}, {"chapter-*", chapter}, {"[", nil}}, other)
	for agent, want := range map[string]string{"scene-text": "text", "chapter-plan": "chapter", "chapter-memory": "chapter", "world": "other", "": "other"} {
		if reply, err := m.Complete(t.Context(), Request{Agent: agent}); err != nil || reply.Content != want {
			t.Errorf("%s: got %q, %v; want %q", agent, reply.Content, err, want)
		}
	}
}

func TestLadderStaysWhereItWorks(t *testing.T) {
	l := ladder{modes: []Mode{Strict, Object, Plain}}
	var tried []Mode
	try := func(refused Mode, err error) func(Mode) (Reply, error) {
		return func(m Mode) (Reply, error) {
			tried = append(tried, m)
			if m <= refused {
				return Reply{}, err
			}
			return Reply{Content: fmt.Sprint(m)}, nil
		}
	}
	schema := FromStatus("p", 400, nil, "output_config.format.schema: keyword minLength")
	r := Request{Schema: json.RawMessage(`{}`), Params: Params{Model: "m"}}
	for range 2 {
		if reply, err := l.climb(r, try(0, schema)); err != nil || reply.Content != "1" {
			t.Fatalf("got %+v, %v", reply, err)
		}
	}
	r.Params.Model = "other"
	if _, err := l.climb(r, try(2, schema)); err == nil {
		t.Error("no way works, and there is no error")
	}
	if _, err := l.climb(r, try(2, FromStatus("p", 400, nil, "max_tokens is too large"))); err == nil {
		t.Error("another fault was taken for one of the schema")
	}
	if _, err := l.climb(Request{}, try(-1, nil)); err != nil {
		t.Error(err)
	}
	if got := fmt.Sprint(tried); got != "[0 1 1 0 1 2 0 2]" {
		t.Errorf("tried %s", got)
	}
}

func TestHTTPClientFollowsNobodyAndEnds(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
			return
		}
		chunk := make([]byte, 1<<20)
		for range 80 {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	defer srv.Close()
	_, err := HTTPClient().Get(srv.URL + "/away")
	if e := FromTransport(t.Context(), "p", Secret{}, err); e.Class != Permanent || !errors.Is(e, fault.ModelBadRequest) {
		t.Errorf("got %v", err)
	}
	resp, err := HTTPClient().Get(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if n, err := io.Copy(io.Discard, resp.Body); n != maxAnswer || !errors.Is(err, errTooLong) {
		t.Errorf("read %d bytes, %v", n, err)
	}
}

func TestVerboseTellsThatAReplyIsComing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		slow := funcModel(func(_ context.Context, r Request) (Reply, error) {
			for i := range 25 {
				time.Sleep(time.Second)
				r.Watch(10 * (i + 1))
			}
			return Reply{Content: "x", Provider: "p", Model: "m"}, nil
		})
		if _, err := Verbose(slow, &out).Complete(t.Context(), Request{Agent: "scene-text"}); err != nil {
			t.Fatal(err)
		}
		want := "model call scene-text: the reply begins after 1s\nmodel call scene-text: 110 bytes after 11s\nmodel call scene-text: 210 bytes after 21s\nmodel call scene-text\n"
		if !strings.HasPrefix(out.String(), want) {
			t.Errorf("got %s", out.String())
		}
	})
}
