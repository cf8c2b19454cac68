package fault

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Error is every refusal and failure that reaches a user. The message is a fact in lower case without a full stop:
// noun and id, what is, what was needed.
type Error struct {
	Code    Code
	Subject string          // the thing it is about: a run, node, ask, path or setting
	Message string          // the fact that blocks
	Next    []Action        // the ways out, each legal now or marked with After
	LogPath string          // where more is recorded, if anything is
	Fields  json.RawMessage // a JSON object of fields that a line adds beside the common ones
	Cause   error
}

// Action is one way out of a refusal.
type Action struct {
	Action  string `json:"action"`
	Command string `json:"command,omitempty"`
	Why     string `json:"why,omitempty"`
	After   string `json:"after,omitempty"` // another Action of the same list that must come first
}

// New makes a fault without next actions; see Error.With for those.
func New(code Code, subject, format string, args ...any) *Error {
	return &Error{Code: code, Subject: subject, Message: fmt.Sprintf(format, args...)}
}

// Wrap makes a fault from an error of the outside world. The cause's text becomes part of the message.
func Wrap(code Code, subject string, cause error, format string, args ...any) *Error {
	e := New(code, subject, format, args...)
	e.Cause = cause
	return e
}

// With returns the fault with more next actions.
func (e *Error) With(next ...Action) *Error {
	c := *e
	c.Next = append(append([]Action(nil), e.Next...), next...)
	return &c
}

// Error renders the fact, then the cause.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Message)
	if e.Cause != nil {
		b.WriteString(": ")
		b.WriteString(e.Cause.Error())
	}
	return b.String()
}

// Unwrap gives the cause to errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Cause }

// Is makes errors.Is(err, fault.Code) work through CodeError values.
func (e *Error) Is(target error) bool {
	c, ok := target.(Code)
	return ok && c == e.Code
}

// From gives the fault inside err, or wraps err as unexpected. A nil err gives nil.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*Error](err); ok {
		return f
	}
	return &Error{Code: Unexpected, Message: err.Error()}
}

// CodeOf gives the code of err: empty for nil, unexpected for an error that is no fault.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return From(err).Code
}

// MarshalJSON renders the error document of every door: the common fields, with the line's own beside them.
func (e *Error) MarshalJSON() ([]byte, error) {
	doc := struct {
		Code    Code     `json:"code"`
		Message string   `json:"message"`
		Subject string   `json:"subject"`
		Next    []Action `json:"next_actions"`
		LogPath string   `json:"log_path,omitempty"`
	}{e.Code, e.Error(), e.Subject, e.Next, e.LogPath}
	if doc.Next == nil {
		doc.Next = []Action{}
	}
	body, err := json.Marshal(doc)
	if err != nil || len(e.Fields) <= len(`{}`) {
		return body, err
	}
	if e.Fields[0] != '{' || !json.Valid(e.Fields) {
		return nil, fmt.Errorf("fields of fault %s are not a JSON object", e.Code)
	}
	return append(append(body[:len(body)-1], ','), e.Fields[1:]...), nil
}
