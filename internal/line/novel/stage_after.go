package novel

import (
	"sluice/internal/kernel"
	"sluice/internal/line/novel/story"
)

// aftermath is what becomes of a chapter once its text is there.
type aftermath struct {
	*chapterStage
	text        kernel.View
	made        *kernel.Version
	settings    story.Settings
	consistency *story.ConsistencyReport // on the text that was made; nil if there is none
	logic       *story.LogicReviewReport
	logicFailed *kernel.StepError
	stage       Stage
}

// after is the stage of a chapter with a text: memory, consistency and logic side by side, then the revision.
func (c *chapterStage) after() (Stage, *End, error) {
	text, _ := c.run.Node(c.id(StepText))
	a := aftermath{chapterStage: c, text: text, made: made(text)}
	a.want(memoryNode(c.number)) // one that failed is reported and holds nothing up
	if a.made == nil {
		return a.stage, a.reached(nil), nil
	}
	var err error
	if a.settings, err = c.settingsAt(a.made); err != nil {
		return Stage{}, nil, err
	}
	failed, err := a.check()
	if err != nil || !a.stage.isEmpty() {
		return a.stage, nil, err
	}
	if failed == nil {
		if err := a.revise(); err != nil || !a.stage.isEmpty() {
			return a.stage, nil, err
		}
	}
	return a.stage, a.reached(failed), nil
}

// want records and performs a node that is not done. One that failed is left.
func (a *aftermath) want(spec kernel.Node) (status kernel.Status) {
	st, end := a.node(spec)
	if end != nil {
		return kernel.StatusFailed
	}
	if st.isEmpty() {
		return kernel.StatusDone
	}
	a.stage.Deeds = append(a.stage.Deeds, st.Deeds...)
	a.stage.Drive = append(a.stage.Drive, st.Drive...)
	return kernel.StatusRunning
}

// report wants a report on the text that was made, or on what was put in its place. An older one is made again.
func (a *aftermath) report(step string, since int64) kernel.Status {
	spec := reportNode(a.number, step)
	if n, ok := a.run.Node(spec.ID); ok && n.Status() == kernel.StatusDone && n.Approved().Seq < since {
		a.stage.Deeds = append(a.stage.Deeds, Deed{Command: kernel.Revise{Stamp: a.guide.stamp, Nodes: []kernel.NodeID{spec.ID}}})
		a.stage.Drive = append(a.stage.Drive, spec.ID)
		return kernel.StatusRunning
	}
	return a.want(spec)
}

// check wants the reports. Under auto_apply the logic of the text that stands afterwards is reviewed, so it comes later.
func (a *aftermath) check() (failed *kernel.View, err error) {
	switch a.report(StepConsistency, a.made.Seq) {
	case kernel.StatusFailed:
		n, _ := a.run.Node(a.id(StepConsistency))
		failed = &n
	case kernel.StatusDone:
		r, err := decodeVersion[story.ConsistencyReport](a.body, a.run.Approved(a.id(StepConsistency)))
		if err != nil {
			return failed, err
		}
		a.consistency = &r
	}
	isBlocking := a.settings.LogicReviewPolicy == story.LogicBlocking
	if isBlocking && a.settings.RevisionPolicy != story.AutoApply {
		err = a.review()
	}
	return failed, err
}

// review wants the logic review.
func (a *aftermath) review() error {
	switch a.report(StepLogic, a.made.Seq) {
	case kernel.StatusFailed:
		n, _ := a.run.Node(a.id(StepLogic))
		a.logicFailed = n.Failure()
	case kernel.StatusDone:
		r, err := decodeVersion[story.LogicReviewReport](a.body, a.run.Approved(a.id(StepLogic)))
		if err != nil {
			return err
		}
		a.logic = &r
	}
	return nil
}

// revise is the revision stage: what the policies make of the reports.
func (a *aftermath) revise() error {
	notes := ""
	if a.consistency != nil {
		notes = a.consistency.Notes()
	}
	if notes != "" && a.settings.RevisionPolicy == story.AutoApply && !a.isSettled() {
		if err := a.autoApply(notes); err != nil || !a.stage.isEmpty() {
			return err
		}
	}
	if a.settings.LogicReviewPolicy == story.LogicBlocking && a.settings.RevisionPolicy == story.AutoApply {
		if err := a.review(); err != nil || !a.stage.isEmpty() {
			return err
		}
	}
	if a.isDecided() {
		return nil
	}
	isBad := a.logicFailed != nil || a.logic != nil && !a.logic.IsPassed(a.settings.LogicReviewMinScore)
	isManual := notes != "" && a.settings.RevisionPolicy == story.ManualConfirm
	if !isBad && !isManual {
		return nil
	}
	return a.hold(isManual, isBad)
}

// isSettled tells whether the text that was made is not the one that stands: a revision was applied, or a person wrote.
func (a *aftermath) isSettled() bool { return a.text.Approved() != a.made }

// isDecided tells whether there is a revision of this text already, whatever became of it.
func (a *aftermath) isDecided() bool {
	n, ok := a.run.Node(a.id(StepRevision))
	return ok && n.Newest() != nil && n.Newest().Seq > a.made.Seq
}

// autoApply has the chapter revised and puts the result in its place. If that fails the original stays.
func (a *aftermath) autoApply(notes string) error {
	candidate, status := a.candidate(story.ByConsistency, notes)
	if status != kernel.StatusDone || candidate.Digest == a.made.Digest {
		return nil
	}
	body, err := a.body(candidate)
	if err != nil {
		return err
	}
	a.stage.Deeds = append(a.stage.Deeds, submit(a.guide.stamp, a.id(StepText), SchemaText, body, "revised by the notes of the consistency check", candidate.ID))
	return nil
}

// candidate wants the chapter revised by notes.
func (a *aftermath) candidate(by story.Trigger, notes string) (*kernel.Version, kernel.Status) {
	spec, deeds := wishCandidate(a.run, a.number, by, notes, a.guide.stamp)
	if len(deeds) > 0 {
		a.stage.Deeds = append(a.stage.Deeds, deeds...)
		a.stage.Drive = append(a.stage.Drive, spec.ID)
		return nil, kernel.StatusRunning
	}
	status := a.want(spec)
	return a.run.Approved(spec.ID), status
}

// hold makes the revision pending: with the candidate where people are to confirm one, and with every reason there is.
func (a *aftermath) hold(isManual, isBad bool) error {
	rev := a.pendingRevision(isManual, isBad)
	var sources []kernel.VersionID
	if isManual {
		candidate, status := a.candidate(rev.TriggeredBy, rev.RevisionNotes)
		if status == kernel.StatusRunning {
			return nil
		}
		if candidate != nil && status == kernel.StatusDone { // else it is pending without one, and can be asked for again
			c, err := decodeVersion[story.GeneratedChapter](a.body, candidate)
			if err != nil {
				return err
			}
			rev.RevisedChapter = &c
			sources = append(sources, candidate.ID)
		}
	}
	deeds, err := holdDeeds(a.run, a.guide.stamp, rev, sources)
	a.stage.Deeds = append(a.stage.Deeds, deeds...)
	return err
}

// pendingRevision collects why the chapter is held.
func (a *aftermath) pendingRevision(isManual, isBad bool) story.RevisionStatus {
	rev := story.RevisionStatus{ChapterNumber: a.number, Status: story.RevisionPending, TriggeredBy: story.ByConsistency,
		Base: string(a.text.Approved().Digest), CreatedAt: timeText(a.guide.stamp.At)}
	var notes []string
	if isManual {
		notes = append(notes, a.consistency.Notes())
		rev.Issues = append(rev.Issues, a.consistency.RevisionIssues()...)
	}
	if isBad {
		rev.TriggeredBy = story.ByLogicReview
		notes = append(notes, logicNotes(a.logic, a.logicFailed, a.settings.LogicReviewMinScore))
		if a.logic != nil {
			rev.Issues = append(rev.Issues, a.logic.RevisionIssues()...)
		}
	}
	rev.RevisionNotes = joinNotes(notes)
	return rev
}

// reached is the end of a chapter for which nothing is left to do; nil while there is something.
func (a *aftermath) reached(failed *kernel.View) *End {
	if !a.stage.isEmpty() {
		return nil
	}
	if failed != nil {
		return failedEnd(a.number, *failed)
	}
	end := &End{Chapter: a.number, State: Reached, Revision: a.outcome()}
	if end.Revision == RevisionReported || end.Revision == RevisionFailed {
		end.Fixable = a.consistency.Fixable()
	}
	return end
}

// outcome is what became of the issues that say how they are fixed.
func (a *aftermath) outcome() RevisionOutcome {
	if a.consistency == nil || a.consistency.Notes() == "" {
		return RevisionNeedless
	}
	switch a.settings.RevisionPolicy {
	case story.ManualConfirm:
		return RevisionDecided
	case story.AutoApply:
		if a.isSettled() {
			return RevisionApplied
		}
		if last, ok := lastCandidate(a.run, a.number); ok && last.Status() == kernel.StatusFailed {
			return RevisionFailed
		}
		return RevisionNeedless // the revision came out as the text that stands
	}
	return RevisionReported
}
