package app

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line/novel"
	"sluice/internal/line/novel/bookfile"
	"sluice/internal/line/novel/story"
)

// NovelExport is a wish for a book in one file.
type NovelExport struct {
	Name     string
	Format   string
	Path     string // in the workspace; empty: exports/NAME.FORMAT
	Stream   bool   // it comes back in the answer and is not written to a file
	Chapters []int  // nil: all that are written
	Strict   bool   // chapters with a pending revision are refused
	Cover    []byte // nil: cover.png, cover.jpg or cover.jpeg of the project, if there is one
}

// NovelExportDoc says what was written.
type NovelExportDoc struct {
	Project   string `json:"project"`
	Format    string `json:"format"`
	Path      string `json:"path"`
	Bytes     int    `json:"bytes"`
	Chapters  []int  `json:"chapters"`
	Unwritten []int  `json:"unwritten_chapters"`
	Pending   []int  `json:"pending_chapters"` // among the exported: their text stands, and a revision waits
	Words     int    `json:"words"`
	Rehearsal bool   `json:"rehearsal"`
	Rehearsed []int  `json:"rehearsal_chapters,omitempty"` // of a book that is real otherwise
	Body      []byte `json:"-"`                            // of an export that is not written to a file
}

// ExportNovel writes a book to one file from its chapters alone: the same text gives the same bytes.
func (a *App) ExportNovel(ctx context.Context, w NovelExport) (NovelExportDoc, error) {
	format, err := bookfile.ParseFormat(w.Format)
	if err != nil {
		return NovelExportDoc{}, err
	}
	run, _, err := a.book(ctx, w.Name)
	if err != nil {
		return NovelExportDoc{}, err
	}
	d := NovelExportDoc{Project: novel.ProjectOf(run), Format: string(format), Path: w.Path, Chapters: []int{}, Unwritten: []int{}, Pending: []int{},
		Rehearsal: run.Provider() == kernel.ProviderRehearsal}
	if d.Path == "" && !w.Stream {
		d.Path = "exports/" + d.Project + "." + d.Format
	}
	if !w.Stream {
		if err := a.exportPath(d.Path); err != nil {
			return d, err
		}
	}
	book, err := a.bookFile(ctx, run, w, &d)
	if err != nil {
		return d, err
	}
	if w.Strict && len(d.Pending) > 0 {
		return d, a.pendingExport(ctx, run, d)
	}
	if book.Cover, err = a.cover(d.Project, w.Cover); err != nil {
		return d, err
	}
	body, err := bookfile.Render(book, format)
	if err != nil {
		return d, err
	}
	if d.Bytes = len(body); w.Stream {
		d.Body = body
		return d, nil
	}
	return d, a.Writer.Write(d.Path, body, 0o644)
}

// exportPath refuses to write where a book's own documents stand.
func (a *App) exportPath(at string) error {
	clean, err := a.Space.Check(at)
	if err != nil {
		return err
	}
	if rest, ok := strings.CutPrefix(clean, story.Root+"/"); ok {
		_, file, _ := strings.Cut(rest, "/")
		if _, isOurs := story.ParsePlace(file); isOurs || strings.HasPrefix(file, story.VersionsDir+"/") {
			return fault.New(fault.FileExists, clean, "%s is a document of a book; an export does not take its place", clean).
				With(fault.Action{Action: "default", Why: "leave out -o: the export goes to exports of the workspace"})
		}
	}
	if path.Base(clean) == "sluice.yaml" {
		return fault.New(fault.FileExists, clean, "%s holds the settings of the workspace; an export does not take its place", clean)
	}
	return nil
}

// bookFile collects the chapters of an export.
func (a *App) bookFile(ctx context.Context, run *kernel.Run, w NovelExport, d *NovelExportDoc) (bookfile.Book, error) {
	body := a.bodies(ctx, run)
	settings, err := novel.SettingsOf(run, body)
	if err != nil {
		return bookfile.Book{}, err
	}
	status, err := novel.Status(run, body)
	if err != nil {
		return bookfile.Book{}, err
	}
	if err := a.knownChapters(ctx, run, w.Chapters); err != nil {
		return bookfile.Book{}, err
	}
	var chapters []story.GeneratedChapter
	var modified time.Time
	pending := novel.Pending(run)
	for _, c := range status.Chapters {
		n := c.ChapterNumber
		if w.Chapters != nil && !slices.Contains(w.Chapters, n) {
			continue
		}
		text, err := novel.TextOf(run, body, n)
		if err != nil {
			return bookfile.Book{}, err
		}
		if text == nil {
			d.Unwritten = append(d.Unwritten, n)
			continue
		}
		if v := run.Approved(novel.ChapterNode(n, novel.StepText)); v.At.After(modified) {
			modified = v.At
		}
		if slices.Contains(pending, n) {
			d.Pending = append(d.Pending, n)
		}
		chapters = append(chapters, *text)
		d.Chapters, d.Words = append(d.Chapters, n), d.Words+text.TotalWords
	}
	if w.Chapters != nil && len(d.Unwritten) > 0 {
		file := story.Dir(d.Project) + "/" + story.ChapterFile(d.Unwritten[0])
		return bookfile.Book{}, fault.New(fault.MissingPrerequisite, file, "chapter %d has no text: %s is missing", d.Unwritten[0], file).
			With(a.goesOn(ctx, run, d.Unwritten)...)
	}
	if d.Rehearsed, err = a.rehearsed(ctx, run, d.Chapters); err != nil {
		return bookfile.Book{}, err
	}
	b := bookfile.New(settings, chapters)
	b.Project, b.Rehearsal, b.Rehearsed, b.Modified = d.Project, d.Rehearsal, d.Rehearsed, modified
	return b, nil
}

// rehearsed lists those of the chapters whose text came from rehearsal although the book has replies of a real model.
func (a *App) rehearsed(ctx context.Context, run *kernel.Run, chapters []int) ([]int, error) {
	was, err := a.rehearsedAttempts(ctx, run)
	if err != nil || len(was) == 0 {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(chapters), func(n int) bool {
		return !novel.Rehearsed(run, n, func(id kernel.AttemptID) bool { return was[id] })
	}), nil
}

func (a *App) pendingExport(ctx context.Context, run *kernel.Run, d NovelExportDoc) error {
	first := d.Pending[0]
	rev, err := novel.RevisionOf(run, a.bodies(ctx, run), first)
	if err != nil {
		return err
	}
	return fault.New(fault.RevisionPending, d.Project, "chapters with a pending revision are not exported with --strict: %s", novel.FormatChapters(d.Pending)).
		With(novel.WaysOut(run, first, novel.CanApply(run, rev))...)
}

// cover is the picture that was given, or the project's own.
func (a *App) cover(project string, given []byte) ([]byte, error) {
	if given != nil {
		return given, nil
	}
	for _, name := range []string{"cover.png", "cover.jpg", "cover.jpeg"} {
		body, err := a.Space.Read(story.Dir(project) + "/" + name)
		if err == nil || fault.CodeOf(err) != fault.NotFound {
			return body, err
		}
	}
	return nil, nil
}
