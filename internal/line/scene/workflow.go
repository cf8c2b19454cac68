package scene

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// Workflow is a run in the words of this line. Every document is made from it.
type Workflow struct {
	ID        string
	Type      string
	Session   string
	Committed string // the session that brought it into the workspace
	Status    string
	Created   time.Time
	Updated   time.Time
	Rehearsal bool
	Phased    bool
	About     Params // what all steps share
	Steps     []Step
	Artifacts []Artifact // of the whole workflow
	imported  bool
	made      string // the session in which it was made, whatever became of that
}

// Step is one step or phase as it stands.
type Step struct {
	Params
	Node      kernel.NodeID
	Kind      kernel.Kind
	Target    kernel.NodeID // of a check
	Word      string
	Kernel    kernel.Status
	Required  []int // everything it stands on
	Started   time.Time
	Finished  time.Time // zero until it is completed
	Artifacts []Artifact
	Approval  *ApprovalState
	AsksFor   kernel.AskKind // of a person
	Attempts  *AttemptsState
	Performer kernel.Actor // who has it in hands, if someone has
	Failure   string
	IsReady   bool // it can begin now
}

// Look reads a run. Without a way to bodies it leaves the artifacts out.
func Look(r *kernel.Run, body line.Body) (*Workflow, error) {
	w := &Workflow{ID: string(r.ID()), Type: r.Labels()[LabelType], Session: r.Labels()[line.LabelSession],
		Committed: r.Labels()[line.LabelCommitted], Status: workflowWord(r.Status()), Created: r.Opened(), Updated: r.Updated(),
		Rehearsal: r.Provider() == kernel.ProviderRehearsal}
	var settings Settings
	if len(r.Settings()) > 0 {
		if err := json.Unmarshal(r.Settings(), &settings); err != nil {
			return nil, fault.Wrap(fault.BadNode, w.ID, err, "the settings of workflow %s do not parse", w.ID)
		}
	}
	w.imported = settings.Imported
	for n := range r.Nodes() {
		s, err := w.step(r, n, body)
		if err != nil {
			return nil, err
		}
		w.Steps = append(w.Steps, s)
		w.About, w.Phased = s.Params, strings.HasPrefix(string(s.Node), "phase/")
	}
	w.gather(settings.Artifacts)
	return w, nil
}

// LookAtCurrent reads a run with the artifacts of the step it is at, and leaves the others out.
func LookAtCurrent(r *kernel.Run, body line.Body) (*Workflow, error) {
	w, err := Look(r, nil)
	if err != nil || len(w.Steps) == 0 {
		return w, err
	}
	s := &w.Steps[w.Current().Number-1]
	n, _ := r.Node(s.Node)
	if s.Artifacts, err = w.artifactsOf(r, n, s.Word, body); err != nil {
		return nil, err
	}
	s.Artifacts = slices.DeleteFunc(s.Artifacts, func(a Artifact) bool { return isPlace(a.Key) })
	return w, nil
}

func (w *Workflow) step(r *kernel.Run, n kernel.View, body line.Body) (Step, error) {
	p, err := ParamsOf(n.Node())
	if err != nil {
		return Step{}, err
	}
	w.made = p.Session
	p.WorkingDir, p.Session = WorkingDir(w.Session, p.Workflow, w.ID), w.Session // a session may have been committed since
	s := Step{Params: p, Node: n.ID(), Kind: n.Node().Kind, Target: n.Node().Target, Kernel: n.Status()}
	sentBack := false
	if target, ok := r.Node(s.Target); ok && target.Newest() != nil {
		sentBack = target.Newest().IsRejected()
	}
	s.Word = stepWord(roleOf(n.Node(), strings.HasPrefix(string(n.ID()), "phase/")), n.Status(), sentBack)
	s.IsReady = n.Status() == kernel.StatusReady || n.Status() == kernel.StatusRework
	if n.Open() != nil {
		s.Performer = n.Open().Performer
	}
	if f := n.Failure(); f != nil {
		s.Failure = f.Message
	}
	for _, need := range n.Node().Needs {
		s.Required = append(s.Required, numberOf(need.Node))
	}
	if s.Target != "" {
		s.Required = append(s.Required, numberOf(s.Target))
		slices.Sort(s.Required)
	}
	w.times(r, n, &s)
	if n.Node().Gate.Person {
		s.Approval = approvalOf(n)
		if n.Node().Ask != nil {
			s.AsksFor = n.Node().Ask.Kind
		}
	}
	if p.MaxAttempts > 0 {
		s.Attempts = w.attemptsOf(r, n, &s)
	}
	s.Artifacts, err = w.artifactsOf(r, n, s.Word, body)
	return s, err
}

// numberOf reads the number of a node's id; 0 if it has none.
func numberOf(id kernel.NodeID) int {
	_, number, _ := strings.Cut(string(id), "/")
	n := 0
	for _, c := range number {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// live gives the attempts at a node since it was last taken back; of a check, those that judge what stands now.
func live(r *kernel.Run, n kernel.View) []*kernel.Attempt {
	all := r.AttemptsAt(n.ID())
	if target, ok := r.Node(n.Node().Target); ok && target.Newest() != nil {
		return slices.DeleteFunc(all, func(a *kernel.Attempt) bool { return a.Subject != target.Newest().ID })
	}
	from := 0
	for _, v := range n.Versions() {
		for i, a := range all {
			if v.IsAway() && a.ID == v.Attempt {
				from = max(from, i+1)
			}
		}
	}
	return all[from:]
}

// times says when a step began and was completed. A person's approval completes what waits for it.
func (w *Workflow) times(r *kernel.Run, n kernel.View, s *Step) {
	if s.Word == Pending {
		return
	}
	for _, a := range live(r, n) {
		if s.Started.IsZero() {
			s.Started = a.Began
		}
		if s.Word == Completed && !a.Ended.IsZero() {
			s.Finished = a.Ended
		}
	}
	v := n.Approved()
	if s.Word != Completed || v == nil || !n.Node().Gate.Person {
		return
	}
	if review := lastWord(v); review != nil {
		s.Finished = review.At
	}
}

// lastWord is what a person said last about a version.
func lastWord(v *kernel.Version) *kernel.Review {
	for _, review := range slices.Backward(v.Reviews()) {
		if review.By.IsHuman() && review.Check == "" {
			return review
		}
	}
	return nil
}

func approvalOf(n kernel.View) *ApprovalState {
	a := &ApprovalState{Required: true}
	v := n.Newest()
	if v == nil {
		return a
	}
	review := lastWord(v)
	if review == nil {
		return a
	}
	a.Modifications = review.Edits
	if review.Verdict == kernel.ForIt && v.IsApproved() {
		a.Approved, a.approvedAt = true, review.At
		if slices.Contains(v.Variants(), review.Choice) {
			a.SelectedVariant = review.Choice
		}
	}
	return a
}

// attemptsOf counts the attempts since the step was last taken back, and tells how all of them went.
func (w *Workflow) attemptsOf(r *kernel.Run, n kernel.View, s *Step) *AttemptsState {
	out := &AttemptsState{Max: s.MaxAttempts, History: []AttemptState{}}
	counts := func(a *kernel.Attempt) bool {
		return a.Outcome == "" || a.Outcome == kernel.Delivered || a.Outcome == kernel.Unusable
	}
	for _, a := range live(r, n) {
		if counts(a) {
			out.Current++
		}
	}
	if s.Word == InProgress && n.Status() == kernel.StatusRework { // the next one is due
		out.Current++
	}
	for _, a := range r.AttemptsAt(n.ID()) {
		if a.Outcome != "" && counts(a) {
			if h, ok := w.historyOf(n, a); ok {
				h.Attempt = len(out.History) + 1
				out.History = append(out.History, h)
			}
		}
	}
	return out
}

// historyOf tells how one attempt ended, once that is known.
func (w *Workflow) historyOf(n kernel.View, a *kernel.Attempt) (AttemptState, bool) {
	h := AttemptState{Status: Failed, StartedAt: w.moment(a.Began), CompletedAt: w.moment(a.Ended)}
	for _, v := range n.Versions() {
		if v.Attempt != a.ID {
			continue
		}
		switch {
		case v.IsApproved():
			h.Status = Completed
		case !v.IsRejected():
			return h, false
		}
		for _, review := range v.Reviews() {
			for _, f := range review.Findings {
				if review.Verdict == kernel.AgainstIt && IsViolation(f) {
					h.Violations = append(h.Violations, f.Message)
				}
			}
		}
	}
	return h, true
}

// IsViolation tells what sends a draft back from what is only a warning.
func IsViolation(f kernel.Finding) bool { return f.Severity != "low" }

// EvidenceArtifact marks evidence that names a file of work under way. Its reference is the file, its link the attempt.
const EvidenceArtifact = "artifact"

// artifactsOf gives what a step shows for: its newest content, or what was named of it so far.
func (w *Workflow) artifactsOf(r *kernel.Run, n kernel.View, word string, body line.Body) ([]Artifact, error) {
	if n.Open() != nil {
		return NamedOf(r, n.Open().ID), nil
	}
	v := n.Newest()
	if v == nil || body == nil || word == Pending || n.Status() == kernel.StatusRework {
		return nil, nil
	}
	raw, err := body(v)
	if err != nil {
		return nil, err
	}
	p, err := ParseProduct(raw)
	if err != nil {
		return nil, err
	}
	for i := range p.Artifacts {
		p.Artifacts[i].Path = w.now(p.Artifacts[i].Path)
	}
	return p.Artifacts, nil
}

// NamedOf gives the artifacts that a client named of an attempt under way, the last word on each key.
func NamedOf(r *kernel.Run, attempt kernel.AttemptID) []Artifact {
	var out []Artifact
	for _, e := range r.Evidence() {
		if e.Type != EvidenceArtifact || !slices.Contains(e.LinkedTo, string(attempt)) {
			continue
		}
		key := e.Note
		if i := slices.IndexFunc(out, func(a Artifact) bool { return a.Key == key }); i >= 0 {
			out[i].Path = e.Ref
		} else {
			out = append(out, Artifact{Key: key, Path: e.Ref})
		}
	}
	return out
}

// now brings a recorded path to where it is now: that of a committed session is the workspace's.
func (w *Workflow) now(p string) string {
	if w.Committed == "" {
		return p
	}
	return line.GlobalPath(w.Committed, p)
}

// gather brings together what belongs to the whole workflow: outputs that are places and not files of a step, and the
// working directory.
func (w *Workflow) gather(given []Artifact) {
	add := func(a Artifact) {
		if i := slices.IndexFunc(w.Artifacts, func(b Artifact) bool { return b.Key == a.Key }); i >= 0 {
			w.Artifacts[i] = a
		} else {
			w.Artifacts = append(w.Artifacts, a)
		}
	}
	for _, a := range given {
		add(Artifact{Key: a.Key, Path: w.now(a.Path)})
	}
	for i := range w.Steps {
		s := &w.Steps[i]
		s.Artifacts = slices.DeleteFunc(s.Artifacts, func(a Artifact) bool {
			if isPlace(a.Key) {
				add(a)
			}
			return isPlace(a.Key)
		})
	}
	if !slices.ContainsFunc(w.Artifacts, func(a Artifact) bool { return a.Key == keyWorkingDir }) {
		add(Artifact{Key: keyWorkingDir, Path: w.About.WorkingDir})
	}
}

const keyWorkingDir = "working_dir"

// isPlace tells of an output that says where something is, which is the workflow's and not the step's.
func isPlace(key string) bool { return strings.HasSuffix(key, "_path") }

// Current is the first step that is not completed, or the last one.
func (w *Workflow) Current() Step {
	for _, s := range w.Steps {
		if s.Word != Completed {
			return s
		}
	}
	if len(w.Steps) == 0 {
		return Step{}
	}
	return w.Steps[len(w.Steps)-1]
}

// Step finds a step by its number.
func (w *Workflow) Step(number int) (Step, error) {
	if number < 1 || number > len(w.Steps) {
		return Step{}, fault.New(fault.BadValue, "step", "workflow %s has no %s %d; it has 1 to %d", w.ID, w.unit(), number, len(w.Steps)).
			With(fault.Action{Action: "status", Command: "sluice scene status " + w.ID})
	}
	return w.Steps[number-1], nil
}

// unit is what this workflow calls its steps.
func (w *Workflow) unit() string {
	if w.Phased {
		return "phase"
	}
	return "step"
}

// moment is a time as documents show it: to the second, and as it came in what was imported.
func (w *Workflow) moment(t time.Time) Moment {
	if !w.imported {
		t = t.Truncate(time.Second)
	}
	return Moment{t.UTC()}
}

func (w *Workflow) momentOrNil(t time.Time) *Moment {
	if t.IsZero() {
		return nil
	}
	m := w.moment(t)
	return &m
}
