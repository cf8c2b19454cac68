package gemini

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"sluice/internal/model"
)

// noKey stands where the SDK insists on a key. It never leaves this process.
const noKey = "-"

// keyHeader is where this API wants its key.
const keyHeader = "X-Goog-Api-Key"

// transport puts the key on, and turns an error status into an error with its headers, which the SDK throws away: how
// long to wait stands there.
type transport struct {
	next http.RoundTripper
	key  model.Secret
}

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Del(keyHeader)
	if !t.key.IsEmpty() {
		r.Header.Set(keyHeader, t.key.Reveal())
	}
	resp, err := t.next.RoundTrip(r)
	if err != nil || resp.StatusCode < http.StatusBadRequest {
		return resp, err
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<16)) // what could be read is told
	_ = resp.Body.Close()
	return nil, &statusError{resp.StatusCode, resp.Header, body}
}

// statusError is an answer with an error status.
type statusError struct {
	status int
	header http.Header
	body   []byte
}

func (e *statusError) Error() string { return "status " + strconv.Itoa(e.status) }

// word makes the fault of it.
func (e *statusError) word(call model.Call) error {
	var told struct {
		Error struct {
			Message string
			Details []struct {
				Reason     string
				RetryDelay string
			}
		}
	}
	status, detail := e.status, string(e.body)
	if json.Unmarshal(e.body, &told) == nil && told.Error.Message != "" {
		detail = told.Error.Message
	}
	var wait time.Duration
	for _, d := range told.Error.Details {
		if strings.HasPrefix(d.Reason, "API_KEY_") {
			status = http.StatusUnauthorized // this API finds a wrong key to be a bad request
		}
		if t, err := time.ParseDuration(d.RetryDelay); err == nil && t > 0 {
			wait = t
		}
	}
	f := call.Failed(status, e.header, detail)
	if f.Class == model.Retryable && f.RetryAfter == 0 {
		f.RetryAfter = wait
	}
	return f
}
