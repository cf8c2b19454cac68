package mcpserver

import (
	"context"
	"slices"
	"strconv"

	"sluice/internal/app"
	"sluice/internal/fault"
	"sluice/internal/line/novel"
	"sluice/internal/line/novel/bookfile"
	"sluice/internal/line/novel/story"
	"sluice/internal/schema"
)

// bookIn names a book.
type bookIn struct {
	Project string `json:"project"`
}

type chapterIn struct {
	Project string `json:"project"`
	Chapter int    `json:"chapter_number"`
}

// bookDoc is where a book stands, with what this server does about it.
type bookDoc struct {
	novel.StatusDoc
	Drive *DriveDoc `json:"drive,omitempty"`
}

// shownBook is that with what holds the book up, for who asks.
type shownBook struct {
	app.NovelShown
	Drive *DriveDoc `json:"drive,omitempty"`
}

// Fields that the tools of books share.
var (
	aboutBook    = schema.Describe("project", "name of the book, as novel_list shows it")
	aboutChapter = schema.Describe("chapter_number", "number of the chapter, from 1")
	ofBook       = []schema.Option{aboutBook}
	ofChapter    = []schema.Option{aboutBook, aboutChapter, schema.Range("chapter_number", 1, story.MaxChapters)}
	showsBook    = []schema.Option{schema.Nullable("cost"), schema.Nullable("blocked_chapter"),
		schema.Describe("drive", "what this server does about the book; absent: nothing, and nothing failed")}
)

type newBookIn struct {
	Project        string `json:"project"`
	Premise        string `json:"premise"`
	Theme          string `json:"theme,omitempty"`
	Author         string `json:"author,omitempty"`
	Title          string `json:"title,omitempty"`
	Language       string `json:"language,omitempty"`
	TargetChapters *int   `json:"target_chapters,omitempty"`
	WordsPerScene  *int   `json:"words_per_scene,omitempty"`
	RevisionPolicy string `json:"revision_policy,omitempty"`
	LogicReview    string `json:"logic_review_policy,omitempty"`
	MinScore       *int   `json:"logic_review_min_score,omitempty"`
}

// set is what the call says; the rest is as configured.
func (in newBookIn) set() map[string]string {
	set := map[string]string{"premise": in.Premise}
	for key, value := range map[string]string{"title": in.Title, "theme": in.Theme, "author": in.Author, "language": in.Language,
		"revision_policy": in.RevisionPolicy, "logic_review_policy": in.LogicReview} {
		if value != "" {
			set[key] = value
		}
	}
	for key, value := range map[string]*int{"target_chapters": in.TargetChapters, "words_per_scene": in.WordsPerScene, "logic_review_min_score": in.MinScore} {
		if value != nil {
			set[key] = strconv.Itoa(*value)
		}
	}
	return set
}

type setBookIn struct {
	Project  string            `json:"project"`
	Settings map[string]string `json:"settings"`
}

type listBooksIn struct {
	Page string `json:"page,omitempty"`
}

type lockIn struct {
	Project  string `json:"project"`
	Chapters []int  `json:"chapters"`
	Unlock   bool   `json:"unlock,omitempty"`
}

type exportBookIn struct {
	Project  string `json:"project"`
	Format   string `json:"format"`
	Path     string `json:"path,omitempty"`
	Chapters []int  `json:"chapters,omitempty"`
	Strict   bool   `json:"strict,omitempty"`
}

// pageOfBooks is how many books one page lists.
const pageOfBooks = 100

// bookTools make books, show them and write them out: nothing of it asks a model.
func bookTools() ([]tool, error) {
	var k toolbox
	addTool(&k, tool{name: "novel_new", title: "New book", hints: adds,
		about: "Makes a book from its premise. Nothing is written yet; novel_run does that."},
		append([]schema.Option{schema.Describe("premise", "what the book is about"), schema.Describe("language", "BCP 47 tag; without it the language of the premise"),
			schema.Enum("revision_policy", string(story.RevisionNone), string(story.AutoApply), string(story.ManualConfirm)),
			schema.Enum("logic_review_policy", string(story.LogicOff), string(story.LogicBlocking))}, ofBook...), nil,
		func(ctx context.Context, c *call, in newBookIn) (app.NovelDoc, error) {
			if story.IsBlank(in.Premise) {
				return app.NovelDoc{}, fault.New(fault.BadValue, "premise", "the premise is empty")
			}
			return c.asPerson(false).NewNovel(ctx, app.NovelNew{Name: in.Project, Set: in.set()})
		})
	addTool(&k, tool{name: "novel_set", title: "Change settings of a book", hints: repeats,
		about: "Changes settings of a book. What was made under others stays as it is."},
		append([]schema.Option{schema.Describe("settings", "setting → value, each as text: title, premise, theme, language, author, target_chapters, words_per_scene, revision_policy, logic_review_policy, logic_review_min_score, memory_context_chapters, context_tokens")}, ofBook...), nil,
		func(ctx context.Context, c *call, in setBookIn) (app.NovelDoc, error) {
			return c.asPerson(false).SetNovel(ctx, in.Project, in.Settings)
		})
	addTool(&k, tool{name: "novel_list", title: "List books", hints: reads, about: "Lists the books of the workspace."},
		[]schema.Option{schema.Describe("page", "next_page of the page before")}, nil,
		func(ctx context.Context, c *call, in listBooksIn) (app.NovelListDoc, error) {
			return c.asClient().ListNovels(ctx, pageOfBooks, in.Page)
		})
	addTool(&k, tool{name: "novel_status", title: "Book status", hints: reads,
		about: "Shows where a book stands: steps, chapters, words, what is pending with the ways out, tokens, and what this server does about it."},
		ofBook, showsBook,
		func(ctx context.Context, c *call, in bookIn) (shownBook, error) { return c.shownBook(ctx, in.Project) })
	addTool(&k, tool{name: "novel_context", title: "What a model is told", hints: reads,
		about: "Shows what goes into the prompts of a chapter as the book stands, what is left out and why."},
		ofChapter, nil,
		func(ctx context.Context, c *call, in chapterIn) (app.ContextDoc, error) {
			return c.asClient().NovelContext(ctx, in.Project, in.Chapter)
		})
	addTool(&k, tool{name: "novel_stale", title: "What a change touches", hints: reads,
		about: "Lists what was made from something that is another now, and what making it again costs in calls and tokens."},
		ofBook, nil,
		func(ctx context.Context, c *call, in bookIn) (app.StaleDoc, error) {
			return c.asClient().StaleNovel(ctx, in.Project)
		})
	addTool(&k, tool{name: "novel_lock", title: "Lock chapters", hints: repeats,
		about: "Makes chapters final, so that nothing may change them, or with unlock lets them change again."},
		append([]schema.Option{schema.Describe("chapters", "numbers of chapters"), schema.Items("chapters", 1, story.MaxChapters)}, ofBook...), nil,
		func(ctx context.Context, c *call, in lockIn) (app.LockDoc, error) {
			return c.asPerson(false).LockChapters(ctx, in.Project, ascending(in.Chapters), !in.Unlock)
		})
	addTool(&k, tool{name: "novel_export", title: "Export a book", hints: repeats,
		about: "Writes the chapters that stand to one file of the workspace: txt, md, epub or json."},
		append([]schema.Option{schema.Enum("format", string(bookfile.Text), string(bookfile.Markdown), string(bookfile.EPUB), string(bookfile.JSON)),
			schema.Describe("path", "file relative to the workspace; without it exports/PROJECT.FORMAT"), schema.Items("chapters", 0, story.MaxChapters),
			schema.Describe("strict", "true: chapters with a pending revision are refused")}, ofBook...), nil,
		func(ctx context.Context, c *call, in exportBookIn) (app.NovelExportDoc, error) {
			return c.asPerson(false).ExportNovel(ctx, app.NovelExport{Name: in.Project, Format: in.Format, Path: in.Path,
				Chapters: ascending(in.Chapters), Strict: in.Strict})
		})
	return k.tools, k.err
}

// toolbox collects tools until one cannot be made.
type toolbox struct {
	tools []tool
	err   error
}

func addTool[In, Out any](k *toolbox, t tool, in, out []schema.Option, verb func(ctx context.Context, c *call, in In) (Out, error)) {
	if k.err != nil {
		return
	}
	made, err := define(t, in, out, verb)
	k.tools, k.err = append(k.tools, made), err
}

// ascending brings a list of chapters to the form that verbs take: sorted, each once; an empty one means all.
func ascending(list []int) []int {
	if len(list) == 0 {
		return nil
	}
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// bookDoc shows a book with what this server does about it.
func (c *call) bookDoc(ctx context.Context, project string) (bookDoc, error) {
	doc, err := c.shownBook(ctx, project)
	return bookDoc{doc.StatusDoc, doc.Drive}, err
}

func (c *call) shownBook(ctx context.Context, project string) (shownBook, error) {
	id := string(novel.RunID(project))
	before := c.drives.doc(id)
	doc, err := c.asClient().ShowNovel(ctx, project)
	return shownBook{doc, c.drives.since(before, id)}, err
}

// workOn lets a piece of work on a book go on behind the call. Two at a time would be in each other's way.
func (c *call) workOn(ctx context.Context, project string, work func(ctx context.Context, verbs Verbs) error) (bookDoc, error) {
	id := string(novel.RunID(project))
	if d := c.drives.doc(id); d != nil && d.State == "running" {
		return bookDoc{}, fault.New(fault.LeaseHeld, project, "book %s is being worked on by this server", project).
			With(fault.Action{Action: "novel_status", Command: "sluice novel status " + project, Why: "it shows how far it is; call again when it is done"})
	}
	verbs := c.asPerson(false)
	c.drives.start(id, func(ctx context.Context, _ string) error { return work(ctx, verbs) })
	return c.bookDoc(ctx, project)
}
