package scene

import (
	"encoding/json"
	"slices"
	"time"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// Act is a command with the bytes that it names.
type Act struct {
	Command kernel.Command
	Blobs   []journal.Blob
}

// Imported is a state document as commands: the run they make shows the same document.
type Imported struct {
	Open kernel.Open
	Acts []Act
}

// Read gives a file of the workspace by the path that documents have for it.
type Read func(path string) ([]byte, bool)

// Subject of a state document.
func (d State) Subject() (Subject, error) {
	if d.Generation != nil {
		return StartGeneration{SceneID: d.Generation.SceneID, SessionName: d.SessionName}.Subject()
	}
	p := d.Planning
	return StartPlanning{Level: p.Level, Act: p.Context.Act, Chapter: p.Context.Chapter, Scene: p.Context.Scene, SessionName: d.SessionName}.Subject()
}

// Import finds the commands whose run shows the document, with the document's own times. Files that are not there stay
// unverified references. A document that no run can show is refused with the place of the first difference.
func Import(def Definition, d State, read Read) (Imported, error) {
	subject, err := d.Subject()
	if err != nil {
		return Imported{}, err
	}
	open, err := Open(def, kernel.RunID(d.WorkflowID), subject)
	if err != nil {
		return Imported{}, err
	}
	stages, err := def.Stages(subject.Level)
	if err != nil {
		return Imported{}, err
	}
	m := &importing{doc: d, stages: stages, phased: def.Phased, read: read, run: kernel.NewRun(), bodies: map[digest.Digest][]byte{}}
	open.Stamp = m.by(kernel.Client, d.CreatedAt.Time)
	if open.Settings, err = json.Marshal(Settings{Imported: true, Artifacts: m.own()}); err != nil {
		return Imported{}, err
	}
	if err := m.play(open); err != nil {
		return Imported{}, err
	}
	return Imported{Open: open, Acts: m.acts}, m.compare()
}

// importing plays a document as commands on a run of its own.
type importing struct {
	doc    State
	stages []Stage
	phased bool
	read   Read
	run    *kernel.Run
	acts   []Act
	bodies map[digest.Digest][]byte
}

// phase is a step or phase of the document, as far as importing goes.
type phase struct {
	at        string
	status    string
	started   *Moment
	completed *Moment
	artifacts places
	approval  *ApprovalState
	attempts  *AttemptsState
}

func (m *importing) phases() []phase {
	var out []phase
	if m.doc.Planning != nil {
		for i, p := range m.doc.Planning.Phases {
			out = append(out, phase{pointer("/planning/phases", i), p.Status, p.StartedAt, p.CompletedAt, p.Artifacts, p.HumanApproval, nil})
		}
		return out
	}
	for i, s := range m.doc.Generation.Steps {
		out = append(out, phase{pointer("/generation/steps", i), s.Status, s.StartedAt, s.CompletedAt, s.Artifacts, s.HumanApproval, s.Attempts})
	}
	return out
}

// own gives the artifacts of the whole workflow.
func (m *importing) own() places {
	if m.doc.Planning != nil {
		return m.doc.Planning.Artifacts
	}
	return m.doc.Generation.Artifacts
}

func (m *importing) by(kind kernel.ActorKind, at time.Time) kernel.Stamp {
	return kernel.Stamp{By: kernel.Actor{Kind: kind, Name: importer, Via: importer}, At: at}
}

// importer is the name under which imported work is recorded. What it left under way is in nobody's hands.
const importer = "import"

// IsImported tells of work that was under way when it was imported: anyone may go on with it.
func IsImported(by kernel.Actor) bool { return by.Name == importer && by.Via == importer }

func (m *importing) play(open kernel.Open) error {
	if _, err := kernel.Apply(m.run, open); err != nil {
		return err
	}
	all := m.phases()
	if len(all) != len(m.stages) {
		return fault.New(fault.BadValue, "state document#", "the document has %d steps and its definition %d", len(all), len(m.stages))
	}
	for i, p := range all {
		if err := m.stage(m.stages[i], p); err != nil {
			f := fault.From(err)
			return fault.Wrap(fault.BadValue, "state document#"+p.at, err, "state document at %q cannot be: %s", p.at, f.Code)
		}
	}
	return m.end()
}

func (m *importing) apply(c kernel.Command, blobs ...journal.Blob) error {
	if _, err := kernel.Apply(m.run, c); err != nil {
		return err
	}
	m.acts = append(m.acts, Act{Command: c, Blobs: blobs})
	return nil
}

// end closes the run if the document says so, and records where it came from at the time it was last changed.
func (m *importing) end() error {
	at := m.doc.UpdatedAt.Time
	if m.doc.Status == Cancelled {
		if err := m.apply(kernel.Cancel{Stamp: m.by(kernel.Client, at), Reason: "imported as cancelled"}); err != nil {
			return err
		}
	}
	if m.doc.Status == Failed && m.phased && m.run.Status() != kernel.RunFailed {
		for i, p := range m.phases() {
			if p.status == Pending {
				if err := m.fail(m.stages[i], at, at); err != nil {
					return err
				}
				break
			}
		}
	}
	if m.doc.Committed != "" {
		if err := m.apply(kernel.Relabel{Stamp: m.by(kernel.Client, at), Set: map[string]string{line.LabelCommitted: m.doc.Committed}}); err != nil {
			return err
		}
	}
	raw, err := render(m.doc)
	if err != nil {
		return err
	}
	return m.apply(kernel.Record{Stamp: m.by(kernel.Client, at), Evidence: []kernel.Evidence{{
		ID: "import", Type: "state_document", Ref: m.doc.WorkflowID, Hash: digest.Of(raw)}}})
}

func (m *importing) stage(st Stage, p phase) error {
	started, completed := m.doc.UpdatedAt.Time, m.doc.UpdatedAt.Time
	if p.started != nil {
		started = p.started.Time
	}
	if p.completed != nil {
		completed = p.completed.Time
	}
	if st.TriggersRetry {
		return m.check(st, p, started, completed)
	}
	if p.attempts != nil {
		if err := m.retries(st, p); err != nil {
			return err
		}
	}
	switch p.status {
	case InProgress:
		return m.underWay(st, p, started)
	case WaitingApproval:
		return m.deliver(st, p, started, m.doc.UpdatedAt.Time, true)
	case Completed:
		if err := m.deliver(st, p, m.resumed(st, p, started), completed, true); err != nil || !st.HumanApproval {
			return err
		}
		return m.answer(st, p, completed)
	case Failed:
		return m.failed(st, p, started)
	}
	return nil
}

// resumed is when the attempt that stands began: after the ones before it.
func (m *importing) resumed(st Stage, p phase, started time.Time) time.Time {
	if p.attempts == nil {
		return started
	}
	history := p.attempts.History
	for _, h := range history[len(history)-p.liveHistory():] {
		if h.Status == Completed {
			return h.StartedAt.Time
		}
		started = h.CompletedAt.Time
	}
	return started
}

// retries plays the attempts that are told of in the history. Those before the last resume are played first and then
// taken back.
func (m *importing) retries(st Stage, p phase) error {
	check := slices.IndexFunc(m.stages, func(s Stage) bool {
		target, ok := retried(m.stages, s)
		return ok && s.TriggersRetry && target.Number == st.Number
	})
	history := p.attempts.History
	before := len(history) - p.liveHistory()
	for i, h := range history {
		if i >= before && h.Status == Completed {
			continue // it stands: played with the step itself
		}
		if check < 0 {
			return fault.New(fault.BadValue, p.at, "no step sends this one back")
		}
		if err := m.attempt(st, m.stages[check], p, h); err != nil {
			return err
		}
		if i == before-1 {
			back := kernel.Resume{Stamp: m.by(kernel.Client, h.CompletedAt.Time), From: m.node(st), Reason: "resumed before it was imported"}
			if err := m.apply(back); err != nil {
				return err
			}
		}
	}
	return nil
}

// attempt plays one attempt with the verdict on it.
func (m *importing) attempt(st, check Stage, p phase, h AttemptState) error {
	if err := m.deliver(st, phase{at: p.at}, h.StartedAt.Time, h.CompletedAt.Time, true); err != nil {
		return err
	}
	verdict := kernel.AgainstIt
	if h.Status == Completed {
		verdict = kernel.ForIt
	}
	return m.judge(check, h.CompletedAt.Time, h.CompletedAt.Time, verdict, Findings(h.Violations), nil)
}

// liveHistory counts the attempts of the history that came after the last resume: those that are counted now, but for
// one that is under way or not judged yet.
func (p phase) liveHistory() int {
	n := p.attempts.Current
	last := len(p.attempts.History) - 1
	judged := last >= 0 && p.completed != nil && p.attempts.History[last].Status == Completed && p.attempts.History[last].CompletedAt.Equal(p.completed.Time)
	if n > 0 && (p.status == InProgress || p.status == Completed && !judged) {
		n--
	}
	return max(0, min(n, last+1))
}

// underWay leaves a step in the hands of nobody in particular.
func (m *importing) underWay(st Stage, p phase, started time.Time) error {
	if p.approval != nil && len(p.approval.Modifications) > 0 {
		if err := m.deliver(st, phase{at: p.at}, started, started, true); err != nil {
			return err
		}
		if err := m.reply(st, AnswerRevise, p.approval.Modifications, started); err != nil {
			return err
		}
	}
	began := m.resumed(st, p, started)
	if err := m.apply(kernel.Begin{Stamp: m.by(kernel.Client, began), Node: m.node(st)}); err != nil {
		return err
	}
	n, _ := m.run.Node(m.node(st))
	var named []kernel.Evidence
	for _, a := range p.artifacts {
		if err := CheckPath(m.params(st), a.Path); err != nil {
			return err
		}
		named = append(named, Named(n.Open().ID, a.Key, a.Path))
	}
	if len(named) == 0 {
		return nil
	}
	return m.apply(kernel.Record{Stamp: m.by(kernel.Client, began), Evidence: named})
}

// Named is evidence of a file that was named of work under way.
func Named(attempt kernel.AttemptID, key, path string) kernel.Evidence {
	return kernel.Evidence{ID: string(attempt) + "/" + key, Type: EvidenceArtifact, Ref: path, Note: key, LinkedTo: []string{string(attempt)}}
}

// failed plays a step that failed, unless its attempts did so already.
func (m *importing) failed(st Stage, p phase, started time.Time) error {
	if n, _ := m.run.Node(m.node(st)); n.Status() == kernel.StatusFailed {
		return nil
	}
	at := m.doc.UpdatedAt.Time
	if len(p.artifacts) == 0 {
		return m.fail(st, started, at)
	}
	if err := m.deliver(st, p, started, at, st.HumanApproval); err != nil || !st.HumanApproval {
		return err
	}
	return m.reply(st, AnswerReject, nil, at)
}

func (m *importing) fail(st Stage, started, at time.Time) error {
	if err := m.apply(kernel.Begin{Stamp: m.by(kernel.Client, started), Node: m.node(st)}); err != nil {
		return err
	}
	n, _ := m.run.Node(m.node(st))
	return m.apply(kernel.Fail{Stamp: m.by(kernel.Client, at), Attempt: n.Open().ID,
		Error: kernel.StepError{Code: string(fault.StepFailed), Message: "it had failed when it was imported", Class: kernel.Permanent, Final: true}})
}

func (m *importing) deliver(st Stage, p phase, began, at time.Time, pass bool) error {
	content, blobs, err := m.content(st, p, pass)
	if err != nil {
		return err
	}
	if err := m.apply(kernel.Begin{Stamp: m.by(kernel.Client, began), Node: m.node(st)}); err != nil {
		return err
	}
	n, _ := m.run.Node(m.node(st))
	c := kernel.Deliver{Stamp: m.by(kernel.Client, at), Attempt: n.Open().ID, Content: content}
	if n.Node().Gate.Rule != "" {
		res, err := rulePassed(n.Node(), blobs[0].Body)
		if err != nil {
			return err
		}
		c.Rule = &res
	}
	return m.apply(c, blobs...)
}

// content makes the version of a step from what the document names.
func (m *importing) content(st Stage, p phase, pass bool) (kernel.Content, []journal.Blob, error) {
	r := Report{Params: m.params(st), Artifacts: p.artifacts, Pass: pass}
	for _, a := range m.own() {
		if isPlace(a.Key) && slices.Contains(st.Outputs, a.Key) && p.artifacts != nil {
			r.Artifacts = append(slices.Clone(r.Artifacts), a)
		}
	}
	if st.ApprovalType == SelectVariant {
		r.Choosing = true
		if p.approval != nil && p.approval.SelectedVariant != "" {
			r.Variants = []string{p.approval.SelectedVariant}
		}
	}
	made, err := r.Make(m.read)
	if err != nil {
		return kernel.Content{}, nil, err
	}
	for _, b := range made.Blobs {
		m.bodies[b.Digest] = b.Body
	}
	if st.ApprovalType == SelectVariant && len(made.Content.Variants) == 0 {
		made.Content.Variants = []string{"A", "B", "C"}
	}
	return made.Content, made.Blobs, nil
}

func (m *importing) answer(st Stage, p phase, at time.Time) error {
	choice, edits := AnswerApprove, json.RawMessage(nil)
	if p.approval != nil {
		edits = p.approval.Modifications
		if st.ApprovalType == SelectVariant && p.approval.SelectedVariant != "" {
			choice = p.approval.SelectedVariant
		}
	}
	return m.reply(st, choice, edits, at)
}

func (m *importing) reply(st Stage, choice string, edits json.RawMessage, at time.Time) error {
	n, _ := m.run.Node(m.node(st))
	for _, ask := range n.Asks() {
		if ask.Reason == kernel.GateAsks {
			return m.apply(kernel.Answer{Stamp: m.by(kernel.Person, at), Ask: ask.ID, Choice: choice, Edits: edits})
		}
	}
	return fault.New(fault.IllegalStep, string(n.ID()), "nothing was asked of a person")
}

// check plays the step that sends another one back. Its verdicts against were played with those attempts.
func (m *importing) check(st Stage, p phase, started, completed time.Time) error {
	switch p.status {
	case InProgress:
		return m.underWay(st, p, started)
	case Completed:
		return m.judge(st, started, completed, kernel.ForIt, nil, &p)
	case Failed:
		return m.fail(st, started, m.doc.UpdatedAt.Time)
	}
	return nil
}

func (m *importing) judge(st Stage, began, at time.Time, v kernel.Verdict, findings []kernel.Finding, p *phase) error {
	if err := m.apply(kernel.Begin{Stamp: m.by(kernel.Client, began), Node: m.node(st)}); err != nil {
		return err
	}
	n, _ := m.run.Node(m.node(st))
	c := kernel.Judge{Stamp: m.by(kernel.Client, at), Attempt: n.Open().ID, Verdict: v, Review: kernel.Review{Findings: findings}}
	if p == nil {
		return m.apply(c)
	}
	content, blobs, err := m.content(st, *p, true)
	if err != nil {
		return err
	}
	c.Report = &content
	return m.apply(c, blobs...)
}

func (m *importing) node(st Stage) kernel.NodeID { return nodeID(m.phased, st.Number) }

func (m *importing) params(st Stage) Params {
	n, _ := m.run.Node(m.node(st))
	p, _ := ParamsOf(n.Node()) // made by Open a moment ago
	return p
}
