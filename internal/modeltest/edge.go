package modeltest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/internal/fault"
	"sluice/internal/model"
)

// text is long enough to come in pieces, and has letters of more than one byte.
const text = "A world of rain, Дождь, 雨の国, where nobody owns an umbrella."

// Somebody watches: the reply comes in pieces, and is the same in the end.
func testStream(t *testing.T, s Subject) {
	_, m := serve(t, s, func(int, Asked) Answer { return Answer{Text: text, Usage: usage} })
	var seen []int
	r := request()
	r.Watch = func(n int) { seen = append(seen, n) }
	reply, err := m.Complete(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if reply.Content != text || reply.Finish != "stop" || reply.Model != "test-model" {
		t.Errorf("got %+v", reply)
	}
	if reply.Usage.InputTokens != usage.InputTokens || reply.Usage.OutputTokens != usage.OutputTokens {
		t.Errorf("usage is %+v, want %+v", reply.Usage, usage)
	}
	if len(seen) < 2 || !slices.IsSorted(seen) || seen[len(seen)-1] != len(text) {
		t.Errorf("was told %v, want growing numbers up to %d", seen, len(text))
	}
}

// What failed in the middle of a stream is classed like anything else that failed.
func testStreamFaults(t *testing.T, s Subject) {
	for name, test := range map[string]struct {
		answer Answer
		class  model.ErrorClass
		code   fault.Code
	}{
		"cut":      {Answer{Text: text, Cut: true, Usage: usage}, model.Permanent, fault.ModelTruncated},
		"half":     {Answer{Text: text, Half: true}, model.Retryable, fault.ModelUnavailable},
		"early":    {Answer{Text: text, Early: true}, model.Retryable, fault.ModelUnavailable},
		"drop":     {Answer{Drop: true}, model.Retryable, fault.ModelUnavailable},
		"overload": {Answer{Status: 529, Message: "overloaded"}, model.Retryable, fault.ModelUnavailable},
		"key":      {Answer{Status: 401, Message: "no"}, model.Permanent, fault.ModelAuth},
	} {
		t.Run(name, func(t *testing.T) {
			_, m := serve(t, s, func(int, Asked) Answer { return test.answer })
			r := request()
			r.Watch = func(int) {}
			_, err := m.Complete(t.Context(), r)
			want(t, err, test.class, test.code)
		})
	}
	if s.CannotRefuse {
		return
	}
	_, m := serve(t, s, func(int, Asked) Answer { return Answer{Refusal: "I cannot help with that", Usage: usage} })
	r := request()
	r.Watch = func(int) {}
	_, err := m.Complete(t.Context(), r)
	want(t, err, model.Permanent, fault.ModelRefused)
}

// The reduced schema lets a reply through that the full one refuses; the model is told, and repairs it.
func testFullSchema(t *testing.T, s Subject) {
	srv, m := serve(t, s, func(n int, _ Asked) Answer {
		if n == 1 {
			return Answer{Text: `{"world_name":"rain"}`, Usage: usage}
		}
		return Answer{Text: `{"world_name":"Rain"}`, Usage: usage}
	})
	doc, reply, problems, err := model.Document(t.Context(), m, model.NewSchemas(), structured(), nil)
	if err != nil || !strings.Contains(string(doc), "Rain") || len(problems) != 1 || problems[0].Pointer != "/world_name" {
		t.Fatalf("got %s, %v, %v", doc, problems, err)
	}
	if reply.Usage.InputTokens != 2*usage.InputTokens {
		t.Errorf("got %+v, want the cost of both", reply.Usage)
	}
	asked := srv.requests()
	if len(asked) != 2 || !strings.Contains(asked[1].Prompt, "previous reply") {
		t.Errorf("the server saw %+v, want a repair", asked)
	}
}

// Whoever answers with a redirect does not get the key sent elsewhere.
func testRedirect(t *testing.T, s Subject) {
	other := listen(t, s, func(int, Asked) Answer { return Answer{Text: "caught"} })
	for _, status := range []int{302, 307, 308} {
		_, m := serve(t, s, func(int, Asked) Answer { return Answer{Status: status, Location: other.url} })
		_, err := m.Complete(t.Context(), request())
		want(t, err, model.Permanent, fault.ModelBadRequest)
	}
	if n := len(other.requests()); n > 0 {
		t.Errorf("%d requests followed a redirect", n)
	}
}

// A model may think for long before its first word.
func testLateFirstByte(t *testing.T, s Subject) {
	_, m := serve(t, s, func(int, Asked) Answer { return Answer{Text: text, Usage: usage, Delay: 60 * time.Millisecond} })
	reply, err := m.Complete(t.Context(), request())
	if err != nil || reply.Content != text || reply.Usage.Duration < 60*time.Millisecond {
		t.Errorf("got %+v, %v", reply, err)
	}
}

// The adapter's own time-out is no interruption: the call may be tried again.
func testTimeout(t *testing.T, s Subject) {
	srv := listen(t, s, func(int, Asked) Answer { return Answer{Stall: true} })
	m := s.Open(t, srv.url, model.NewSecret(plantedKey), 30*time.Millisecond)
	_, err := m.Complete(t.Context(), request())
	want(t, err, model.Retryable, fault.ModelUnavailable)
	if errors.Is(err, context.DeadlineExceeded) && model.ClassOf(err) == model.Interrupted {
		t.Errorf("%v counts as the caller's own deadline", err)
	}
}

// Address and key are what the user configured, whatever variables stand around.
func testEnvironment(t *testing.T, s Subject) {
	for name, value := range s.Env {
		t.Setenv(name, value)
	}
	srv := listen(t, s, func(int, Asked) Answer { return Answer{Text: "ok"} })
	for _, key := range []string{plantedKey, ""} {
		m := s.Open(t, srv.url, model.NewSecret(key), 0)
		if _, err := m.Complete(t.Context(), request()); err != nil {
			t.Fatal(err)
		}
		asked := srv.requests()
		if got := asked[len(asked)-1].Key; got != key {
			t.Errorf("sent the key %q, want %q", got, key)
		}
	}
}
