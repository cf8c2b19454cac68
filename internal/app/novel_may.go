package app

import (
	"context"

	"sluice/internal/line/novel"
)

// MayRunNovel refuses what RunNovel would refuse before it runs: for doors that let the work itself go on behind them.
func (a *App) MayRunNovel(ctx context.Context, w NovelRun) error {
	if err := novel.CheckStep(w.Until); err != nil {
		return err
	}
	run, _, err := a.book(ctx, w.Name)
	if err != nil {
		return err
	}
	_, err = a.novelGoal(ctx, run, w)
	return err
}

// MayGenerateScene refuses what GenerateScene would refuse before it runs.
func (a *App) MayGenerateScene(ctx context.Context, name string, chapter, scene int) error {
	run, err := a.gatedChapter(ctx, name, chapter)
	if err != nil {
		return err
	}
	_, _, err = novel.WishScene(run, a.bodies(ctx, run), a.stamp(), chapter, scene)
	return err
}

// MayMergeScenes refuses what MergeScenes would refuse before it runs.
func (a *App) MayMergeScenes(ctx context.Context, name string, chapter int) error {
	run, err := a.gatedChapter(ctx, name, chapter)
	if err != nil {
		return err
	}
	_, err = novel.WishMerge(run, a.bodies(ctx, run), a.stamp(), chapter)
	return err
}

// HasReport tells whether the report that a step makes is there for the text of a chapter that stands. A chapter that is
// not there or has no text is refused.
func (a *App) HasReport(ctx context.Context, name string, chapter int, step string) (bool, error) {
	run, err := a.chapterOf(ctx, name, chapter)
	if err != nil {
		return false, err
	}
	list, node, err := novel.WishReport(run, a.bodies(ctx, run), a.stamp(), chapter, step, false)
	return len(list) == 0 && node == "", err
}

// MayMakeCandidate refuses what MakeCandidate would refuse before it runs.
func (a *App) MayMakeCandidate(ctx context.Context, name string, chapter int) error {
	run, err := a.chapterOf(ctx, name, chapter)
	if err != nil {
		return err
	}
	_, _, err = novel.WishCandidate(run, a.bodies(ctx, run), a.stamp(), chapter)
	return err
}
