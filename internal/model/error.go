package model

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"sluice/internal/fault"
	"sluice/internal/journal"
)

// ErrorClass says what can be done about a failed call.
type ErrorClass string

const (
	Retryable   ErrorClass = "retryable"   // the same request may succeed later: time-outs, limits, servers in trouble
	Permanent   ErrorClass = "permanent"   // the same request fails again: key, model, request or content refused
	Unusable    ErrorClass = "unusable"    // the model answered, and repairs did not bring the answer into shape
	Interrupted ErrorClass = "interrupted" // the caller stopped waiting
)

// Error is a failed call: the fault that a person reads, and what the retry loop and the journal need to know.
type Error struct {
	Fault      *fault.Error
	Class      ErrorClass
	Status     int           // of HTTP, 0 without one
	RetryAfter time.Duration // asked for by the server, 0 if it did not ask
	Retries    int           // how many retries were made before this became final
	Usage      journal.Usage // what a refused or cut reply cost all the same
}

func (e *Error) Error() string { return e.Fault.Error() }

// Unwrap gives the fault, so that fault.From and errors.Is with a code see through.
func (e *Error) Unwrap() error { return e.Fault }

// ClassOf classes any error that came out of a Model. An error of unknown origin is permanent: paying again for
// something nobody understands helps nobody. A nil error has no class.
func ClassOf(err error) ErrorClass {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return Interrupted
	}
	return Permanent
}

// Retries tells how many retries an error survived.
func Retries(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Retries
	}
	return 0
}

// FromStatus makes the error for an HTTP status of a provider. The detail is the provider's own message, already
// scrubbed of secrets.
func FromStatus(provider string, status int, header http.Header, detail string) *Error {
	e := &Error{Class: Permanent, Status: status}
	text := strconv.Itoa(status)
	if detail = oneLine(detail); detail != "" {
		text += ": " + detail
	}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		e.Fault = fault.New(fault.ModelAuth, provider, "%s refuses the key: %s", provider, text).With(showConfig(
			"it shows where the key of " + provider + " is looked for"))
	case status == http.StatusNotFound:
		e.Fault = fault.New(fault.ModelUnknown, provider, "%s does not know the model or the address: %s", provider, text).
			With(showConfig("it shows the model and the base URL in use"))
	case status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= 500:
		e.Class = Retryable
		e.RetryAfter = retryAfter(header)
		e.Fault = fault.New(fault.ModelUnavailable, provider, "%s cannot answer now: %s", provider, text).With(runAgain())
	default:
		e.Fault = fault.New(fault.ModelBadRequest, provider, "%s refuses the request: %s", provider, text).With(
			fault.Action{Action: "show_calls", Command: "sluice calls", Why: "it names the agent and model of the refused request"})
	}
	return e
}

// FromTransport makes the error for a request that got no HTTP answer. When the caller's own context ended it is
// an interruption, else the connection failed and the call may be tried again. The key is taken out of what the cause
// says.
func FromTransport(ctx context.Context, provider string, key Secret, cause error) *Error {
	if ctx.Err() != nil {
		return Stopped(ctx, provider)
	}
	if r, ok := errors.AsType[redirect](cause); ok {
		return &Error{Class: Permanent, Status: int(r), Fault: fault.New(fault.ModelBadRequest, provider,
			"%s answers with a redirect (%d), which is not followed: the key would go along", provider, int(r)).
			With(showConfig("the base URL must be the address itself"))}
	}
	return Unavailable(provider, "no answer from %s: %s", provider, oneLine(key.Scrub(cause.Error())))
}

// Stopped makes the error for a call whose context ended. It wraps the context's error.
func Stopped(ctx context.Context, provider string) *Error {
	code, message := fault.Interrupted, "the call to %s was interrupted"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		code, message = fault.ModelUnavailable, "%s did not answer in the time allowed"
	}
	return &Error{Class: Interrupted, Fault: fault.Wrap(code, provider, ctx.Err(), message, provider).With(runAgain())}
}

// Unavailable makes a retryable error.
func Unavailable(provider, format string, args ...any) *Error {
	return &Error{Class: Retryable, Fault: fault.New(fault.ModelUnavailable, provider, format, args...).With(runAgain())}
}

// Refused makes the error for a model that declines to answer.
func Refused(provider, agent, why string, u journal.Usage) *Error {
	message := "the model declined to answer " + agent
	if why = oneLine(why); why != "" {
		message += ": " + why
	}
	return &Error{Class: Permanent, Usage: u, Fault: fault.New(fault.ModelRefused, provider, "%s", message).With(
		fault.Action{Action: "change_input", Why: "the same request would be declined again"})}
}

// Truncated makes the error for a reply that was cut off at the token limit.
func Truncated(provider, agent string, u journal.Usage) *Error {
	return &Error{Class: Permanent, Usage: u, Fault: fault.New(fault.ModelTruncated, provider,
		"the reply to %s was cut off at the token limit", agent).With(showConfig("it shows max_tokens of the model section"))}
}

// retryAfter reads the header in seconds or as a date.
func retryAfter(h http.Header) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil && s > 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

func runAgain() fault.Action {
	return fault.Action{Action: "run_again", Why: "the same command goes on where it stopped; what was answered is not asked again"}
}

func showConfig(why string) fault.Action {
	return fault.Action{Action: "show_config", Command: "sluice config show", Why: why}
}

// oneLine keeps foreign text short and on one line inside an error message.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	const limit = 300
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return s
}
