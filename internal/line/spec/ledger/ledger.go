package ledger

import (
	"encoding/json"

	"sluice/internal/line/spec"
)

// Request is one version to publish.
type Request struct {
	Spec   spec.CanonicalSpec
	Origin string // the workspace it comes from, which tells apart features with one id; empty is this one
	// Still is asked when it is the request's turn, after others that publish the same feature; what it says instead of nil is
	// the answer, and nothing is sent. None means that it is.
	Still func() error
}

// Record is one row of the ledger.
type Record struct {
	LedgerID         string             `json:"ledger_id"`
	FeatureID        string             `json:"feature_id"`
	Target           string             `json:"target"`
	SpecVersion      string             `json:"spec_version"`
	IdempotencyKey   string             `json:"idempotency_key"`
	ExternalID       string             `json:"external_id"`
	Operation        Operation          `json:"operation"`
	Status           Status             `json:"status"`
	FieldMapSnapshot json.RawMessage    `json:"field_map_snapshot"` // exactly what was sent
	MappingVersion   string             `json:"mapping_version"`
	Errors           []spec.StepFailure `json:"errors"`
	PublishedAt      string             `json:"published_at"`
}

// Operation is what was done outside; of a record that failed, what was tried.
type Operation string

const (
	Created Operation = "created"
	Updated Operation = "updated"
	Noop    Operation = "noop"
)

// Status says whether a record tells what stands outside now.
type Status string

const (
	Active     Status = "active"
	Superseded Status = "superseded"
	Failed     Status = "failed"
)

// Key is the idempotency key of a version at a target.
func Key(feature, target, version string) string { return feature + ":" + target + ":" + version }

// Place is what at most one process changes at a time: the record of a feature at a target.
func Place(feature, target string) string { return feature + ":" + target }

// Plan is what publishing a version comes to.
type Plan struct {
	Operation  Operation `json:"operation"`
	ExternalID string    `json:"external_id,omitempty"` // of the record that is there
}

// Decide says what publishing a key comes to, given the active records of its place, oldest first. after is the key that
// a dead process was sending there: unless it is the same, what stands outside may be that, so nothing is a noop then.
func Decide(active []Record, key, after string) Plan {
	if len(active) == 0 {
		return Plan{Operation: Created}
	}
	last := active[len(active)-1]
	if last.IdempotencyKey == key && (after == "" || after == key) {
		return Plan{Operation: Noop, ExternalID: last.ExternalID}
	}
	return Plan{Operation: Updated, ExternalID: last.ExternalID}
}

// Replace gives the rows that change when a record takes effect: the ones it supersedes, then itself. A record that says
// that nothing was done, or that failed, replaces nothing.
func Replace(active []Record, r Record) []Record {
	if r.Operation == Noop || r.Status != Active {
		return []Record{r}
	}
	var rows []Record
	for _, old := range active {
		old.Status = Superseded
		rows = append(rows, old)
	}
	return append(rows, r)
}

// Preview is what publishing would do, with the exact fields.
type Preview struct {
	FeatureID      string          `json:"feature_id"`
	Target         string          `json:"target"`
	SpecVersion    string          `json:"spec_version"`
	IdempotencyKey string          `json:"idempotency_key"`
	MappingVersion string          `json:"mapping_version"`
	Fields         json.RawMessage `json:"fields"`
	Plan
}
