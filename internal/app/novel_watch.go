package app

import (
	"context"
	"time"

	"sluice/internal/kernel"
	"sluice/internal/line/novel"
)

// NovelProgress tells of one step of a book that began, was done or failed, or of another fact about it.
type NovelProgress struct {
	Project string
	Step    string
	Chapter int // 0: a step of the whole book
	Scene   int
	Title   string // of a chapter whose text is done
	State   ProgressState
	Words   int // of what was written; -1 where nothing was
	Elapsed time.Duration
	Tokens  int // of this step
	Total   int // tokens of the book so far
	Error   string
	Fact    kernel.Fact // of Other
}

// ProgressState is the sort of a progress. The zero value is invalid.
type ProgressState string

const (
	StepBegan  ProgressState = "began"
	StepEnded  ProgressState = "done"
	StepBroke  ProgressState = "failed"
	OtherEvent ProgressState = "other"
)

// WatchNovel tells what happens to books from now on, in place of what was told before. Other runs are told of as before.
// It must be called before anything is driven.
func (a *App) WatchNovel(ctx context.Context, show func(NovelProgress)) {
	before := a.Engine.Observe
	a.Engine.Observe = func(r *kernel.Run, events []kernel.Event) {
		if r.Line() != novel.Name {
			if before != nil {
				before(r, events)
			}
			return
		}
		for _, e := range events {
			if p, ok := a.novelProgress(ctx, r, e); ok {
				show(p)
			}
		}
	}
}

func (a *App) novelProgress(ctx context.Context, r *kernel.Run, e kernel.Event) (NovelProgress, bool) {
	u := r.Usage()
	p := NovelProgress{Project: novel.ProjectOf(r), State: OtherEvent, Words: -1, Total: u.InputTokens + u.OutputTokens, Fact: e.Fact}
	switch f := e.Fact.(type) {
	case kernel.NodesAdded, kernel.VersionApproved, kernel.VersionRejected, kernel.VersionStored, kernel.ReviewRecorded, kernel.AskClosed, kernel.RunRelabelled:
		return p, false // what is worth telling of them is told when the attempt ends
	case kernel.AttemptBegan:
		p.at(r, f.Node)
		p.State = StepBegan
		return p, f.Performer.Kind == kernel.Engine
	case kernel.AttemptClosed:
		p.at(r, f.Node)
		p.Elapsed, p.Tokens = e.At.Sub(f.Snapshot.Began), f.Snapshot.Usage.InputTokens+f.Snapshot.Usage.OutputTokens
		return a.stepClosed(ctx, r, f, p), f.Snapshot.Outcome != kernel.Withdrawn
	}
	return p, true
}

// at names the step of a node.
func (p *NovelProgress) at(r *kernel.Run, id kernel.NodeID) {
	if n, ok := r.Node(id); ok {
		p.Step = n.Node().Step
	}
	p.Chapter, p.Scene = novel.ChapterOf(id), novel.SceneNumber(id)
}

func (a *App) stepClosed(ctx context.Context, r *kernel.Run, f kernel.AttemptClosed, p NovelProgress) NovelProgress {
	p.State = StepEnded
	if n := len(f.Snapshot.Errors); n > 0 && len(f.Snapshot.Versions) == 0 {
		p.State, p.Error = StepBroke, f.Snapshot.Errors[n-1].Message
		return p
	}
	for _, id := range f.Snapshot.Versions {
		v, ok := r.Version(id)
		if !ok {
			continue
		}
		if words, title, err := novel.WordsOf(a.bodies(ctx, r), v); err == nil {
			p.Words, p.Title = words, title
		}
	}
	return p
}
