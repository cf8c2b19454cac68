package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"sluice/internal/fault"
)

// Encode renders a spec as its files and versions have it: the same spec always gives the same bytes.
func (s CanonicalSpec) Encode() ([]byte, error) {
	s.normalize()
	return encode(s)
}

// Decode reads a spec as Encode wrote it. An unknown field or another schema version is refused.
func Decode(raw []byte) (CanonicalSpec, error) {
	var s CanonicalSpec
	if err := decode(raw, &s); err != nil {
		return s, fault.Wrap(fault.BadValue, "spec", err, "the spec does not parse")
	}
	if s.SchemaVersion != SchemaVersion {
		return s, fault.New(fault.BadValue, "schema_version", "the spec has schema_version %q, and this program reads %q", s.SchemaVersion, SchemaVersion)
	}
	s.normalize()
	return s, nil
}

// normalize makes absent lists empty ones, so that nothing is ever null.
func (s *CanonicalSpec) normalize() {
	s.Spec.NonGoals = present(s.Spec.NonGoals)
	s.Spec.AcceptanceCriteria = present(s.Spec.AcceptanceCriteria)
	s.Planning.Tasks = present(s.Planning.Tasks)
	s.Planning.VV = present(s.Planning.VV)
	s.Planning.KnownAssumptions = present(s.Planning.KnownAssumptions)
	s.Planning.Constraints = present(s.Planning.Constraints)
	if m := s.Planning.MVPDefinition; m != nil {
		copied := *m
		copied.CutLines, copied.Risks = present(m.CutLines), present(m.Risks)
		s.Planning.MVPDefinition = &copied
	}
	if len(s.Planning.VV) > 0 {
		s.Planning.VV = append([]Verification(nil), s.Planning.VV...) // the caller's stays as it is
	}
	for i := range s.Planning.VV {
		s.Planning.VV[i].EvidenceRequired = present(s.Planning.VV[i].EvidenceRequired)
	}
	s.Quality.MissingFields = present(s.Quality.MissingFields)
	s.Decision.Rationale = present(s.Decision.Rationale)
	s.Meta.SourceArtifacts = present(s.Meta.SourceArtifacts)
	if s.Meta.Extensions == nil {
		s.Meta.Extensions = map[string]json.RawMessage{}
	}
}

func present[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// encode renders a document for people and machines: indented, in the order of its fields, with a line end.
func encode[T any](doc T) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// decode reads exactly one document without unknown fields.
func decode[T any](raw []byte, into *T) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("byte %d: %w", dec.InputOffset(), err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("byte %d: something stands behind the document", dec.InputOffset())
	}
	return nil
}
