package app

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel"
	"sluice/internal/line/novel/briefing"
	"sluice/internal/line/novel/story"
)

// NovelRow is a book in a list.
type NovelRow struct {
	Project   string     `json:"project"`
	RunID     string     `json:"run_id,omitempty"`
	Path      string     `json:"path"`
	Status    string     `json:"status"`    // of the run; not_adopted: a directory that has no journal yet
	Rehearsal bool       `json:"rehearsal"` // its text came from the rehearsal model
	UpdatedAt *time.Time `json:"updated_at,omitempty"`
}

// NovelListDoc lists books.
type NovelListDoc struct {
	Projects []NovelRow `json:"projects"`
	Next     string     `json:"next_page,omitempty"`
}

// NotAdopted is the status of a project directory that has no journal yet.
const NotAdopted = "not_adopted"

// ListNovels lists the books of the workspace, newest first; on the first page also directories without a journal.
func (a *App) ListNovels(ctx context.Context, limit int, page string) (NovelListDoc, error) {
	found, err := a.Store.List(ctx, journal.Filter{Line: novel.Name, Limit: limit, Cursor: page})
	if err != nil {
		return NovelListDoc{}, err
	}
	d := NovelListDoc{Projects: []NovelRow{}, Next: found.Next}
	for _, info := range found.Runs {
		if isGone(info) {
			continue
		}
		project := info.Labels[novel.LabelProject]
		d.Projects = append(d.Projects, NovelRow{Project: project, RunID: info.ID, Path: story.Dir(project), Status: info.Status,
			Rehearsal: info.Labels[kernel.LabelProvider] == kernel.ProviderRehearsal, UpdatedAt: &info.Updated})
	}
	if page != "" {
		return d, nil
	}
	entries, err := a.Space.List(story.Root)
	if fault.CodeOf(err) == fault.NotFound {
		return d, nil
	}
	if err != nil {
		return d, err
	}
	for _, e := range entries {
		name, err := story.ParseName(e.Name())
		if err != nil || !e.IsDir() {
			continue
		}
		if _, err := a.Store.Run(ctx, string(novel.RunID(name))); fault.CodeOf(err) == fault.UnknownRun && a.projectExists(name) {
			d.Projects = append(d.Projects, NovelRow{Project: name, Path: story.Dir(name), Status: NotAdopted})
		}
	}
	return d, nil
}

// NovelShown shows where a book stands, what of a real book was only rehearsed, and what holds it up.
type NovelShown struct {
	novel.StatusDoc
	Rehearsed []int          `json:"rehearsal_chapters,omitempty"` // of a book that is real otherwise
	Block     *novel.Block   `json:"block,omitempty"`
	Next      []fault.Action `json:"next_actions,omitempty"` // the ways out of Block
}

// ShowNovel says where a book stands, which of its chapters came from rehearsal although it has replies of a real model, and
// which revision it waits for.
func (a *App) ShowNovel(ctx context.Context, name string) (NovelShown, error) {
	run, doc, err := a.novelStatus(ctx, name)
	if err != nil {
		return NovelShown{}, err
	}
	var written []int
	for _, c := range doc.Chapters {
		if c.Written {
			written = append(written, c.ChapterNumber)
		}
	}
	shown := NovelShown{StatusDoc: doc}
	if shown.Block, shown.Next, err = novel.BlockOf(run, a.bodies(ctx, run)); err != nil {
		return shown, err
	}
	shown.Rehearsed, err = a.rehearsed(ctx, run, written)
	return shown, err
}

// MemoryDoc shows what is remembered of a book.
type MemoryDoc struct {
	Project string                     `json:"project"`
	Path    string                     `json:"path"`
	Entries []story.ChapterMemoryEntry `json:"entries"`
	Failed  []int                      `json:"failed_chapters"`
}

// NovelMemory is a wish to see what is remembered of a book, or to have it recorded again.
type NovelMemory struct {
	Name     string
	Recent   int   // the last so many; 0: all
	Chapters []int // nil: all
	Rebuild  bool
}

// NovelMemory shows the memory of chapters. With Rebuild it is recorded again from their texts, in order.
func (a *App) NovelMemory(ctx context.Context, w NovelMemory) (MemoryDoc, error) {
	run, _, err := a.book(ctx, w.Name)
	if err != nil {
		return MemoryDoc{}, err
	}
	if err := a.knownChapters(ctx, run, w.Chapters); err != nil {
		return MemoryDoc{}, err
	}
	d := MemoryDoc{Project: novel.ProjectOf(run), Path: story.Dir(novel.ProjectOf(run)) + "/" + story.MemoryFile, Failed: []int{}}
	if w.Rebuild {
		if run, err = a.rebuildMemory(ctx, run, w.Chapters); err != nil {
			return d, err
		}
	}
	all, err := novel.MemoryOf(run, a.bodies(ctx, run))
	if err != nil {
		return d, err
	}
	if w.Chapters != nil {
		all = slices.DeleteFunc(all, func(e story.ChapterMemoryEntry) bool { return !slices.Contains(w.Chapters, e.ChapterNumber) })
	}
	if w.Recent > 0 && len(all) > w.Recent {
		all = all[len(all)-w.Recent:]
	}
	d.Entries = orEmpty(all)
	for _, n := range novel.Chapters(run) {
		if m, ok := run.Node(novel.ChapterNode(n, novel.StepMemory)); ok && m.Status() == kernel.StatusFailed {
			d.Failed = append(d.Failed, n)
		}
	}
	return d, nil
}

func (a *App) rebuildMemory(ctx context.Context, run *kernel.Run, chapters []int) (*kernel.Run, error) {
	if chapters == nil {
		for _, n := range novel.Chapters(run) {
			if run.Approved(novel.ChapterNode(n, novel.StepText)) != nil {
				chapters = append(chapters, n)
			}
		}
	}
	for _, n := range chapters { // before anything is recorded again
		if _, _, err := novel.WishMemory(run, a.bodies(ctx, run), a.stamp(), n); err != nil {
			return nil, err
		}
	}
	var phases []phase
	for _, n := range chapters {
		phases = append(phases, func(r *kernel.Run, body line.Body) (novel.Stage, error) {
			list, node, err := novel.WishMemory(r, body, a.stamp(), n)
			return novel.Stage{Deeds: list, Drive: []kernel.NodeID{node}}, err
		})
	}
	command := "sluice novel memory " + novel.ProjectOf(run) + " --rebuild --chapters " + novel.FormatChapters(chapters)
	return a.inPhases(ctx, run, command, phases...)
}

// ContextDoc shows what a model is told about a chapter, and what was left out of it.
type ContextDoc struct {
	Project       string             `json:"project"`
	ChapterNumber int                `json:"chapter_number"`
	Prompts       []briefing.Account `json:"prompts"`
}

// NovelContext shows what goes into the prompts of a chapter as the book stands, what was cut and why.
func (a *App) NovelContext(ctx context.Context, name string, chapter int) (ContextDoc, error) {
	run, err := a.chapterOf(ctx, name, chapter)
	if err != nil {
		return ContextDoc{}, err
	}
	all, err := novel.Accounts(run, a.bodies(ctx, run), chapter)
	return ContextDoc{Project: novel.ProjectOf(run), ChapterNumber: chapter, Prompts: all}, err
}

// StaleDoc lists what a change touches, and what bringing it up to date would cost.
type StaleDoc struct {
	Project  string         `json:"project"`
	Stale    []StaleRow     `json:"stale"`
	Affected []int          `json:"affected_chapters"` // only through what is stale
	Calls    int            `json:"calls"`
	Tokens   int            `json:"tokens"`
	Next     []fault.Action `json:"next_actions"`
}

// StaleRow is one step that was made from something that is another now.
type StaleRow struct {
	novel.Outdated
	SceneNumber int    `json:"scene_number,omitempty"`
	Path        string `json:"path,omitempty"`
	Calls       int    `json:"calls"`  // to a model, to bring it up to date
	Tokens      int    `json:"tokens"` // as many as making it took
}

// StaleNovel lists what was made from something that is another now. Making all of that again would cost as many calls,
// and about as many tokens as it took the last time.
func (a *App) StaleNovel(ctx context.Context, name string) (StaleDoc, error) {
	run, _, err := a.book(ctx, name)
	if err != nil {
		return StaleDoc{}, err
	}
	d := StaleDoc{Project: novel.ProjectOf(run), Stale: []StaleRow{}, Affected: orEmpty(novel.Affected(run)), Next: []fault.Action{}}
	stale := novel.Stale(run)
	if len(stale) == 0 {
		return d, nil
	}
	cost, err := a.nodeTokens(ctx, run)
	if err != nil {
		return d, err
	}
	settings, err := novel.SettingsOf(run, a.bodies(ctx, run))
	if err != nil {
		return d, err
	}
	for _, o := range stale {
		row := StaleRow{Outdated: o, SceneNumber: novel.SceneNumber(o.Node), Path: novel.PathOf(run, o.Node), Calls: novel.CallsFor(o.Node, settings)}
		row.Tokens = cost.of(o.Node, row.Calls)
		d.Calls, d.Tokens = d.Calls+row.Calls, d.Tokens+row.Tokens
		d.Stale = append(d.Stale, row)
	}
	for _, w := range novel.UpToDate(run, stale) {
		calls, tokens := 0, 0
		for _, id := range w.Nodes {
			n := novel.CallsFor(id, settings)
			calls, tokens = calls+n, tokens+cost.of(id, n)
		}
		word := "calls"
		if calls == 1 {
			word = "call"
		}
		w.Why += fmt.Sprintf("; %d %s, about %d tokens", calls, word, tokens)
		d.Next = append(d.Next, w.Action)
	}
	return d, nil
}

// tokenCosts are what calls for nodes took: the answers of the last attempt at each node, and the mean of its agent where one
// has none.
type tokenCosts struct {
	last  map[kernel.NodeID]int
	calls map[kernel.NodeID]int // of that attempt
	sum   map[string]int
	count map[string]int
}

func (a *App) nodeTokens(ctx context.Context, run *kernel.Run) (tokenCosts, error) {
	t := tokenCosts{map[kernel.NodeID]int{}, map[kernel.NodeID]int{}, map[string]int{}, map[string]int{}}
	calls, err := a.Store.Calls(ctx, string(run.ID()))
	attempt := map[kernel.NodeID]string{}
	for _, c := range calls {
		n := c.Usage.InputTokens + c.Usage.OutputTokens
		if n == 0 || c.Outcome == journal.Reused {
			continue
		}
		node := kernel.NodeID(c.Node)
		if attempt[node] != c.Attempt { // several calls of one attempt add up, as for a long outline
			t.last[node], t.calls[node], attempt[node] = 0, 0, c.Attempt
		}
		t.last[node] += n
		t.calls[node]++
		t.sum[c.Agent] += n
		t.count[c.Agent]++
	}
	return t, err
}

// of is what making a node takes in so many calls. An attempt that made use of replies from before it was stopped paid for some
// of them only.
func (t tokenCosts) of(id kernel.NodeID, calls int) int {
	if n, ok := t.last[id]; ok && calls > 0 {
		return n * max(calls, t.calls[id]) / t.calls[id]
	}
	if agent := novel.AgentOf(id); t.count[agent] > 0 {
		return t.sum[agent] / t.count[agent] * calls
	}
	return 0
}
