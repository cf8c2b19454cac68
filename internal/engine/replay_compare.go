package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// compare holds the end of a repeated step against the recorded one.
func (r *replay) compare(ctx context.Context, f *flight, c closed, out *line.Out, step ended) (*Difference, error) {
	outcome := c.fact.Snapshot.Outcome
	hasEnd := outcome == kernel.Delivered || outcome == kernel.Judged
	switch {
	case step.err != nil && hasEnd:
		what := "error"
		if step.isReply {
			what = "reply"
		}
		return &Difference{What: what, Message: "the step does not come to its end any more", Recorded: string(outcome),
			Repeated: fault.From(step.err).Error()}, nil
	case step.err != nil:
		return r.compareFailure(c, step.err)
	case !hasEnd:
		return &Difference{What: "error", Message: "the step failed and does not fail any more", Recorded: string(outcome), Repeated: "done"}, nil
	}
	if d, err := r.compareContent(ctx, c, out); d != nil || err != nil {
		return d, err
	}
	if d := compareAccount(c, out); d != nil {
		return d, nil
	}
	if recorded := c.review(); recorded != nil {
		if d := compareReview(*recorded, out); d != nil {
			return d, nil
		}
		r.out.Results++
	}
	r.out.Steps++
	return nil, nil
}

// compareFailure holds the error of a step against the recorded one.
func (r *replay) compareFailure(c closed, err error) (*Difference, error) {
	now := stepError(err)
	for _, e := range c.fact.Snapshot.Errors {
		if e.Final && e.Code != now.Code {
			return &Difference{What: "error", Message: "the step fails in another way", Recorded: e.Code + ": " + e.Message,
				Repeated: now.Code + ": " + now.Message}, nil
		}
	}
	r.out.Steps++
	return nil, nil
}

// compareContent holds the bytes of what was delivered against the recorded ones.
func (r *replay) compareContent(ctx context.Context, c closed, out *line.Out) (*Difference, error) {
	stored := c.version()
	if stored == nil {
		if out.Body == nil {
			return nil, nil
		}
		return &Difference{What: "content", Message: "the step delivers what is not recorded", Recorded: "nothing", Repeated: snippet(string(out.Body))}, nil
	}
	v := stored.Version
	content, _ := contentOf(out)
	was, now := []string{v.Schema}, []string{content.Schema}
	if content.ID != "" {
		was, now = append(was, string(v.ID)), append(now, string(content.ID))
	}
	for _, p := range v.Parts {
		was = append(was, p.Path+" "+string(p.Digest))
	}
	for _, p := range content.Parts {
		now = append(now, p.Path+" "+string(p.Digest))
	}
	if w, n := strings.Join(was, "\n"), strings.Join(now, "\n"); w != n {
		return &Difference{What: "content", Version: v.ID, Message: "the version has another id, schema or other parts", Recorded: w, Repeated: n}, nil
	}
	if v.Digest == content.Digest {
		r.out.Versions++
		r.out.Schemas[v.Schema]++
		return nil, nil
	}
	recorded, err := r.e.Journal.Blob(ctx, string(r.run.ID()), c.first, v.Digest)
	if err != nil {
		return nil, err
	}
	if digest.Of(recorded) != v.Digest {
		return nil, fault.New(fault.StoreCorrupt, string(v.ID), "the bytes of version %s do not hash to its digest", v.ID)
	}
	d := differing(recorded, out.Body)
	d.Version = v.ID
	return d, nil
}

// compareAccount holds what a step tells about itself against what is recorded.
func compareAccount(c closed, out *line.Out) *Difference {
	type told struct {
		Decisions []kernel.Decision `json:"decisions"`
		Evidence  []kernel.Evidence `json:"evidence"`
		Body      json.RawMessage   `json:"body"`
	}
	was := told{c.fact.Snapshot.Decisions, c.evidence(), c.fact.Snapshot.Body}
	now := told{out.Account.Decisions, out.Account.Evidence, out.Account.Body}
	return differingJSON("account", was, now)
}

// compareReview holds the verdict of a check against the recorded one.
func compareReview(was kernel.Review, out *line.Out) *Difference {
	now := out.Review
	type verdict struct {
		Verdict  kernel.Verdict     `json:"verdict"`
		Score    *float64           `json:"score"`
		Criteria []kernel.Criterion `json:"criteria"`
		Findings []kernel.Finding   `json:"findings"`
		Summary  string             `json:"summary"`
		Detail   json.RawMessage    `json:"detail"`
	}
	return differingJSON("result", verdict{was.Verdict, was.Score, was.Criteria, was.Findings, was.Summary, was.Detail},
		verdict{out.Verdict, now.Score, now.Criteria, now.Findings, now.Summary, now.Detail})
}

// ruling repeats the rule of a gate.
func (r *replay) ruling(ctx context.Context, was kernel.Review) (*Difference, error) {
	n, ok := r.run.Node(was.Node)
	v, there := r.run.Version(was.Version)
	if !ok || !there {
		return nil, nil
	}
	body, err := r.body(ctx, v)
	if err != nil {
		return nil, err
	}
	res, err := r.rule(n.Node(), body)
	if err != nil {
		return nil, err
	}
	if res == nil {
		return &Difference{What: "result", Node: was.Node, Version: was.Version, Message: "the node has no rule", Recorded: was.By.Name}, nil
	}
	type ruled struct {
		Pass     bool             `json:"pass"`
		Score    *float64         `json:"score"`
		Findings []kernel.Finding `json:"findings"`
		Detail   json.RawMessage  `json:"detail"`
	}
	d := differingJSON("result", ruled{was.Verdict == kernel.ForIt, was.Score, was.Findings, was.Detail}, ruled{res.Pass, res.Score, res.Findings, res.Detail})
	if d == nil {
		r.out.Results++
		return nil, nil
	}
	d.Node, d.Step, d.Version = was.Node, n.Node().Step, was.Version
	return d, nil
}

// unfolding asks the line again what follows an approved version.
func (r *replay) unfolding(ctx context.Context, was kernel.NodesAdded, v *kernel.Version) (*Difference, error) {
	if r.line.Unfold == nil {
		return nil, nil
	}
	n, _ := r.run.Node(v.Node)
	body, err := r.body(ctx, v)
	if err != nil {
		return nil, err
	}
	follow, err := r.line.Unfold(line.Unfolding{Run: r.run, Node: n.Node(), Version: *v, Body: body})
	if err != nil {
		return &Difference{What: "followers", Node: v.Node, Version: v.ID, Message: "the line cannot say any more what follows", Repeated: err.Error()}, nil
	}
	wanted := []kernel.Node{}
	for _, one := range follow.Nodes {
		if _, there := r.run.Node(one.ID); !there {
			wanted = append(wanted, one)
		}
	}
	d := differingJSON("followers", append([]kernel.Node{}, was.Nodes...), wanted)
	if d == nil {
		r.out.Unfoldings++
		return nil, nil
	}
	d.Node, d.Version = v.Node, v.ID
	return d, nil
}

// differingJSON compares two values of one type as the journal keeps them.
func differingJSON[T any](what string, was, now T) *Difference {
	a, err1 := journaled(was)
	b, err2 := journaled(now)
	if err1 != nil || err2 != nil {
		return &Difference{What: what, Message: "it does not marshal", Recorded: fmt.Sprint(err1), Repeated: fmt.Sprint(err2)}
	}
	if bytes.Equal(a, b) {
		return nil
	}
	d := differing(a, b)
	d.What = what
	return d
}

// journaled renders a value as it comes back from the journal: what is empty and what is absent are one there.
func journaled[T any](value T) ([]byte, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var back T
	if err := json.Unmarshal(raw, &back); err != nil {
		return nil, err
	}
	if raw, err = json.MarshalIndent(back, "", " "); err != nil {
		return nil, err
	}
	return bytes.ReplaceAll(raw, []byte(": []"), []byte(": null")), nil
}

// differing shows the first line in which two texts differ.
func differing(recorded, repeated []byte) *Difference {
	was, now := strings.Split(string(recorded), "\n"), strings.Split(string(repeated), "\n")
	at := 0
	for at < len(was) && at < len(now) && was[at] == now[at] {
		at++
	}
	lineOf := func(lines []string) string {
		if at >= len(lines) {
			return ""
		}
		return snippet(lines[at])
	}
	return &Difference{What: "content", Message: fmt.Sprintf("line %d differs", at+1), Recorded: lineOf(was), Repeated: lineOf(now)}
}

// snippet keeps a line short.
func snippet(s string) string {
	const most = 400
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
