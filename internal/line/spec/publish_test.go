package spec

import (
	"testing"
	"time"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// publish records a publication and shows its snapshot.
func (h *house) publish(r *kernel.Run, p Publication) {
	h.t.Helper()
	p.Began, p.Ended, p.By = time.Unix(2_000_000, 0), time.Unix(2_000_001, 0), kernel.Actor{Kind: kernel.Person, Name: "ann"}
	commands, body, err := p.Record(r)
	if err != nil {
		h.t.Fatal(err)
	}
	var events []kernel.Event
	for _, c := range commands {
		more, err := kernel.Apply(r, c)
		if err != nil {
			h.t.Fatalf("%T: %v", c, err)
		}
		events = append(events, more...)
	}
	for _, v := range kernel.Audit(r) {
		h.t.Error(v)
	}
	files, err := records(line.Happened{Run: r, Events: events, Body: func(*kernel.Version) ([]byte, error) { return body, nil }})
	if err != nil {
		h.t.Fatal(err)
	}
	for _, f := range files {
		h.files[f.Path] = string(f.Body)
	}
	h.validate()
}

func TestPublishingIsAStepOfItsOwn(t *testing.T) {
	h := newHouse(t, brief)
	if _, err := Publishable(h.drive(), ""); fault.CodeOf(err) != fault.IllegalStep {
		t.Errorf("publishing without a review: %v", err)
	}
	h = newHouse(t, brief)
	h.verdict = Go
	r := h.drive()
	if _, err := Publishable(r, "S-20200101-0001"); fault.CodeOf(err) != fault.StaleVerdict {
		t.Errorf("publishing another version: %v", err)
	}
	h.publish(r, Publication{At: Current(r), Target: "webhook", Log: "E-9999", Failure: &kernel.StepError{Code: "publish_failed", Message: "503", Class: kernel.Retryable, Retries: 3, Final: true}})
	if s := h.snapshot("008_publish"); StatusOf(r) != ExecutableReady || s.SpecVersionOut != nil || len(s.Errors) != 1 || len(s.EvidenceLinks) != 1 {
		t.Errorf("after a failure the feature is %s: %+v", StatusOf(r), s)
	}
	for range 2 { // the second time it is a noop outside, and a step all the same
		h.publish(r, Publication{At: Current(r), Target: "webhook", Result: []byte(`{"operation":"created"}`)})
	}
	s := h.snapshot("010_publish")
	if StatusOf(r) != Published || *s.SpecVersionIn != *s.SpecVersionOut || string(s.Outputs.PublishResult) == "" {
		t.Errorf("the feature is %s: %+v", StatusOf(r), s)
	}
	if _, err := Decide(r, kernel.Actor{}, Verdict{Decision: Drop, Reason: "late"}); fault.CodeOf(err) != fault.IllegalStep {
		t.Errorf("a review of what is published: %v", err)
	}
	if _, err := Decide(r, kernel.Actor{}, Verdict{Decision: "maybe"}); fault.CodeOf(err) != fault.IllegalStep { // and no way on that is none
		t.Errorf("no review of what is published: %v", err)
	}
	if nodes, labels, err := Amend(r, "R-20261116-0001"); err != nil || len(nodes) != 3 || labels["R-20261116-0001"] != LabelRun {
		t.Errorf("amending what is published: %v %v %v", nodes, labels, err)
	}
}
