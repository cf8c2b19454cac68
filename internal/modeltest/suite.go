package modeltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/model"
)

// plantedKey must never come back in anything a person can read.
const plantedKey = "sk-planted-0123456789-key"

var usage = journal.Usage{InputTokens: 11, OutputTokens: 7}

func request() model.Request {
	return model.Request{Agent: "world", System: "You build worlds.", Prompt: "Build one.", Params: model.Params{Model: "test-model", MaxTokens: 50}}
}

func structured() model.Request {
	r := request()
	r.Schema = json.RawMessage(`{"type":"object","required":["world_name"],"properties":{"world_name":{"type":"string","minLength":2,"pattern":"^[A-Z]"},"age":{"type":"integer","minimum":0}},"additionalProperties":false}`)
	return r
}

// Run puts an adapter through every case.
func Run(t *testing.T, s Subject) {
	t.Run("text", func(t *testing.T) { testText(t, s) })
	t.Run("schema", func(t *testing.T) { testSchema(t, s) })
	t.Run("full schema", func(t *testing.T) { testFullSchema(t, s) })
	t.Run("schema refused", func(t *testing.T) { testSchemaRefused(t, s) })
	t.Run("refusal", func(t *testing.T) {
		if s.CannotRefuse {
			return
		}
		err := failure(t, s, Answer{Refusal: "I cannot help with that", Usage: usage})
		want(t, err, model.Permanent, fault.ModelRefused)
		if e, ok := errors.AsType[*model.Error](err); !ok || e.Usage.InputTokens != usage.InputTokens {
			t.Errorf("what the refusal cost is lost: %+v", e)
		}
	})
	t.Run("cut", func(t *testing.T) {
		err := failure(t, s, Answer{Text: "Once upon", Cut: true, Usage: usage})
		want(t, err, model.Permanent, fault.ModelTruncated)
		if e, ok := errors.AsType[*model.Error](err); !ok || e.Usage.OutputTokens != usage.OutputTokens {
			t.Errorf("what the cut reply cost is lost: %+v", e)
		}
	})
	t.Run("status", func(t *testing.T) { testStatus(t, s) })
	t.Run("retry after", func(t *testing.T) { testRetryAfter(t, s) })
	t.Run("dropped connection", func(t *testing.T) {
		want(t, failure(t, s, Answer{Drop: true}), model.Retryable, fault.ModelUnavailable)
	})
	t.Run("dropped in the middle", func(t *testing.T) {
		want(t, failure(t, s, Answer{Text: text, Half: true}), model.Retryable, fault.ModelUnavailable)
	})
	t.Run("ended early", func(t *testing.T) {
		want(t, failure(t, s, Answer{Text: text, Early: true}), model.Retryable, fault.ModelUnavailable)
	})
	t.Run("redirect", func(t *testing.T) { testRedirect(t, s) })
	t.Run("stream", func(t *testing.T) { testStream(t, s) })
	t.Run("stream faults", func(t *testing.T) { testStreamFaults(t, s) })
	t.Run("no server", func(t *testing.T) {
		m := s.Open(t, "http://127.0.0.1:1", model.NewSecret(plantedKey), 0)
		_, err := m.Complete(t.Context(), request())
		want(t, err, model.Retryable, fault.ModelUnavailable)
	})
	t.Run("slow first byte", func(t *testing.T) { testSlow(t, s) })
	t.Run("late first byte", func(t *testing.T) { testLateFirstByte(t, s) })
	t.Run("timeout", func(t *testing.T) { testTimeout(t, s) })
	t.Run("environment", func(t *testing.T) { testEnvironment(t, s) })
	t.Run("cancelled", func(t *testing.T) { testCancelled(t, s) })
	t.Run("key stays secret", func(t *testing.T) { testSecret(t, s) })
}

func testText(t *testing.T, s Subject) {
	srv, m := serve(t, s, func(int, Asked) Answer { return Answer{Text: "A world of rain.", Usage: usage} })
	reply, err := m.Complete(t.Context(), request())
	if err != nil {
		t.Fatal(err)
	}
	if reply.Content != "A world of rain." || reply.Finish != "stop" || reply.Provider == "" || reply.Model != "test-model" || reply.Reused {
		t.Errorf("got %+v", reply)
	}
	if reply.Usage.InputTokens != usage.InputTokens || reply.Usage.OutputTokens != usage.OutputTokens || reply.Usage.Duration <= 0 {
		t.Errorf("usage is %+v, want %+v and how long it took", reply.Usage, usage)
	}
	got := srv.requests()[0]
	if got.Model != "test-model" || got.System != "You build worlds." || got.Prompt != "Build one." || got.Key != plantedKey || len(got.Schema) > 0 {
		t.Errorf("the server saw %+v", got)
	}
}

func testSchema(t *testing.T, s Subject) {
	srv, m := serve(t, s, func(int, Asked) Answer { return Answer{Text: `{"world_name":"Rain","age":null}`, Usage: usage} })
	type world struct {
		Name string `json:"world_name"`
		Age  int    `json:"age,omitempty"`
	}
	got, _, problems, err := model.Structured[world](t.Context(), m, model.NewSchemas(), structured(), nil)
	if err != nil || got.Name != "Rain" || len(problems) > 0 {
		t.Errorf("got %+v, %v, %v", got, problems, err)
	}
	asked := srv.requests()
	if len(asked) != 1 || !strings.Contains(string(asked[0].Schema), "world_name") {
		t.Errorf("the server saw %+v, want one request with the schema", asked)
		return
	}
	sent := string(asked[0].Schema)
	if strings.Contains(sent, `"minLength":`) || strings.Contains(sent, `"pattern":`) || !strings.Contains(sent, "minLength 2") {
		t.Errorf("sent %s, want the bounds in words: not every server takes the keywords", sent)
	}
}

// A server that knows no schemas answers all the same, and is not asked in vain again.
func testSchemaRefused(t *testing.T, s Subject) {
	srv, m := serve(t, s, func(_ int, a Asked) Answer {
		if len(a.Schema) > 0 {
			return Answer{Status: 400, Message: "Invalid parameter: 'response_format' of type 'json_schema' is not supported: keyword minLength"}
		}
		return Answer{Text: `{"world_name":"Rain"}`, Usage: usage}
	})
	for i := range 2 {
		reply, err := m.Complete(t.Context(), structured())
		if !s.FallsBack {
			want(t, err, model.Permanent, fault.ModelBadRequest)
			return
		}
		if err != nil || !strings.Contains(reply.Content, "Rain") {
			t.Fatalf("call %d: got %+v, %v", i+1, reply, err)
		}
	}
	asked := srv.requests()
	if len(asked) != 3 {
		t.Errorf("%d requests for 2 calls, want 3: the first way is tried once", len(asked))
	}
	if last := asked[len(asked)-1]; !strings.Contains(last.Prompt+last.System, "world_name") {
		t.Errorf("without a schema on the wire the prompt must show it: %+v", last)
	}
}

func testStatus(t *testing.T, s Subject) {
	for _, test := range []struct {
		status int
		class  model.ErrorClass
		code   fault.Code
	}{
		{400, model.Permanent, fault.ModelBadRequest},
		{401, model.Permanent, fault.ModelAuth},
		{403, model.Permanent, fault.ModelAuth},
		{404, model.Permanent, fault.ModelUnknown},
		{408, model.Retryable, fault.ModelUnavailable},
		{429, model.Retryable, fault.ModelUnavailable},
		{500, model.Retryable, fault.ModelUnavailable},
		{503, model.Retryable, fault.ModelUnavailable},
		{529, model.Retryable, fault.ModelUnavailable},
	} {
		t.Run(fmt.Sprint(test.status), func(t *testing.T) {
			srv, m := serve(t, s, func(int, Asked) Answer { return Answer{Status: test.status, Message: "the server's own words"} })
			_, err := m.Complete(t.Context(), request())
			want(t, err, test.class, test.code)
			if e, ok := errors.AsType[*model.Error](err); !ok || e.Status != test.status || e.RetryAfter != 0 {
				t.Errorf("got %+v, want status %d", e, test.status)
			}
			if !strings.Contains(fmt.Sprint(err), "the server's own words") {
				t.Errorf("%v does not say what the server said", err)
			}
			if n := len(srv.requests()); n != 1 {
				t.Errorf("%d requests: retries belong to the decorator", n)
			}
		})
	}
}

func testRetryAfter(t *testing.T, s Subject) {
	err := failure(t, s, Answer{Status: 429, Message: "slow down", RetryAfter: "12"})
	want(t, err, model.Retryable, fault.ModelUnavailable)
	if e, ok := errors.AsType[*model.Error](err); !ok || e.RetryAfter != 12*time.Second {
		t.Errorf("got %+v, want to retry after 12s", e)
	}
}

func testSlow(t *testing.T, s Subject) {
	_, m := serve(t, s, func(int, Asked) Answer { return Answer{Stall: true} })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := m.Complete(ctx, request())
	want(t, err, model.Interrupted, fault.ModelUnavailable)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v does not wrap the deadline", err)
	}
}

func testCancelled(t *testing.T, s Subject) {
	ctx, cancel := context.WithCancel(t.Context())
	_, m := serve(t, s, func(int, Asked) Answer { cancel(); return Answer{Stall: true} })
	_, err := m.Complete(ctx, request())
	want(t, err, model.Interrupted, fault.Interrupted)
}

// A server that echoes the key must not get it into anything that is shown or kept.
func testSecret(t *testing.T, s Subject) {
	var out strings.Builder
	for _, status := range []int{400, 401, 403, 404, 429, 500} {
		_, m := serve(t, s, func(int, Asked) Answer {
			return Answer{Status: status, Message: "bad key " + plantedKey + " in Bearer " + plantedKey}
		})
		m = model.Verbose(model.Trace(m, slog.New(slog.NewJSONHandler(&out, nil))), &out)
		_, err := m.Complete(t.Context(), request())
		fmt.Fprintf(&out, "%v %+v %#v %s\n", err, err, err, fault.From(err))
	}
	m := s.Open(t, "http://127.0.0.1:1", model.NewSecret(plantedKey), 0)
	_, err := m.Complete(t.Context(), request())
	fmt.Fprintf(&out, "%v %+v %v %+v\n", err, err, m, m)
	if strings.Contains(out.String(), plantedKey) {
		t.Errorf("the key shows:\n%s", out.String())
	}
}

func failure(t *testing.T, s Subject, a Answer) error {
	t.Helper()
	_, m := serve(t, s, func(int, Asked) Answer { return a })
	_, err := m.Complete(t.Context(), request())
	return err
}

func want(t *testing.T, err error, class model.ErrorClass, code fault.Code) {
	t.Helper()
	if model.ClassOf(err) != class || fault.CodeOf(err) != code {
		t.Fatalf("got %v (%s, %s), want %s, %s", err, model.ClassOf(err), fault.CodeOf(err), class, code)
	}
	if len(fault.From(err).Next) == 0 {
		t.Errorf("%v has no way out", err)
	}
}
