package spec

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// records shows what happened: a snapshot for every closed attempt at a step, and a file for every piece of evidence.
func records(h line.Happened) ([]line.File, error) {
	var files []line.File
	after := map[int]int{} // closed in this turn and not yet shown, by pass: seq counts back from what is closed by now
	for _, e := range h.Events {
		if f, ok := e.Fact.(kernel.AttemptClosed); ok {
			if _, p, ok := stepOf(h.Run, f.Node); ok {
				after[p.Pass]++
			}
		}
	}
	for _, e := range h.Events {
		var doc []byte
		var name string
		var err error
		switch f := e.Fact.(type) {
		case kernel.EvidenceRecorded:
			name, doc, err = evidenceFile(f.Evidence, e.At)
		case kernel.AttemptClosed:
			n, p, ok := stepOf(h.Run, f.Node)
			if !ok {
				continue
			}
			after[p.Pass]--
			s := snapshooting{h: h, event: e, closed: f, node: n, params: p, seq: closedIn(h.Run, p.Pass) - after[p.Pass]}
			name, doc, err = s.file()
		default:
			continue
		}
		if err != nil {
			return nil, err
		}
		files = append(files, line.File{Path: name, Body: doc, Role: journal.Kept})
	}
	return files, nil
}

// stepOf tells whether a node is a step of the pipeline, and of which pass.
func stepOf(r *kernel.Run, id kernel.NodeID) (kernel.Node, Params, bool) {
	n, ok := r.Node(id)
	if !ok || !slices.Contains(StepNames(), StepName(n.Node().Step)) {
		return kernel.Node{}, Params{}, false
	}
	p, err := ParamsOf(n.Node())
	return n.Node(), p, err == nil
}

// closedIn counts the closed attempts at steps of a pass.
func closedIn(r *kernel.Run, pass int) int {
	total := 0
	prefix := fmt.Sprintf("p%d/", pass)
	for n := range r.Nodes() {
		if !strings.HasPrefix(string(n.ID()), prefix) || !slices.Contains(StepNames(), StepName(n.Node().Step)) {
			continue
		}
		total += n.Attempts()
		if n.Open() != nil {
			total--
		}
	}
	return total
}

// evidenceFile renders evidence as its file has it.
func evidenceFile(e kernel.Evidence, at time.Time) (string, []byte, error) {
	body, err := encode(EvidenceOf(e, at))
	return EvidencePath(e.ID), body, err
}

// EvidencePath is where a piece of evidence is shown.
func EvidencePath(id string) string { return path.Join("evidence", id+".json") }

// SnapshotPath is where a step of a pass is shown.
func SnapshotPath(run string, seq int, step StepName) string {
	return path.Join("snapshots", run, fmt.Sprintf("step_%03d_%s.json", seq, step))
}

// SpecPath is where a spec version is shown.
func SpecPath(feature, version string) string { return path.Join("specs", feature, version+".json") }

// EvidenceOf is evidence in the words of its document.
func EvidenceOf(e kernel.Evidence, at time.Time) Evidence {
	d := Evidence{EvidenceID: e.ID, Type: EvidenceType(e.Type), Source: EvidenceSource{Ref: e.Ref, Hash: string(e.Hash)},
		Content: EvidenceContent{Excerpt: cut(e.Excerpt, MaxExcerpt), Note: e.Note}, LinkedTo: []Link{}, CreatedAt: stamp(at)}
	for _, l := range e.LinkedTo {
		if p, ok := strings.CutPrefix(l, "spec_path:"); ok {
			d.LinkedTo = append(d.LinkedTo, Link{SpecPath: p})
		} else if s, ok := strings.CutPrefix(l, "step:"); ok {
			d.LinkedTo = append(d.LinkedTo, Link{Step: StepName(s)})
		}
	}
	return d
}

// snapshooting makes the snapshot of one closed attempt.
type snapshooting struct {
	h      line.Happened
	event  kernel.Event
	closed kernel.AttemptClosed
	node   kernel.Node
	params Params
	seq    int
}

func (s snapshooting) file() (string, []byte, error) {
	d, err := s.document()
	if err != nil {
		return "", nil, err
	}
	body, err := encode(d)
	return SnapshotPath(s.params.RunID, s.seq, d.Step.Name), body, err
}

func (s snapshooting) document() (Snapshot, error) {
	snap := s.closed.Snapshot
	d := Snapshot{RunID: s.params.RunID, FeatureID: s.params.FeatureID,
		Step:      SnapshotStep{Name: StepName(s.node.Step), Seq: s.seq, StartedAt: fine(snap.Began), EndedAt: fine(s.event.At)},
		Decisions: []StepDecision{}, EvidenceLinks: []EvidenceLink{}, Errors: []StepFailure{},
		Meta: SnapshotMeta{EngineVersion: EngineVersion, Extensions: map[string]json.RawMessage{}}}
	for _, x := range snap.Decisions {
		d.Decisions = append(d.Decisions, StepDecision(x))
	}
	for _, x := range snap.Errors {
		d.Errors = append(d.Errors, failureOf(x))
	}
	if snap.Outcome == kernel.Withdrawn {
		d.Errors = append(d.Errors, StepFailure{ErrorCode: "interrupted", Message: "the step was interrupted and is made again", Retryable: true, Final: GaveUp})
	}
	var own account
	if len(snap.Body) > 0 {
		if err := json.Unmarshal(snap.Body, &own); err != nil {
			return d, err
		}
	}
	if own.LLMModel != "" {
		d.Meta.LLMModel = &own.LLMModel
	}
	d.EvidenceLinks = append(d.EvidenceLinks, own.Links...)
	for _, e := range s.h.Events {
		if f, ok := e.Fact.(kernel.EvidenceRecorded); ok && f.Attempt == s.closed.Attempt {
			d.EvidenceLinks = append(d.EvidenceLinks, EvidenceLink{Type: EvidenceType(f.Evidence.Type), EvidenceID: f.Evidence.ID})
		}
	}
	s.inputs(&d)
	return d, s.outputs(&d)
}

func fine(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }

func failureOf(e kernel.StepError) StepFailure {
	f := StepFailure{ErrorCode: e.Code, Message: e.Message, Retryable: e.Class == kernel.Retryable, RetryCount: e.Retries, Final: Recovered}
	if e.Final {
		f.Final = GaveUp
	}
	return f
}

// inputs names what the attempt worked from.
func (s snapshooting) inputs(d *Snapshot) {
	var kept settings
	if json.Unmarshal(s.h.Run.Settings(), &kept) == nil && kept.Context != nil {
		d.Inputs.ContextRef = &kept.Context.ContextVersion
	}
	a, ok := s.h.Run.Attempt(s.closed.Attempt)
	if !ok {
		return
	}
	for _, in := range a.Inputs {
		v, ok := s.h.Run.Version(in.Version)
		if !ok {
			continue
		}
		id := string(v.ID)
		switch v.Schema {
		case SpecSchema:
			d.SpecVersionIn, d.Inputs.CanonicalSpecRef = &id, &id
		case AnswersSchema:
			d.Inputs.UserAnswerRef = &id
		}
	}
}

// maxShown is how large an ingest result may be to stand in its snapshot; a larger one is named by its digest.
const maxShown = 64 << 10

// outputs are read from what was delivered. A successful step that makes no version repeats the one it read.
func (s snapshooting) outputs(d *Snapshot) error {
	if s.closed.Snapshot.Outcome != kernel.Delivered {
		return nil
	}
	d.SpecVersionOut = d.SpecVersionIn
	for _, id := range s.closed.Snapshot.Versions {
		v, ok := s.h.Run.Version(id)
		if !ok {
			continue
		}
		body, err := s.h.Body(v)
		if err != nil {
			return err
		}
		if v.Schema == SpecSchema {
			out := string(v.ID)
			d.SpecVersionOut = &out
		}
		if err := s.output(d, v, body); err != nil {
			return err
		}
	}
	d.Outputs.SpecVersionOut = d.SpecVersionOut
	return nil
}

func (s snapshooting) output(d *Snapshot, v *kernel.Version, body []byte) (err error) {
	switch d.Step.Name {
	case StepIngest:
		d.Outputs.IngestResult = body
		if len(body) > maxShown {
			d.Outputs.IngestResult, err = json.Marshal(struct {
				Digest string `json:"digest"`
				Bytes  int    `json:"bytes"`
			}{string(v.Digest), len(body)})
		}
	case StepValidate:
		d.Outputs.GateResult = body
	case StepClarify:
		var q QuestionsDocument
		if err = decode(body, &q); err == nil {
			d.Outputs.Questions, err = json.Marshal(present(q.Questions))
		}
	case StepPlan, StepVV:
		var spec CanonicalSpec
		if spec, err = Decode(body); err != nil {
			return err
		}
		if d.Step.Name == StepPlan {
			d.Outputs.Tasks, err = json.Marshal(spec.Planning.Tasks)
		} else {
			d.Outputs.VV, err = json.Marshal(spec.Planning.VV)
		}
	case StepReview:
		d.Outputs.ReviewDecision = body
		var decided ReviewDecision
		if decided, err = decisionIn(body); err == nil {
			d.Decisions = append(d.Decisions, reviewNext(decided))
		}
	case StepPublish:
		d.Outputs.PublishResult = body
	}
	return err
}
