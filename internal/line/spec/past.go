package spec

import (
	"slices"
	"time"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// Past is a feature with everything that was recorded of it.
type Past struct {
	Run    *kernel.Run
	Events []kernel.Event // all of them
	Body   line.Body
}

// ShownSnapshot is a snapshot and the file that shows it.
type ShownSnapshot struct {
	Path     string   `json:"path"`
	Snapshot Snapshot `json:"snapshot"`
}

// Snapshots gives the snapshots of one run of the feature, or of all of them for 0, in the order of their steps.
func (p Past) Snapshots(pass int) ([]ShownSnapshot, error) {
	h := line.Happened{Run: p.Run, Events: p.Events, Body: p.Body}
	seq := map[int]int{}
	var all []ShownSnapshot
	for _, e := range p.Events {
		f, ok := e.Fact.(kernel.AttemptClosed)
		if !ok {
			continue
		}
		n, params, ok := stepOf(p.Run, f.Node)
		if !ok {
			continue
		}
		seq[params.Pass]++
		if pass != 0 && params.Pass != pass {
			continue
		}
		s := snapshooting{h: h, event: e, closed: f, node: n, params: params, seq: seq[params.Pass]}
		d, err := s.document()
		if err != nil {
			return nil, err
		}
		all = append(all, ShownSnapshot{SnapshotPath(params.RunID, s.seq, d.Step.Name), d})
	}
	return all, nil
}

// Evidence gives every piece of evidence of the feature, oldest first.
func (p Past) Evidence() []Evidence {
	all := []Evidence{}
	for _, e := range p.Events {
		if f, ok := e.Fact.(kernel.EvidenceRecorded); ok {
			all = append(all, EvidenceOf(f.Evidence, e.At))
		}
	}
	return all
}

// VersionInfo is a spec version in a list.
type VersionInfo struct {
	SpecVersion       string         `json:"spec_version"`
	RunID             string         `json:"run_id"`
	Round             int            `json:"round"`
	Step              StepName       `json:"step"`
	CreatedAt         string         `json:"created_at"`
	CompletenessScore float64        `json:"completeness_score"`
	MissingFields     []MissingField `json:"missing_fields"`
	Digest            string         `json:"digest"`
	Path              string         `json:"path"`
	Decision          Recommendation `json:"decision,omitempty"`  // of the review on this version, if there was one
	Rehearsal         bool           `json:"rehearsal,omitempty"` // text from rehearsal stands in it, in a feature that has replies of a real model
}

// ListVersions gives every spec version with what was said of it, oldest first.
func ListVersions(r *kernel.Run, body line.Body) ([]VersionInfo, error) {
	decided := map[string]Recommendation{}
	for n := range r.Nodes() {
		if n.Node().Step != string(StepReview) {
			continue
		}
		if p, err := ParamsOf(n.Node()); err == nil {
			decided[p.SpecVersion] = DecisionOf(n)
		}
	}
	all := []VersionInfo{}
	for _, v := range inOrder(r) {
		n, p, ok := stepOf(r, v.Node)
		if !ok {
			continue
		}
		raw, err := body(v)
		if err != nil {
			return nil, err
		}
		s, err := Decode(raw)
		if err != nil {
			return nil, err
		}
		all = append(all, VersionInfo{SpecVersion: string(v.ID), RunID: p.RunID, Round: p.Round, Step: StepName(n.Step), CreatedAt: stamp(v.At),
			CompletenessScore: s.Quality.CompletenessScore, MissingFields: s.Quality.MissingFields, Digest: string(v.Digest),
			Path: SpecPath(string(r.ID()), string(v.ID)), Decision: decided[string(v.ID)]})
	}
	return all, nil
}

// inOrder gives the spec versions in the order in which they were stored.
func inOrder(r *kernel.Run) []*kernel.Version {
	all := Versions(r)
	slices.SortFunc(all, func(a, b *kernel.Version) int { return int(a.Seq - b.Seq) })
	return all
}

// Delta is what changed between two versions.
type Delta struct {
	From    string   `json:"from,omitempty"`
	To      string   `json:"to"`
	Changes []Change `json:"changes"`
}

// DeltaBase gives the last version before the run of the feature that is current, or nil: an amendment is held against it.
func DeltaBase(r *kernel.Run) *kernel.Version {
	current := Current(r).Pass
	var base *kernel.Version
	for _, v := range inOrder(r) {
		if _, p, ok := stepOf(r, v.Node); ok && p.Pass < current {
			base = v
		}
	}
	return base
}

// Round is what was asked and answered in one round.
type Round struct {
	RunID      string     `json:"run_id"`
	Round      int        `json:"round"`
	Questions  []Question `json:"questions"`
	Answers    []Answer   `json:"answers"`
	AnsweredBy string     `json:"answered_by,omitempty"`
	AnsweredAt string     `json:"answered_at,omitempty"`
}

// Rounds gives the clarify rounds of a feature, oldest first.
func Rounds(r *kernel.Run, body line.Body) ([]Round, error) {
	all := []Round{}
	for n := range r.Nodes() {
		if n.Node().Step != answersStep {
			continue
		}
		p, err := ParamsOf(n.Node())
		if err != nil {
			return nil, err
		}
		one := Round{RunID: p.RunID, Round: p.Round, Questions: []Question{}, Answers: []Answer{}}
		if spec := n.Node().Ask; spec != nil {
			for _, q := range spec.Questions {
				one.Questions = append(one.Questions, Question{ID: q.ID, Path: q.Path, Question: q.Text, Choices: q.Choices})
			}
		}
		if v := n.Approved(); v != nil {
			d, err := answersIn(v, body)
			if err != nil {
				return nil, err
			}
			one.Answers, one.AnsweredBy, one.AnsweredAt = present(d.Answers), d.By, stamp(v.At)
		}
		all = append(all, one)
	}
	return all, nil
}

func answersIn(v *kernel.Version, body line.Body) (AnswersDocument, error) {
	var d AnswersDocument
	raw, err := body(v)
	if err != nil {
		return d, err
	}
	if err := decode(raw, &d); err != nil {
		return d, fault.Wrap(fault.StoreCorrupt, string(v.ID), err, "answers %s do not parse", v.ID)
	}
	return d, nil
}

// PassOf gives the number of the run with an id among those of the feature, or 0.
func PassOf(r *kernel.Run, run string) int {
	for pass := 1; ; pass++ {
		switch RunOf(r, pass) {
		case "":
			return 0
		case run:
			return pass
		}
	}
}

// closings finds how each attempt was closed, and when.
func (p Past) closings() map[kernel.AttemptID]closing {
	all := map[kernel.AttemptID]closing{}
	for _, e := range p.Events {
		if f, ok := e.Fact.(kernel.AttemptClosed); ok {
			all[f.Attempt] = closing{f.Snapshot, e.At}
		}
	}
	return all
}

type closing struct {
	snapshot kernel.Snapshot
	at       time.Time
}
