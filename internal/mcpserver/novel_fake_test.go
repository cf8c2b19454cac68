package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"sluice/internal/app"
	"sluice/internal/fault"
	"sluice/internal/line/novel"
	"sluice/internal/line/novel/briefing"
	"sluice/internal/line/novel/story"
)

// The desk's books are those that begin with mybook; each has a chapter 2 that waits for revision.
const gatedAt = 2

func (d deskFor) book(name string) error {
	if strings.HasPrefix(name, "mybook") {
		return nil
	}
	return fault.New(fault.UnknownProject, name, "there is no project %s", name).With(fault.Action{Action: "list", Command: "sluice novel list"})
}

// gate refuses what comes after the chapter that waits.
func (d deskFor) gate(name string, chapter int) error {
	if err := d.book(name); err != nil {
		return err
	}
	if chapter <= gatedAt {
		return nil
	}
	f := fault.New(fault.RevisionPending, name, "chapter %d waits for revision; chapter %d cannot be generated", gatedAt, chapter).
		With(fault.Action{Action: "review", Command: "sluice novel review mybook 2"})
	f.Fields = fmt.Appendf(nil, `{"blocked_chapter":%d,"target_chapter":%d}`, gatedAt, chapter)
	return f
}

func (d deskFor) ShowNovel(_ context.Context, name string) (app.NovelShown, error) {
	return app.NovelShown{
		StatusDoc: novel.StatusDoc{Project: name, Steps: map[string]string{"world": "done"}, Chapters: []novel.ChapterStatus{{ChapterNumber: 1, Written: true}},
			BlockedChapter: new(gatedAt)},
		Block: &novel.Block{BlockedChapter: gatedAt, RevisionStatusFile: "projects/" + name + "/chapters/chapter_002_revision.json", PendingChapters: []int{gatedAt}},
		Next:  []fault.Action{{Action: "review", Command: "sluice novel review " + name + " 2"}},
	}, d.book(name)
}

func (d deskFor) ListNovels(context.Context, int, string) (app.NovelListDoc, error) {
	return app.NovelListDoc{Projects: []app.NovelRow{{Project: "mybook", Path: "projects/mybook", Status: "parked"}}}, nil
}

func (d deskFor) NovelMemory(_ context.Context, w app.NovelMemory) (app.MemoryDoc, error) {
	d.note("memory %s rebuild %v", w.Name, w.Rebuild)
	return app.MemoryDoc{Project: w.Name, Entries: []story.ChapterMemoryEntry{}, Failed: []int{}}, d.book(w.Name)
}

func (d deskFor) NovelContext(_ context.Context, name string, chapter int) (app.ContextDoc, error) {
	return app.ContextDoc{Project: name, ChapterNumber: chapter, Prompts: []briefing.Account{}}, d.book(name)
}

func (d deskFor) StaleNovel(_ context.Context, name string) (app.StaleDoc, error) {
	return app.StaleDoc{Project: name, Stale: []app.StaleRow{}, Affected: []int{}, Next: []fault.Action{}}, d.book(name)
}

func (d deskFor) NewNovel(_ context.Context, w app.NovelNew) (app.NovelDoc, error) {
	d.note("new book %s of %s chapters", w.Name, w.Set["target_chapters"])
	return app.NovelDoc{Project: w.Name, Settings: w.Settings}, nil
}

func (d deskFor) SetNovel(_ context.Context, name string, set map[string]string) (app.NovelDoc, error) {
	d.note("set %s %v", name, set)
	return app.NovelDoc{Project: name}, d.book(name)
}

func (d deskFor) LockChapters(_ context.Context, name string, chapters []int, isLocked bool) (app.LockDoc, error) {
	d.note("lock %s %v %v", name, chapters, isLocked)
	return app.LockDoc{Project: name, Locked: chapters}, d.book(name)
}

func (d deskFor) RollbackNovel(_ context.Context, w app.NovelRollback) (app.RollbackDoc, error) {
	d.note("roll back %s %s %d.%d", w.Name, w.Step, w.Chapter, w.Scene)
	return app.RollbackDoc{Project: w.Name, Files: []string{}, Next: []fault.Action{}}, d.book(w.Name)
}

func (d deskFor) ExportNovel(_ context.Context, w app.NovelExport) (app.NovelExportDoc, error) {
	d.note("export %s %s", w.Name, w.Format)
	return app.NovelExportDoc{Project: w.Name, Format: w.Format, Chapters: []int{1}, Unwritten: []int{}, Pending: []int{}}, d.book(w.Name)
}

func (d deskFor) RunNovel(ctx context.Context, w app.NovelRun) (app.NovelRunDoc, error) {
	d.note("run %s %v until %q force %v", w.Name, w.Chapters, w.Until, w.Force)
	return app.NovelRunDoc{Project: w.Name}, d.drive(ctx, w.Name)
}

func (d deskFor) GenerateScene(ctx context.Context, name string, chapter, scene int) (app.SceneDoc, error) {
	d.note("scene %s %d.%d", name, chapter, scene)
	return app.SceneDoc{Project: name}, d.drive(ctx, name)
}

func (d deskFor) MergeScenes(ctx context.Context, name string, chapter int, _ func(app.NovelNotice)) (app.NovelRunDoc, error) {
	d.note("merge %s %d", name, chapter)
	return app.NovelRunDoc{Project: name}, d.drive(ctx, name)
}

func (d deskFor) CheckChapter(_ context.Context, name string, chapter int, again bool) (app.CheckDoc, error) {
	d.note("check %s %d %v", name, chapter, again)
	return app.CheckDoc{Project: name, ChapterNumber: chapter, Report: story.ConsistencyReport{Issues: []story.ConsistencyIssue{}}}, d.book(name)
}

func (d deskFor) ReviewChapter(_ context.Context, name string, chapter int, again bool) (app.ReviewDoc, error) {
	d.note("review %s %d %v", name, chapter, again)
	return app.ReviewDoc{Project: name, ChapterNumber: chapter, Report: story.LogicReviewReport{Issues: []story.LogicIssue{}}, Next: []fault.Action{}}, d.book(name)
}

func (d deskFor) MakeCandidate(ctx context.Context, name string, chapter int) (app.RevisionDoc, error) {
	d.note("candidate %s %d", name, chapter)
	return app.RevisionDoc{Project: name}, d.drive(ctx, name)
}

func (d deskFor) decidedBy(name string, chapter int, state story.RevisionState) (app.RevisionDoc, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.by = append(d.by, d.actor)
	return app.RevisionDoc{Project: name, ChapterNumber: chapter, Status: state, Revision: story.RevisionStatus{Status: state, Issues: []story.RevisionIssue{}},
		PendingChapters: []int{}, Affected: []int{}, Next: []fault.Action{}}, d.book(name)
}

func (d deskFor) AcceptRevision(_ context.Context, name string, chapter int, _ bool) (app.RevisionDoc, error) {
	return d.decidedBy(name, chapter, story.RevisionAccepted)
}

func (d deskFor) RejectRevision(_ context.Context, name string, chapter int, _ string) (app.RevisionDoc, error) {
	return d.decidedBy(name, chapter, story.RevisionRejected)
}

func (d deskFor) RememberChapter(_ context.Context, name string, chapter int) error {
	d.note("remember %s %d", name, chapter)
	return nil
}

func (d deskFor) MayRunNovel(_ context.Context, w app.NovelRun) error {
	for _, n := range w.Chapters {
		if err := d.gate(w.Name, n); err != nil {
			return err
		}
	}
	return d.book(w.Name)
}

func (d deskFor) MayGenerateScene(_ context.Context, name string, chapter, _ int) error {
	return d.gate(name, chapter)
}

func (d deskFor) MayMergeScenes(_ context.Context, name string, chapter int) error {
	return d.gate(name, chapter)
}

func (d deskFor) MayMakeCandidate(_ context.Context, name string, _ int) error { return d.book(name) }

func (d deskFor) HasReport(_ context.Context, name string, chapter int, _ string) (bool, error) {
	return chapter == 1, d.book(name)
}
