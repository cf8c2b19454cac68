package mcpserver

import (
	"context"

	"sluice/internal/app"
)

// BookShower shows books.
type BookShower interface {
	ShowNovel(ctx context.Context, name string) (app.NovelShown, error)
	ListNovels(ctx context.Context, limit int, page string) (app.NovelListDoc, error)
	NovelMemory(ctx context.Context, w app.NovelMemory) (app.MemoryDoc, error)
	NovelContext(ctx context.Context, name string, chapter int) (app.ContextDoc, error)
	StaleNovel(ctx context.Context, name string) (app.StaleDoc, error)
}

// BookKeeper makes books and changes what they are held to.
type BookKeeper interface {
	NewNovel(ctx context.Context, w app.NovelNew) (app.NovelDoc, error)
	SetNovel(ctx context.Context, name string, set map[string]string) (app.NovelDoc, error)
	LockChapters(ctx context.Context, name string, chapters []int, isLocked bool) (app.LockDoc, error)
	RollbackNovel(ctx context.Context, w app.NovelRollback) (app.RollbackDoc, error)
	ExportNovel(ctx context.Context, w app.NovelExport) (app.NovelExportDoc, error)
}

// BookWriter works on books with a model.
type BookWriter interface {
	RunNovel(ctx context.Context, w app.NovelRun) (app.NovelRunDoc, error)
	GenerateScene(ctx context.Context, name string, chapter, scene int) (app.SceneDoc, error)
	MergeScenes(ctx context.Context, name string, chapter int, tell func(app.NovelNotice)) (app.NovelRunDoc, error)
	CheckChapter(ctx context.Context, name string, chapter int, again bool) (app.CheckDoc, error)
	ReviewChapter(ctx context.Context, name string, chapter int, again bool) (app.ReviewDoc, error)
}

// BookReviser deals with revisions that are pending.
type BookReviser interface {
	MakeCandidate(ctx context.Context, name string, chapter int) (app.RevisionDoc, error)
	AcceptRevision(ctx context.Context, name string, chapter int, over bool) (app.RevisionDoc, error)
	RejectRevision(ctx context.Context, name string, chapter int, reason string) (app.RevisionDoc, error)
	RememberChapter(ctx context.Context, name string, chapter int) error
}

// BookGate refuses work before it begins, so that a call that lets it go on behind it can answer with the refusal.
type BookGate interface {
	MayRunNovel(ctx context.Context, w app.NovelRun) error
	MayGenerateScene(ctx context.Context, name string, chapter, scene int) error
	MayMergeScenes(ctx context.Context, name string, chapter int) error
	MayMakeCandidate(ctx context.Context, name string, chapter int) error
	HasReport(ctx context.Context, name string, chapter int, step string) (bool, error)
}
