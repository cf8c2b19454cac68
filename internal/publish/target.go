package publish

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"sluice/internal/line/spec/ledger"
)

// Payload is exactly what a target is sent.
type Payload struct {
	Feature        string
	Version        string
	Key            string
	Origin         string
	Lost           string          // the external record that is no longer there, where it is made anew
	MappingVersion string          // of the rules that made Fields
	Fields         json.RawMessage // a JSON object, as the ledger keeps it
}

// Target is a place outside that holds published versions. Prepare calls nobody: what it refuses is refused before any
// call. The errors of the others are *CallError.
type Target interface {
	Name() string
	Prepare(r ledger.Request) (Payload, error)
	Create(ctx context.Context, p Payload) (externalID string, err error)
	Update(ctx context.Context, externalID string, p Payload) error
}

// Finder is a target that can be asked whether it holds the record of a feature.
type Finder interface {
	Find(ctx context.Context, p Payload) (externalID string, found bool, err error)
}

// CallError is what came of a call that did not succeed.
type CallError struct {
	Code       CallCode
	Message    string // without addresses and secrets: it is recorded
	RetryAfter time.Duration
}

// CallCode says why a call did not succeed.
type CallCode string

const (
	TimedOut    CallCode = "timeout"
	Connection  CallCode = "connection_error"
	RateLimited CallCode = "rate_limited"
	ServerError CallCode = "server_error"
	Auth        CallCode = "auth_failed"
	Forbidden   CallCode = "forbidden"
	Rejected    CallCode = "rejected"
	Gone        CallCode = "record_gone" // the external record is no longer there
	Occupied    CallCode = "occupied"    // something that is not ours stands there
	Stopped     CallCode = "interrupted"
)

// Error says the code and what was said.
func (e *CallError) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Message) }

// IsRetryable reports codes that a later try may get over.
func (c CallCode) IsRetryable() bool {
	return c == TimedOut || c == Connection || c == RateLimited || c == ServerError
}

// NewPayload begins a payload with what every target needs.
func NewPayload(r ledger.Request, target, mapping string, fields any) (Payload, error) {
	body, err := json.Marshal(fields)
	feature, version := r.Spec.Feature.FeatureID, r.Spec.Meta.SpecVersion
	return Payload{Feature: feature, Version: version, Key: ledger.Key(feature, target, version), Origin: r.Origin,
		MappingVersion: mapping, Fields: body}, err
}

// decodeFields reads the fields that a target's own Prepare wrote.
func decodeFields[T any](p Payload) (T, error) {
	var fields T
	if err := json.Unmarshal(p.Fields, &fields); err != nil {
		return fields, &CallError{Code: Rejected, Message: "the fields are no longer what was prepared: " + err.Error()}
	}
	return fields, nil
}
