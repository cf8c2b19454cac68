package app

import (
	"context"
	"fmt"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel"
	"sluice/internal/line/novel/story"
)

// SceneDoc says what became of a scene.
type SceneDoc struct {
	Project       string         `json:"project"`
	ChapterNumber int            `json:"chapter_number"`
	SceneNumber   int            `json:"scene_number"`
	Action        novel.Action   `json:"action"`
	Path          string         `json:"path"`
	Words         int            `json:"words"`
	Next          []fault.Action `json:"next_actions"`
}

// gatedChapter finds a chapter that something is to be generated of, and refuses it where the book is gated or it is locked.
func (a *App) gatedChapter(ctx context.Context, name string, chapter int) (*kernel.Run, error) {
	run, err := a.chapterOf(ctx, name, chapter)
	if err != nil {
		return nil, err
	}
	if err := refuseClosed(run); err != nil {
		return nil, err
	}
	if err := novel.RefuseLocked(run, []int{chapter}); err != nil {
		return nil, err
	}
	return run, novel.Gate(run, a.bodies(ctx, run), novel.Request{Chapters: []int{chapter}, Listed: true})
}

// GenerateScene writes one scene of a planned chapter. One that is written is written again; the chapter takes it in when
// its scenes are merged.
func (a *App) GenerateScene(ctx context.Context, name string, chapter, scene int) (SceneDoc, error) {
	run, err := a.gatedChapter(ctx, name, chapter)
	if err != nil {
		return SceneDoc{}, err
	}
	list, node, err := novel.WishScene(run, a.bodies(ctx, run), a.stamp(), chapter, scene)
	if err != nil {
		return SceneDoc{}, err
	}
	project := novel.ProjectOf(run)
	d := SceneDoc{Project: project, ChapterNumber: chapter, SceneNumber: scene, Action: novel.Generated, Path: story.Dir(project) + "/" + story.SceneFile(chapter, scene)}
	if run.Approved(node) != nil {
		d.Action = novel.Regenerated
	}
	command := fmt.Sprintf("sluice novel scene generate %s %d %d", project, chapter, scene)
	run, err = a.inPhases(ctx, run, command, func(*kernel.Run, line.Body) (novel.Stage, error) {
		return novel.Stage{Deeds: list, Drive: []kernel.NodeID{node}}, nil
	})
	if err != nil {
		return d, err
	}
	if err := failedNode(run, node, command); err != nil {
		return d, err
	}
	s, err := novel.SceneOf(run, a.bodies(ctx, run), chapter, scene)
	if s != nil {
		d.Words = s.WordCount
	}
	d.Next = []fault.Action{{Action: "merge", Command: fmt.Sprintf("sluice novel scene merge %s %d", project, chapter), Why: "it puts the chapter together from its scenes"}}
	if _, lacking := novel.WishMerge(run, a.bodies(ctx, run), a.stamp(), chapter); lacking != nil {
		d.Next = orEmpty(fault.From(lacking).Next)
	}
	return d, err
}

// MergeScenes puts a chapter together from its scenes as they stand, and ends with the same stages as writing it does.
func (a *App) MergeScenes(ctx context.Context, name string, chapter int, tell func(NovelNotice)) (NovelRunDoc, error) {
	run, err := a.gatedChapter(ctx, name, chapter)
	if err != nil {
		return NovelRunDoc{}, err
	}
	if _, err := novel.WishMerge(run, a.bodies(ctx, run), a.stamp(), chapter); err != nil {
		return NovelRunDoc{}, err
	}
	goal := novel.Goal{Until: novel.StepText, Alone: true, Chapters: []int{chapter}, Merge: true}
	before := novel.Mark(run, goal)
	prepare := func(r *kernel.Run) ([]novel.Deed, error) {
		list, err := novel.WishMerge(r, a.bodies(ctx, r), a.stamp(), chapter)
		return append(list, novel.Reopen(r, a.stamp(), goal)...), err
	}
	return a.leadNovel(ctx, run, goal, before, prepare, tell, fmt.Sprintf("sluice novel scene merge %s %d", novel.ProjectOf(run), chapter))
}
