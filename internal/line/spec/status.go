package spec

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"sluice/internal/kernel"
)

// Status is where a feature stands. It lives beside the versions, not inside them.
type Status string

const (
	Draft           Status = "draft"
	Clarifying      Status = "clarifying"
	ExecutableReady Status = "executable_ready"
	Published       Status = "published"
	OnHold          Status = "hold"
	Dropped         Status = "drop"
)

// Statuses lists them in the order of life.
func Statuses() []Status {
	return []Status{Draft, Clarifying, ExecutableReady, Published, OnHold, Dropped}
}

// StatusOf is the one mapping from what the journal holds to the status of a feature.
func StatusOf(r *kernel.Run) Status {
	at := Current(r)
	if review, ok := r.Node(at.Review()); ok {
		if _, again := r.Node(at.Answers()); again { // it was held, and reopened
			return Clarifying
		}
		switch DecisionOf(review) {
		case Hold:
			return OnHold
		case Drop:
			return Dropped
		case Go:
			if isPublished(r, review) {
				return Published
			}
		}
		return ExecutableReady
	}
	if _, ok := r.Node(at.Questions()); ok {
		return Clarifying
	}
	return Draft
}

// isPublished tells whether what was decided on is published somewhere.
func isPublished(r *kernel.Run, review kernel.View) bool {
	for _, id := range review.Dependants() {
		if n, ok := r.Node(id); ok && n.Node().Step == string(StepPublish) && n.Status() == kernel.StatusDone {
			return true
		}
	}
	return false
}

// DecisionOf is what a person decided in a review, or nothing so far.
func DecisionOf(review kernel.View) Recommendation {
	v := review.Approved()
	if v == nil {
		return ""
	}
	decision, _ := strings.CutPrefix(v.Schema, reviewSchema)
	return Recommendation(decision)
}

// Current is the round that a feature is in.
func Current(r *kernel.Run) Place {
	at := Place{1, 1}
	for {
		if _, ok := r.Node(Place{at.Pass + 1, 1}.Input()); !ok {
			break
		}
		at.Pass++
	}
	for {
		if _, ok := r.Node(at.Next().Node(partCompile)); !ok {
			return at
		}
		at.Round++
	}
}

// Newest is the newest spec version of a feature, or nil, and the node that holds it.
func Newest(r *kernel.Run) (*kernel.Version, kernel.NodeID) {
	at := Current(r)
	for pass := at.Pass; pass > 0; pass-- {
		for round := lastRound(r, pass); round > 0; round-- {
			for _, part := range []string{partApply, partVV, partPlan, partCompile} {
				id := Place{pass, round}.Node(part)
				if v := r.Approved(id); v != nil {
					return v, id
				}
			}
		}
	}
	return nil, ""
}

func lastRound(r *kernel.Run, pass int) int {
	for at := (Place{pass, 1}); ; at.Round++ {
		if _, ok := r.Node(at.Next().Node(partCompile)); !ok {
			return at.Round
		}
	}
}

// Versions gives every spec version of a feature in the order they were made.
func Versions(r *kernel.Run) []*kernel.Version {
	var all []*kernel.Version
	for n := range r.Nodes() {
		for _, v := range n.Versions() {
			if v.Schema == SpecSchema {
				all = append(all, v)
			}
		}
	}
	return all
}

// Summary is a feature in a list.
type Summary struct {
	FeatureID   string `json:"feature_id"`
	RunID       string `json:"run_id"`
	Title       string `json:"title"`
	Status      Status `json:"status"`
	SpecVersion string `json:"spec_version"` // empty: there is none so far
	WaitingFor  string `json:"waiting_for"`  // answers, review or input; empty: nobody
	UpdatedAt   string `json:"updated_at"`
	Rehearsal   bool   `json:"rehearsal"`            // its text came from the rehearsal model
	LastError   string `json:"last_error,omitempty"` // of the step that failed last, while nothing came of it since
	Cancelled   bool   `json:"cancelled,omitempty"`
}

// Summarize is a feature as its row in a list has it.
func Summarize(r *kernel.Run) Summary {
	s := Summary{FeatureID: string(r.ID()), RunID: RunOf(r, Current(r).Pass), Title: titleOf(r), Status: StatusOf(r), WaitingFor: WaitingFor(r),
		UpdatedAt: stamp(r.Updated()), Rehearsal: r.Provider() == kernel.ProviderRehearsal}
	if v, _ := Newest(r); v != nil {
		s.SpecVersion = string(v.ID)
	}
	s.Cancelled = isCancelled(r)
	if r.Status() == kernel.RunFailed {
		s.LastError = lastError(r)
	}
	return s
}

func isCancelled(r *kernel.Run) bool {
	s := r.Status()
	return s == kernel.RunCancelled || s == kernel.RunDropped
}

// titleOf is what the newest spec is called, or what the feature began with while there is none.
func titleOf(r *kernel.Run) string {
	at := Current(r)
	for pass := at.Pass; pass > 0; pass-- {
		for round := lastRound(r, pass); round > 0; round-- {
			n, ok := r.Node(Place{pass, round}.Node(partValidate))
			if !ok {
				continue
			}
			if p, err := ParamsOf(n.Node()); err == nil && p.Feature != "" {
				return p.Feature
			}
		}
	}
	return r.Title()
}

// lastError is what the step of a failed feature came to.
func lastError(r *kernel.Run) string {
	for n := range r.Nodes() {
		if f := n.Failure(); f != nil && n.Status() == kernel.StatusFailed {
			return fmt.Sprintf("%s: %s: %s", n.Node().Step, f.Code, cut(strings.Join(strings.Fields(f.Message), " "), 300))
		}
	}
	return ""
}

func summary(r *kernel.Run) json.RawMessage {
	raw, err := json.Marshal(Summarize(r))
	if err != nil {
		return nil
	}
	return raw
}

// WaitingFor says what a person must give: answers, a review, input, or nothing.
func WaitingFor(r *kernel.Run) string {
	for a := range r.OpenAsks() {
		n, ok := r.Node(a.Node)
		if !ok {
			continue
		}
		switch n.Node().Step {
		case answersStep:
			return "answers"
		case string(StepReview):
			return "review"
		case inputStep:
			return "input"
		}
		return "decision"
	}
	return ""
}

// RunOf gives the R-… of a pass.
func RunOf(r *kernel.Run, pass int) string {
	n, ok := r.Node(Place{Pass: pass}.Input())
	if !ok {
		return ""
	}
	p, err := ParamsOf(n.Node())
	if err != nil {
		return ""
	}
	return p.RunID
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// LastGate is the newest gate result of the current pass, or nil.
func LastGate(r *kernel.Run) *kernel.Version {
	for at := Current(r); at.Round > 0; at.Round-- {
		for _, part := range []string{partReady, partValidate} {
			if v := r.Approved(at.Node(part)); v != nil {
				return v
			}
		}
	}
	return nil
}

// DecodeGate reads a gate result.
func DecodeGate(raw []byte) (GateResult, error) {
	var g GateResult
	err := decode(raw, &g)
	return g, err
}
