package app

import (
	"context"
	"encoding/json"

	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/spec"
	"sluice/internal/line/spec/ingest"
)

// SpecDoc says where a feature stands and what it waits for.
type SpecDoc struct {
	spec.Summary
	Rehearsed  []string         `json:"rehearsal_versions,omitempty"` // of a feature that has replies of a real model
	GateResult *spec.GateResult `json:"gate_result"`                  // of the last validation of this pass
	Questions  []spec.Question  `json:"questions"`                    // that are open
	AskTitle   string           `json:"ask_title,omitempty"`
	Next       []fault.Action   `json:"next_actions"`
}

// NewSpec is a wish for a feature.
type NewSpec struct {
	spec.Wish
	Context *spec.ProjectContextRef
}

// NewSpec begins a feature from any input and drives it until it waits or ends.
func (a *App) NewSpec(ctx context.Context, w NewSpec) (SpecDoc, error) {
	r, err := a.beginSpec(ctx, w)
	if err != nil {
		return SpecDoc{}, err
	}
	return a.driveInput(ctx, r, w.Wish)
}

// BeginSpec begins a feature from any input and does nothing about it yet.
func (a *App) BeginSpec(ctx context.Context, w NewSpec) (SpecDoc, error) {
	r, err := a.beginSpec(ctx, w)
	if err != nil {
		return SpecDoc{}, err
	}
	return a.specDoc(ctx, r)
}

func (a *App) beginSpec(ctx context.Context, w NewSpec) (*kernel.Run, error) {
	input, err := w.Input()
	if err != nil {
		return nil, err
	}
	if err := w.Context.Validate(); err != nil {
		return nil, err
	}
	feature, err := a.nextID(ctx, spec.FeatureSeries(a.Now()))
	if err != nil {
		return nil, err
	}
	run, err := a.nextID(ctx, spec.RunSeries(a.Now()))
	if err != nil {
		return nil, err
	}
	open, err := spec.Open(feature, run, w.Wish, w.Context)
	if err != nil {
		return nil, err
	}
	open.Stamp = a.stamp()
	p := engine.PerformedAs(input)
	return a.Engine.OpenWith(ctx, open, engine.Act{Command: kernel.Submit{Stamp: a.stamp(), Node: spec.Place{Pass: 1}.Input(), Content: p.Content}, Blobs: p.Blobs})
}

// nextID reserves the next id of a series.
func (a *App) nextID(ctx context.Context, series string) (string, error) {
	n, err := a.Counter.Reserve(ctx, series, 1)
	return spec.ID(series, n), err
}

// feature finds a feature by its id.
func (a *App) feature(ctx context.Context, given string) (*kernel.Run, error) {
	id, err := spec.ParseFeatureID(given)
	if err != nil {
		return nil, err
	}
	info, err := a.Store.Run(ctx, id)
	if err != nil && fault.CodeOf(err) != fault.UnknownRun {
		return nil, err
	}
	if err != nil || info.Line != spec.Name {
		return nil, fault.New(fault.UnknownRun, id, "there is no feature %s", id).
			With(fault.Action{Action: "list", Command: "sluice spec list", Why: "it shows the features there are"})
	}
	// Its files are records: there is nothing in them to take over, and the doctor sees to them.
	return a.Engine.Load(ctx, kernel.RunID(id))
}

// RunSpec lets a feature go on until it waits or ends. A step that failed is tried again.
func (a *App) RunSpec(ctx context.Context, feature string) (SpecDoc, error) {
	r, err := a.feature(ctx, feature)
	if err != nil {
		return SpecDoc{}, err
	}
	return a.driveSpec(ctx, r)
}

func (a *App) driveSpec(ctx context.Context, r *kernel.Run) (SpecDoc, error) {
	r, err := a.afford(ctx, r)
	if err != nil {
		return SpecDoc{}, err
	}
	if r.Status() == kernel.RunFailed {
		if r, err = a.Engine.Do(ctx, r.ID(), engine.Act{Command: kernel.Resume{Stamp: a.stamp(), Reason: "run again"}}); err != nil {
			return SpecDoc{}, err
		}
	}
	if r.Status() == kernel.RunActive {
		if r, err = a.Engine.Drive(ctx, r.ID(), a.Plan); err != nil {
			return SpecDoc{}, err
		}
	}
	if s := r.Status(); s == kernel.RunCancelled || s == kernel.RunDropped { // before, or by somebody else meanwhile
		return SpecDoc{}, fault.New(fault.RunClosed, string(r.ID()), "feature %s was cancelled", r.ID()).With(spec.NextActions(r)...)
	}
	d, err := a.specDoc(ctx, r)
	if err != nil {
		return d, err
	}
	if stopped := a.outOfMoney(r); stopped != nil {
		return d, stopped
	}
	return d, a.specFailure(r, d)
}

// driveInput drives a feature that was given input, and says how to mend input that cannot be read.
func (a *App) driveInput(ctx context.Context, r *kernel.Run, w spec.Wish) (SpecDoc, error) {
	d, err := a.driveSpec(ctx, r)
	if err == nil {
		return d, nil
	}
	if _, unreadable := ingest.Parse(w.Sources); unreadable != nil {
		f := *fault.From(err)
		f.Next = append(fault.From(unreadable).Next, f.Next...)
		return d, &f
	}
	return d, err
}

// specFailure is the error of a feature whose step failed, with what the document says beside it.
func (a *App) specFailure(r *kernel.Run, d SpecDoc) error {
	if r.Status() != kernel.RunFailed {
		return nil
	}
	for n := range r.Nodes() {
		if n.Status() != kernel.StatusFailed {
			continue
		}
		code, message := fault.StepFailed, "it failed"
		if f := n.Failure(); f != nil {
			message = f.Message
			if c := fault.Code(f.Code); c != fault.Unexpected && c.Exit() != fault.ExitUnexpected {
				code = c
			}
		}
		e := fault.New(code, string(r.ID()), "%s of %s failed: %s", n.Node().Step, r.ID(), message).With(cure(code)...).With(spec.NextActions(r)...)
		fields, err := json.Marshal(d)
		if err != nil {
			return err
		}
		e.Fields = fields
		if last := n.Last(); last != nil && a.ErrorLog != nil {
			e.LogPath = a.ErrorLog(last.Ended)
		}
		return e
	}
	return nil
}

// AnswerSpec answers open questions of a feature, by path or by number, and drives it on.
func (a *App) AnswerSpec(ctx context.Context, feature string, set map[string]string, content []byte) (SpecDoc, error) {
	r, err := a.recordAnswers(ctx, feature, set, content)
	if err != nil {
		return SpecDoc{}, err
	}
	return a.driveSpec(ctx, r)
}

// RecordSpecAnswers answers open questions and does nothing about them yet.
func (a *App) RecordSpecAnswers(ctx context.Context, feature string, set map[string]string) (SpecDoc, error) {
	r, err := a.recordAnswers(ctx, feature, set, nil)
	if err != nil {
		return SpecDoc{}, err
	}
	return a.specDoc(ctx, r)
}

func (a *App) recordAnswers(ctx context.Context, feature string, set map[string]string, content []byte) (*kernel.Run, error) {
	r, err := a.feature(ctx, feature)
	if err != nil {
		return nil, err
	}
	ask, err := answersAsk(r)
	if err != nil {
		return nil, err
	}
	act, err := a.answerAct(ctx, r, ask, Reply{Choice: "answer", Set: set, Content: content})
	if err != nil {
		return nil, err
	}
	return a.Engine.Do(ctx, r.ID(), act)
}

func firstAsk(r *kernel.Run, n kernel.NodeID) *kernel.Ask {
	if v, ok := r.Node(n); ok && len(v.Asks()) > 0 {
		return v.Asks()[0]
	}
	return nil
}

// ReviewSpec records a person's decision on the version that passed every gate. What is on hold may be decided again.
func (a *App) ReviewSpec(ctx context.Context, feature string, v spec.Verdict) (SpecDoc, error) {
	r, err := a.feature(ctx, feature)
	if err != nil {
		return SpecDoc{}, err
	}
	out, err := spec.Decide(r, a.By, v)
	if err != nil {
		return SpecDoc{}, err
	}
	node := spec.Current(r).Review()
	if ask := firstAsk(r, node); ask != nil {
		act, err := a.supplyAct(r, ask, kernel.Answer{Stamp: a.stamp(), Ask: ask.ID, Choice: string(v.Decision), Text: v.Reason}, *out)
		if err != nil {
			return SpecDoc{}, err
		}
		r, err = a.Engine.Do(ctx, r.ID(), act) // an ask is answered once, whoever else is at it
		return a.specAfter(ctx, r, err)
	}
	if v.SpecVersion, err = spec.UpForReview(r); err != nil {
		return SpecDoc{}, err
	}
	r, err = a.Engine.DoWish(ctx, r.ID(), func(l engine.Look) ([]engine.Act, error) {
		out, err := spec.Decide(l.Run(), a.By, v) // again: it may have been reopened or published meanwhile
		if err != nil {
			return nil, err
		}
		act, err := a.submitAct(l.Run(), node, *out, v.Reason)
		return []engine.Act{act}, err
	})
	return a.specAfter(ctx, r, err)
}

// specAfter says where a feature stands after a command.
func (a *App) specAfter(ctx context.Context, r *kernel.Run, err error) (SpecDoc, error) {
	if err != nil {
		return SpecDoc{}, err
	}
	return a.specDoc(ctx, r)
}

// submitAct is content that nobody asked for any more, held against the rule of its node.
func (a *App) submitAct(r *kernel.Run, node kernel.NodeID, out line.Out, note string) (engine.Act, error) {
	p := engine.PerformedAs(out)
	c := kernel.Submit{Stamp: a.stamp(), Node: node, Content: p.Content, Note: note}
	n, _ := r.Node(node)
	if l := a.lineOf(r); l != nil && l.Rule != nil && n.Node().Gate.Rule != "" {
		rule, err := l.Rule(n.Node(), out.Body)
		if err != nil {
			return engine.Act{}, err
		}
		c.Rule = &rule
	}
	return engine.Act{Command: c, Blobs: p.Blobs}, nil
}

// ReopenSpec leads a feature on hold back to its questions.
func (a *App) ReopenSpec(ctx context.Context, feature string) (SpecDoc, error) {
	r, err := a.feature(ctx, feature)
	if err != nil {
		return SpecDoc{}, err
	}
	r, err = a.Engine.DoWish(ctx, r.ID(), func(l engine.Look) ([]engine.Act, error) {
		nodes, err := spec.Reopen(l.Run())
		return []engine.Act{{Command: kernel.Unfold{Stamp: a.stamp(), Nodes: nodes}}}, err
	})
	return a.specAfter(ctx, r, err)
}

// refuseOnSpec keeps the general commands from making steps of a feature anew behind a decision: go is bound to one version,
// and what changes a spec is an answer or new input.
func refuseOnSpec(r *kernel.Run, c kernel.Command) error {
	if r.Line() != spec.Name {
		return nil
	}
	switch c := c.(type) {
	case kernel.Revise, kernel.Rollback, kernel.Undo:
	case kernel.Reopen: // a target that gave up is a person's to try again, and not the engine's
		if n, ok := r.Node(c.Node); !ok || n.Node().Step != string(spec.StepPublish) {
			return nil
		}
	case kernel.Resume:
		if c.From == "" {
			return nil
		}
	default:
		return nil
	}
	return fault.New(fault.IllegalStep, string(r.ID()), "feature %s is %s; its versions stand, and it changes by answers and by new input alone", r.ID(), spec.StatusOf(r)).
		With(spec.NextActions(r)...)
}

// ShowSpec gives a version of a feature as it is stored; none named means the newest.
func (a *App) ShowSpec(ctx context.Context, feature, version string) (spec.CanonicalSpec, error) {
	r, err := a.feature(ctx, feature)
	if err != nil {
		return spec.CanonicalSpec{}, err
	}
	v, err := a.specVersion(r, version)
	if err != nil {
		return spec.CanonicalSpec{}, err
	}
	return a.specIn(ctx, r, v)
}

// SpecStatus says where a feature stands.
func (a *App) SpecStatus(ctx context.Context, feature string) (SpecDoc, error) {
	r, err := a.feature(ctx, feature)
	if err != nil {
		return SpecDoc{}, err
	}
	return a.specDoc(ctx, r)
}

func (a *App) specDoc(ctx context.Context, r *kernel.Run) (SpecDoc, error) {
	d := SpecDoc{Summary: spec.Summarize(r), Questions: []spec.Question{}, Next: spec.NextActions(r)}
	if ask := firstAsk(r, spec.Current(r).Answers()); ask != nil {
		d.AskTitle = ask.Title
		for _, q := range ask.Questions {
			d.Questions = append(d.Questions, spec.Question{ID: q.ID, Path: q.Path, Question: q.Text, Choices: q.Choices})
		}
	}
	var err error
	if d.Rehearsed, err = a.rehearsedVersions(ctx, r); err != nil {
		return d, err
	}
	v := spec.LastGate(r)
	if v == nil {
		return d, nil
	}
	body, err := a.bodies(ctx, r)(v)
	if err != nil {
		return d, err
	}
	gate, err := spec.DecodeGate(body)
	d.GateResult = &gate
	return d, err
}
