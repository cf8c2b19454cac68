package mcpserver

import (
	"context"
	"fmt"

	"sluice/internal/app"
	"sluice/internal/fault"
	"sluice/internal/line/novel"
	"sluice/internal/line/novel/story"
	"sluice/internal/schema"
)

type runBookIn struct {
	Project  string `json:"project"`
	Chapters []int  `json:"chapters,omitempty"`
	Until    string `json:"until,omitempty"`
	Force    bool   `json:"force,omitempty"`
}

type stepBookIn struct {
	Project  string `json:"project"`
	Step     string `json:"step"`
	Chapters []int  `json:"chapters,omitempty"`
	Force    bool   `json:"force,omitempty"`
}

type textIn struct {
	Project string `json:"project"`
	Chapter int    `json:"chapter_number"`
	Force   bool   `json:"force,omitempty"`
}

type sceneIn struct {
	Project string `json:"project"`
	Chapter int    `json:"chapter_number"`
	Scene   int    `json:"scene_number"`
}

type memoryIn struct {
	Project  string `json:"project"`
	Recent   int    `json:"recent,omitempty"`
	Chapters []int  `json:"chapters,omitempty"`
}

type againIn struct {
	Project string `json:"project"`
	Chapter int    `json:"chapter_number"`
	Again   bool   `json:"again,omitempty"`
}

// behind says what every tool does that asks a model.
const behind = " The work goes on in this server after the call has returned; novel_status shows how far it is."

// bookWorkTools let books be written. Each refuses at once what the gate refuses, then works behind the call.
func bookWorkTools() ([]tool, error) {
	var k toolbox
	steps := schema.Enum("step", novel.Steps()...)
	some := []schema.Option{schema.Items("chapters", 0, story.MaxChapters), schema.Describe("chapters", "numbers of chapters; without them every chapter of the outline"),
		schema.Describe("force", "true: what stands is made again")}
	addTool(&k, tool{name: "novel_run", title: "Go on with a book", hints: works,
		about: "Makes what a book lacks, chapter after chapter, until it is written or waits for a revision." + behind},
		append(append(some, schema.Enum("until", novel.Steps()...)), ofBook...), showsBook,
		func(ctx context.Context, c *call, in runBookIn) (bookDoc, error) {
			return c.runBook(ctx, app.NovelRun{Name: in.Project, Chapters: ascending(in.Chapters), Until: in.Until, Force: in.Force})
		})
	addTool(&k, tool{name: "novel_step", title: "Do one step of a book", hints: works,
		about: "Does one step of a book and nothing before it; what is missing before it is named in order." + behind},
		append(append(some, steps), ofBook...), showsBook,
		func(ctx context.Context, c *call, in stepBookIn) (bookDoc, error) {
			return c.runBook(ctx, app.NovelRun{Name: in.Project, Chapters: ascending(in.Chapters), Until: in.Step, Alone: true, Force: in.Force})
		})
	addTool(&k, tool{name: "chapter.text.generate", title: "Write a chapter", hints: works,
		about: "Writes the text of a planned chapter; with force it is written anew. Refused after a chapter that waits for revision." + behind},
		append([]schema.Option{schema.Describe("force", "true: a text that stands is written anew")}, ofChapter...), showsBook,
		func(ctx context.Context, c *call, in textIn) (bookDoc, error) {
			return c.runBook(ctx, app.NovelRun{Name: in.Project, Chapters: []int{in.Chapter}, Until: novel.StepText, Alone: true, Force: in.Force})
		})
	addTool(&k, tool{name: "scene.generate", title: "Write a scene", hints: works,
		about: "Writes one scene of a planned chapter, or writes it again. Refused after a chapter that waits for revision." + behind},
		append([]schema.Option{schema.Describe("scene_number", "number of the scene in its plan, from 1")}, ofChapter...), showsBook,
		func(ctx context.Context, c *call, in sceneIn) (bookDoc, error) {
			if err := c.asPerson(false).MayGenerateScene(ctx, in.Project, in.Chapter, in.Scene); err != nil {
				return bookDoc{}, err
			}
			return c.workOn(ctx, in.Project, func(ctx context.Context, verbs Verbs) error {
				_, err := verbs.GenerateScene(ctx, in.Project, in.Chapter, in.Scene)
				return err
			})
		})
	addTool(&k, tool{name: "scene.merge_to_chapter", title: "Put a chapter together", hints: works,
		about: "Puts a chapter together from its scenes, then checks and reviews it. Refused after a chapter that waits for revision." + behind},
		ofChapter, showsBook,
		func(ctx context.Context, c *call, in chapterIn) (bookDoc, error) {
			if err := c.asPerson(false).MayMergeScenes(ctx, in.Project, in.Chapter); err != nil {
				return bookDoc{}, err
			}
			return c.workOn(ctx, in.Project, func(ctx context.Context, verbs Verbs) error {
				_, err := verbs.MergeScenes(ctx, in.Project, in.Chapter, nil)
				return err
			})
		})
	addTool(&k, tool{name: "novel_regen", title: "Write a chapter anew", hints: works,
		about: "Writes every scene of a chapter anew; a revision that waited on the old text is over." + behind},
		ofChapter, showsBook,
		func(ctx context.Context, c *call, in chapterIn) (bookDoc, error) {
			return c.runBook(ctx, app.NovelRun{Name: in.Project, Chapters: []int{in.Chapter}, Until: novel.StepText, Alone: true, Force: true})
		})
	return k.tools, k.err
}

// runBook lets a run of a book go on behind the call, if nothing refuses it.
func (c *call) runBook(ctx context.Context, w app.NovelRun) (bookDoc, error) {
	if err := c.asPerson(false).MayRunNovel(ctx, w); err != nil {
		return bookDoc{}, err
	}
	return c.workOn(ctx, w.Name, func(ctx context.Context, verbs Verbs) error {
		doc, err := verbs.RunNovel(ctx, w)
		if err == nil && len(doc.FailedChapters) > 0 {
			err = fault.New(fault.StepFailed, w.Name, "chapters failed: %s", novel.FormatChapters(doc.FailedChapters)).
				With(fault.Action{Action: "novel_run", Why: "it tries them again"})
		}
		return err
	})
}

// checkReply is a report, or where the work that makes it stands.
type checkReply struct {
	Report *app.CheckDoc `json:"result,omitempty"`
	Drive  *DriveDoc     `json:"drive,omitempty"`
}

type reviewReply struct {
	Review *app.ReviewDoc `json:"result,omitempty"`
	Drive  *DriveDoc      `json:"drive,omitempty"`
}

type memoryReply struct {
	Memory *app.MemoryDoc `json:"result,omitempty"`
	Drive  *DriveDoc      `json:"drive,omitempty"`
}

type rebuildIn struct {
	Project  string `json:"project"`
	Chapters []int  `json:"chapters,omitempty"`
}

// bookReportTools show what was found in chapters, and let it be made where it is not there.
func bookReportTools() ([]tool, error) {
	var k toolbox
	anew := append([]schema.Option{schema.Describe("again", "true: it is made anew, even if there is a report")}, ofChapter...)
	addTool(&k, tool{name: "novel_check", title: "Consistency of a chapter", hints: works,
		about: "Shows the consistency report on the text that stands; where there is none it is made, and the call is repeated for it." + behind},
		anew, nil,
		func(ctx context.Context, c *call, in againIn) (checkReply, error) {
			drive, err := c.making(ctx, in, novel.StepConsistency, func(ctx context.Context, verbs Verbs) error {
				_, err := verbs.CheckChapter(ctx, in.Project, in.Chapter, in.Again)
				return err
			})
			if err != nil || drive != nil {
				return checkReply{Drive: drive}, err
			}
			doc, err := c.asPerson(false).CheckChapter(ctx, in.Project, in.Chapter, false)
			return checkReply{Report: &doc}, err
		})
	addTool(&k, tool{name: "novel_review", title: "Logic review of a chapter", hints: works,
		about: "Shows the logic review of the text that stands, with the ways out where a revision waits; where there is none it is made, and the call is repeated for it." + behind},
		anew, nil,
		func(ctx context.Context, c *call, in againIn) (reviewReply, error) {
			drive, err := c.making(ctx, in, novel.StepLogic, func(ctx context.Context, verbs Verbs) error {
				_, err := verbs.ReviewChapter(ctx, in.Project, in.Chapter, in.Again)
				return err
			})
			if err != nil || drive != nil {
				return reviewReply{Drive: drive}, err
			}
			doc, err := c.asPerson(false).ReviewChapter(ctx, in.Project, in.Chapter, false)
			return reviewReply{Review: &doc}, err
		})
	addTool(&k, tool{name: "novel_memory", title: "Memory of a book", hints: reads,
		about: "Shows what later chapters are told about those before."},
		append([]schema.Option{schema.Describe("recent", "only the last so many"), schema.Items("chapters", 0, story.MaxChapters)}, ofBook...), nil,
		func(ctx context.Context, c *call, in memoryIn) (memoryReply, error) {
			doc, err := c.asClient().NovelMemory(ctx, app.NovelMemory{Name: in.Project, Recent: in.Recent, Chapters: ascending(in.Chapters)})
			return memoryReply{Memory: &doc}, err
		})
	addTool(&k, tool{name: "novel_memory_rebuild", title: "Record memory again", hints: works,
		about: "Records the memory of chapters again from their texts, in order." + behind},
		append([]schema.Option{schema.Describe("chapters", "numbers of chapters; without them every written one"), schema.Items("chapters", 0, story.MaxChapters)}, ofBook...), showsBook,
		func(ctx context.Context, c *call, in rebuildIn) (bookDoc, error) {
			if _, err := c.asClient().NovelMemory(ctx, app.NovelMemory{Name: in.Project, Recent: 1, Chapters: ascending(in.Chapters)}); err != nil {
				return bookDoc{}, err
			}
			return c.workOn(ctx, in.Project, func(ctx context.Context, verbs Verbs) error {
				_, err := verbs.NovelMemory(ctx, app.NovelMemory{Name: in.Project, Chapters: ascending(in.Chapters), Rebuild: true})
				return err
			})
		})
	return k.tools, k.err
}

// making lets a report be made behind the call. Nothing means that it is there to be shown.
func (c *call) making(ctx context.Context, in againIn, step string, work func(ctx context.Context, verbs Verbs) error) (*DriveDoc, error) {
	isThere, err := c.asPerson(false).HasReport(ctx, in.Project, in.Chapter, step)
	if err != nil || isThere && !in.Again {
		return nil, err
	}
	doc, err := c.workOn(ctx, in.Project, work)
	if err == nil && doc.Drive == nil { // it was quick
		doc.Drive = &DriveDoc{State: "done", Message: fmt.Sprintf("call again: the report on chapter %d is there", in.Chapter)}
	}
	return doc.Drive, err
}
