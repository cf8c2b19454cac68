package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// recorded is what a workspace shows of its specs, read as a stranger would: from the files alone.
type recorded struct {
	dir       string
	schemas   string
	snapshots int
	versions  map[string]string // by id, the path of the file
	evidence  map[string]bool   // by id, whether a step links to it
	made      map[string]string // by version, the snapshot that made it
}

// snapshotDoc is what the checks need of a snapshot.
type snapshotDoc struct {
	RunID          string  `json:"run_id"`
	FeatureID      string  `json:"feature_id"`
	SpecVersionIn  *string `json:"spec_version_in"`
	SpecVersionOut *string `json:"spec_version_out"`
	Step           struct {
		Name      string `json:"name"`
		Seq       int    `json:"seq"`
		StartedAt string `json:"started_at"`
		EndedAt   string `json:"ended_at"`
	} `json:"step"`
	Inputs struct {
		CanonicalSpecRef *string `json:"canonical_spec_ref"`
	} `json:"inputs"`
	Outputs map[string]json.RawMessage `json:"outputs"`
	Links   []struct {
		EvidenceID string `json:"evidence_id"`
	} `json:"evidence_links"`
	Decisions []struct{ Decision string } `json:"decisions"`
	Errors    []struct{ Final string }    `json:"errors"`
}

// newRecorded reads snapshots, evidence and versions, holds each against its schema with a validator that is not ours, and
// all of them against each other.
func newRecorded(dir, schemas string) (*recorded, error) {
	r := &recorded{dir: dir, schemas: schemas, versions: map[string]string{}, evidence: map[string]bool{}, made: map[string]string{}}
	var all []error
	all = append(all, r.each("canonical-spec", "specs/*/*.json", r.version), r.each("evidence", "evidence/*.json", r.piece),
		r.each("step-snapshot", "snapshots/*/*.json", r.snapshot))
	for id, linked := range r.evidence {
		if !linked {
			all = append(all, fmt.Errorf("evidence %s belongs to no step", id))
		}
	}
	for id := range r.versions {
		if r.made[id] == "" {
			all = append(all, fmt.Errorf("version %s was made by no step", id))
		}
	}
	return r, errors.Join(all...)
}

func (r *recorded) each(schema, pattern string, look func(path string, raw []byte) error) error {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	compiled, err := c.Compile(filepath.Join(r.schemas, schema+".schema.json"))
	if err != nil {
		return err
	}
	files, err := fs.Glob(os.DirFS(r.dir), pattern) // in order
	if err != nil {
		return err
	}
	for _, name := range files {
		raw := mustRead(filepath.Join(r.dir, filepath.FromSlash(name)))
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err == nil {
			err = compiled.Validate(doc)
		}
		if err == nil {
			err = look(name, raw)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (r *recorded) version(path string, raw []byte) error {
	var d struct {
		Feature struct {
			ID string `json:"feature_id"`
		} `json:"feature"`
		Meta struct {
			Version string `json:"spec_version"`
		} `json:"meta"`
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return err
	}
	if want := "specs/" + d.Feature.ID + "/" + d.Meta.Version + ".json"; want != path || r.versions[d.Meta.Version] != "" {
		return fmt.Errorf("it says that it is %s (and there is %q)", want, r.versions[d.Meta.Version])
	}
	r.versions[d.Meta.Version] = path
	return nil
}

func (r *recorded) piece(path string, raw []byte) error {
	var d struct {
		ID      string `json:"evidence_id"`
		Type    string `json:"type"`
		Source  struct{ Ref, Hash string }
		Content struct{ Excerpt string }
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return err
	}
	if path != "evidence/"+d.ID+".json" {
		return fmt.Errorf("it says that it is %s", d.ID)
	}
	r.evidence[d.ID] = false
	// a quote that was not cut is what its hash is of
	if n := utf8.RuneCountInString(d.Content.Excerpt); d.Type == "quote" && n < 499 {
		if got := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(d.Content.Excerpt))); got != d.Source.Hash {
			return fmt.Errorf("the excerpt hashes to %s, and the evidence says %s", got, d.Source.Hash)
		}
	}
	return nil
}

func (r *recorded) snapshot(path string, raw []byte) error {
	var d snapshotDoc
	if err := json.Unmarshal(raw, &d); err != nil {
		return err
	}
	r.snapshots++
	if want := fmt.Sprintf("snapshots/%s/step_%03d_%s.json", d.RunID, d.Step.Seq, d.Step.Name); want != path {
		return fmt.Errorf("it says that it is %s", want)
	}
	if d.Step.Seq > 1 { // files come in order, so that the one before was there
		before, err := filepath.Glob(filepath.Join(r.dir, "snapshots", d.RunID, fmt.Sprintf("step_%03d_*.json", d.Step.Seq-1)))
		if err != nil || len(before) != 1 {
			return fmt.Errorf("%d steps have the number before it (%v)", len(before), err)
		}
	}
	if d.Step.EndedAt < d.Step.StartedAt {
		return fmt.Errorf("it ended at %s and began at %s", d.Step.EndedAt, d.Step.StartedAt)
	}
	for _, l := range d.Links {
		if _, ok := r.evidence[l.EvidenceID]; !ok {
			return fmt.Errorf("there is no evidence %s", l.EvidenceID)
		}
		r.evidence[l.EvidenceID] = true
	}
	return r.versionsOf(path, d)
}

// outputOf is what a step that succeeds leaves under outputs.
var outputOf = map[string]string{"ingest": "ingest_result", "validate_gates": "gate_result", "clarify_questions": "questions", "plan_tasks": "tasks",
	"generate_vv": "vv", "manual_review": "review_decision", "publish": "publish_result"}

// versionsOf holds the versions of a step against its kind: those that change the spec make one, the others none.
func (r *recorded) versionsOf(path string, d snapshotDoc) error {
	in, out := d.SpecVersionIn, d.SpecVersionOut
	if (in == nil) != (d.Inputs.CanonicalSpecRef == nil) || in != nil && (*in != *d.Inputs.CanonicalSpecRef || r.versions[*in] == "") {
		return fmt.Errorf("it works from a version that is not there, or from two")
	}
	if in == nil && d.Step.Name != "ingest" && d.Step.Name != "compile" {
		return fmt.Errorf("it works from no version")
	}
	failed := slices.ContainsFunc(d.Errors, func(e struct{ Final string }) bool { return e.Final == "failed" })
	if failed {
		if out != nil || len(d.Outputs) != 1 {
			return fmt.Errorf("it failed, and leaves %v", d.Outputs)
		}
		return nil
	}
	if len(d.Decisions) == 0 {
		return fmt.Errorf("it decides nothing")
	}
	if name := outputOf[d.Step.Name]; name != "" && len(d.Outputs[name]) == 0 {
		return fmt.Errorf("it has no %s", name)
	}
	switch d.Step.Name {
	case "compile", "apply_answers", "plan_tasks", "generate_vv":
		if out == nil || in != nil && *in >= *out && len(*in) >= len(*out) {
			return fmt.Errorf("it makes no newer version")
		}
		if r.versions[*out] != "specs/"+d.FeatureID+"/"+*out+".json" || r.made[*out] != "" {
			return fmt.Errorf("version %s is at %q and was made by %q", *out, r.versions[*out], r.made[*out])
		}
		r.made[*out] = path
	default:
		if (in == nil) != (out == nil) || in != nil && *in != *out {
			return fmt.Errorf("it changes nothing, and comes to another version")
		}
	}
	return nil
}

func (r *recorded) counts() string { return fmt.Sprintf("%d %d", r.snapshots, len(r.versions)) }

// wantRecords checks all that a workspace shows and how many steps and versions there are.
func wantRecords(dir, schemas string, want ...string) error {
	r, err := newRecorded(dir, schemas)
	if err != nil {
		return err
	}
	if got := r.counts(); got != strings.Join(want, " ") {
		return fmt.Errorf("there are %s snapshots and versions, want %s", got, strings.Join(want, " "))
	}
	return nil
}
