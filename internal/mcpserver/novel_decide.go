package mcpserver

import (
	"context"
	"fmt"

	"sluice/internal/app"
	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line/novel"
	"sluice/internal/schema"
)

type applyIn struct {
	Project string `json:"project"`
	Chapter int    `json:"chapter_number"`
	Over    bool   `json:"over,omitempty"`
}

type rejectIn struct {
	Project string `json:"project"`
	Chapter int    `json:"chapter_number"`
	Reason  string `json:"reason"`
}

type rollbackBookIn struct {
	Project string `json:"project"`
	Step    string `json:"to_step,omitempty"`
	Chapter int    `json:"to_chapter,omitempty"`
	Scene   int    `json:"to_scene,omitempty"`
	Undo    bool   `json:"undo,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

// bookDecisionTools deal with revisions that are pending. To decide is a person's.
func bookDecisionTools() ([]tool, error) {
	var k toolbox
	addTool(&k, tool{name: "novel_candidate", title: "Revise a pending chapter", hints: works,
		about: "Has a chapter whose revision is pending revised by its notes. The chapter stays as it is until a person applies it." + behind},
		ofChapter, showsBook,
		func(ctx context.Context, c *call, in chapterIn) (bookDoc, error) {
			if err := c.asPerson(false).MayMakeCandidate(ctx, in.Project, in.Chapter); err != nil {
				return bookDoc{}, err
			}
			return c.workOn(ctx, in.Project, func(ctx context.Context, verbs Verbs) error {
				_, err := verbs.MakeCandidate(ctx, in.Project, in.Chapter)
				return err
			})
		})
	addTool(&k, tool{name: "novel_apply", title: "Apply a revision", hints: adds, isApproving: true,
		about: "Makes the candidate of a pending chapter its text, by a person's word. Where the client can ask its user, the user confirms it first."},
		append([]schema.Option{schema.Describe("over", "true: a text that the candidate was not made from is replaced all the same")}, ofChapter...), nil,
		func(ctx context.Context, c *call, in applyIn) (app.RevisionDoc, error) {
			verbs, _, err := c.decide(ctx, in.Project, in.Chapter, "Apply the revision of", "sluice novel apply")
			if err != nil {
				return app.RevisionDoc{}, err
			}
			doc, err := verbs.AcceptRevision(ctx, in.Project, in.Chapter, in.Over)
			if err == nil { // if something is worked on already, that or the next run records the memory
				_, _ = c.workOn(ctx, in.Project, func(ctx context.Context, verbs Verbs) error {
					return verbs.RememberChapter(ctx, in.Project, in.Chapter)
				})
			}
			return doc, err
		})
	addTool(&k, tool{name: "novel_reject", title: "Reject a revision", hints: adds, isApproving: true,
		about: "Keeps a pending chapter as it is, by a person's word."},
		append([]schema.Option{schema.Describe("reason", "why, for the record")}, ofChapter...), nil,
		func(ctx context.Context, c *call, in rejectIn) (app.RevisionDoc, error) {
			verbs, comment, err := c.decide(ctx, in.Project, in.Chapter, "Reject the revision of", "sluice novel reject")
			if err != nil {
				return app.RevisionDoc{}, err
			}
			if comment != "" {
				in.Reason = comment
			}
			return verbs.RejectRevision(ctx, in.Project, in.Chapter, in.Reason)
		})
	addTool(&k, tool{name: "novel_rollback", title: "Take a book back", hints: removes, isApproving: true,
		about: "Takes a book back to the state just before a step, a chapter, or a scene of a chapter; undo brings the last one back. Nothing is lost."},
		append([]schema.Option{schema.Enum("to_step", novel.Steps()...), schema.Describe("to_scene", "scene of to_chapter"),
			schema.Describe("undo", "true: what the last rollback took away comes back")}, ofBook...), nil,
		func(ctx context.Context, c *call, in rollbackBookIn) (app.RollbackDoc, error) {
			return c.rollBack(ctx, in)
		})
	return k.tools, k.err
}

// decide asks the person at the client about a pending revision, if the client can, and gives the verbs in their name.
func (c *call) decide(ctx context.Context, project string, chapter int, what, command string) (Verbs, string, error) {
	var shown digest.Digest
	if _, err := c.asClient().ShowNovel(ctx, project); err != nil { // what people put into files is taken over first
		return nil, "", err
	}
	box, err := c.asClient().Inbox(ctx, string(novel.RunID(project)))
	if err != nil {
		return nil, "", err
	}
	for _, ask := range box.Asks {
		if novel.ChapterOf(kernel.NodeID(ask.Node)) == chapter {
			shown = ask.Digest
		}
	}
	if shown == "" { // nothing waits: the verb says so, and nobody is asked
		return c.asClient(), "", nil
	}
	said, err := c.confirm(matter{subject: fmt.Sprintf("%s chapter %d", project, chapter), version: shown,
		text:    fmt.Sprintf("%s chapter %d of %s?\nVersion: %s\nAsked by %s.", what, chapter, clip(project), shown.Short(), c.client()),
		command: fmt.Sprintf("%s %s %d", command, project, chapter)})
	if err != nil {
		return nil, "", err
	}
	if said.isPersons && said.version != shown {
		return nil, "", fault.New(fault.StaleVerdict, project, "the revision of chapter %d moved on while the person was asked", chapter).
			With(fault.Action{Action: "call again", Why: "the person is asked about what stands now"})
	}
	return c.asPerson(said.isPersons), said.comment, nil
}

func (c *call) rollBack(ctx context.Context, in rollbackBookIn) (app.RollbackDoc, error) {
	given := 0
	for _, is := range []bool{in.Step != "", in.Chapter != 0, in.Undo} {
		if is {
			given++
		}
	}
	if given != 1 || in.Scene != 0 && in.Chapter < 1 || in.Chapter < 0 || in.Scene < 0 {
		return app.RollbackDoc{}, fault.New(fault.BadValue, in.Project, "novel_rollback takes one of to_step, to_chapter (with to_scene) and undo")
	}
	said, err := c.confirm(matter{subject: in.Project, text: fmt.Sprintf("Roll back book %s (step %q, chapter %d, scene %d, undo %v)?\nAsked by %s.",
		clip(in.Project), clip(in.Step), in.Chapter, in.Scene, in.Undo, c.client()), command: "sluice novel rollback " + in.Project})
	if err != nil {
		return app.RollbackDoc{}, err
	}
	if said.comment != "" {
		in.Reason = said.comment
	}
	return c.asPerson(said.isPersons).RollbackNovel(ctx, app.NovelRollback{Name: in.Project, Step: in.Step, Chapter: in.Chapter, Scene: in.Scene,
		Undo: in.Undo, Reason: in.Reason})
}
