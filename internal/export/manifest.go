package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"sluice/internal/digest"
)

// ManifestName is the file of a bundle that lists all others.
const ManifestName = "manifest.json"

// format is what this program writes and reads. Fields may be added to it.
const format = "sluice/export@1"

// rehearsalLabel stands in every bundle whose content no real model wrote.
const rehearsalLabel = "REHEARSAL: this content was made by the built-in rehearsal model, not by a real one"

// Manifest says what a bundle holds and why it may. Two exports of the same state differ in ExportedAt alone.
type Manifest struct {
	Format     string    `json:"format"`
	Run        string    `json:"run"`
	Line       string    `json:"line"`
	Title      string    `json:"title"`
	ExportedAt time.Time `json:"exported_at"`
	Rehearsal  bool      `json:"rehearsal,omitempty"`
	Label      string    `json:"label,omitempty"` // what a reader must know first
	Entries    []Entry   `json:"items"`
	LeftOut    []Absent  `json:"left_out,omitempty"` // wanted, and not approved

	Fields json.RawMessage `json:"-"` // a JSON object of a line's own fields, written beside the common ones
}

// Entry is one version in the bundle.
type Entry struct {
	Node      string        `json:"node"`
	Title     string        `json:"title"`
	Version   string        `json:"version"`
	Digest    digest.Digest `json:"digest"`
	Approved  bool          `json:"approved"`
	Candidate bool          `json:"candidate,omitempty"` // not approved, and here because it was asked for
	By        Grounds       `json:"by"`
	Files     []File        `json:"files"`

	Fields json.RawMessage `json:"-"`
}

// Grounds is what was said about exactly this version: the rule that let it through, or everyone who judged it.
type Grounds struct {
	Rule    string   `json:"rule,omitempty"`
	Reviews []Review `json:"reviews,omitempty"`
}

// Review is one verdict, in the order they came.
type Review struct {
	ID        string    `json:"review"`
	Verdict   string    `json:"verdict"`
	Score     *float64  `json:"score,omitempty"`
	Check     string    `json:"check,omitempty"` // the check node that spoke
	By        string    `json:"by"`
	Confirmed bool      `json:"confirmed,omitempty"` // a person confirmed what a client said
	At        time.Time `json:"at"`
}

// File is one file of the bundle.
type File struct {
	Path    string `json:"path"`
	SHA256  string `json:"sha256"`
	Size    int64  `json:"size"`
	Version string `json:"version"`        // where its bytes come from
	Part    string `json:"part,omitempty"` // of a version that is a bundle itself

	Fields json.RawMessage `json:"-"`
}

// Absent is a node that was wanted and has nothing approved.
type Absent struct {
	Node   string `json:"node"`
	Title  string `json:"title"`
	Status string `json:"status"`
}

// Encode renders the manifest: keys in a fixed order, two spaces of indent, letters of every script as they are.
func (m Manifest) Encode() ([]byte, error) {
	if m.Entries == nil {
		m.Entries = []Entry{}
	}
	raw, err := marshal(m)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// MarshalJSON writes the line's fields after the common ones.
func (m Manifest) MarshalJSON() ([]byte, error) {
	type plain Manifest
	return beside(plain(m), m.Fields)
}

// MarshalJSON writes the line's fields after the common ones.
func (e Entry) MarshalJSON() ([]byte, error) {
	type plain Entry
	return beside(plain(e), e.Fields)
}

// MarshalJSON writes the line's fields after the common ones.
func (f File) MarshalJSON() ([]byte, error) {
	type plain File
	return beside(plain(f), f.Fields)
}

// beside renders a value with more fields after its own. A field of both would make a document of two meanings.
func beside[T any](v T, fields json.RawMessage) ([]byte, error) {
	body, err := marshal(v)
	if err != nil || len(fields) == 0 {
		return body, err
	}
	var common, more map[string]json.RawMessage
	if err := json.Unmarshal(fields, &more); err != nil || more == nil {
		return nil, fmt.Errorf("fields beside the manifest's own are not a JSON object: %s", fields)
	}
	if err := json.Unmarshal(body, &common); err != nil {
		return nil, err
	}
	for k := range more {
		if _, twice := common[k]; twice {
			return nil, fmt.Errorf("field %q is the manifest's own", k)
		}
	}
	fields = bytes.TrimSpace(fields)
	if len(more) == 0 {
		return body, nil
	}
	return append(append(body[:len(body)-1], ','), fields[1:]...), nil
}

// marshal is json.Marshal that leaves <, > and & as they are.
func marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
