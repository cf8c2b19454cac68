package app

import (
	"context"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line/novel"
)

// isRevision tells whether an ask is about the pending revision of a chapter.
func isRevision(run *kernel.Run, ask *kernel.Ask) bool {
	n, ok := run.Node(ask.Node)
	return run.Line() == novel.Name && ok && n.Node().Step == novel.StepRevision
}

// answerRevision decides a pending revision from the inbox, as novel apply and novel reject do.
func (a *App) answerRevision(ctx context.Context, run *kernel.Run, ask *kernel.Ask, r Reply) (RunDoc, error) {
	if r.Digest != "" && r.Digest != ask.Digest {
		return RunDoc{}, fault.New(fault.StaleVerdict, string(ask.ID), "ask %s is about %s, not about %s", ask.ID, ask.Digest.Short(), r.Digest.Short()).
			With(fault.Action{Action: "inbox", Command: "sluice inbox " + string(run.ID()), Why: "it shows what stands now"})
	}
	project, chapter := novel.ProjectOf(run), novel.ChapterOf(ask.Node)
	var decided RevisionDoc
	var err error
	switch r.Choice {
	case "approve", "apply", "":
		decided, err = a.ApplyRevision(ctx, project, chapter, false)
	case "reject":
		decided, err = a.RejectRevision(ctx, project, chapter, r.Reason)
	default:
		err = fault.New(fault.BadValue, r.Choice, "%q is no answer to ask %s; it takes apply or reject", r.Choice, ask.ID)
	}
	if err != nil {
		return RunDoc{}, err
	}
	if run, err = a.Engine.Load(ctx, run.ID()); err != nil {
		return RunDoc{}, err
	}
	if r.Run {
		return a.driveBook(ctx, run)
	}
	d := a.runDoc(ctx, run)
	d.Next = decided.Next // chapters that nobody began are not in the run yet, and the book goes on with them
	return d, nil
}

// driveBook lets a book go on, as novel run does.
func (a *App) driveBook(ctx context.Context, run *kernel.Run) (RunDoc, error) {
	if _, err := a.RunNovel(ctx, NovelRun{Name: novel.ProjectOf(run)}); err != nil {
		return a.runDoc(ctx, run), err
	}
	now, err := a.Engine.Load(ctx, run.ID())
	return a.outcome(ctx, now, err)
}

// refuseOnBook keeps the general commands from changing chapters that are locked, from deciding a revision by another name,
// and from beginning anything behind a chapter that waits for one.
func (a *App) refuseOnBook(ctx context.Context, run *kernel.Run, c kernel.Command) error {
	if run.Line() != novel.Name {
		return nil
	}
	var named, touched []kernel.NodeID
	isMaking := true
	switch c := c.(type) {
	case kernel.Revise:
		named, touched = c.Nodes, c.Nodes
	case kernel.Rollback:
		named, touched, isMaking = c.Nodes, append(novel.Downstream(run, c.Nodes), c.Nodes...), false
	case kernel.Resume:
		if c.From != "" {
			named = []kernel.NodeID{c.From}
			touched = append(novel.Downstream(run, named), c.From)
		}
	}
	if err := novel.RefuseLocked(run, chaptersOf(touched)); err != nil {
		return err
	}
	if err := novel.RefuseUndecided(run, named); err != nil || !isMaking {
		return err
	}
	return novel.Gate(run, a.bodies(ctx, run), novel.Request{Chapters: chaptersOf(novel.Written(named)), Listed: true})
}
