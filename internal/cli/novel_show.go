package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sluice/internal/app"
	"sluice/internal/fault"
	"sluice/internal/line/novel"
	"sluice/internal/line/novel/briefing"
	"sluice/internal/line/novel/story"
)

func (v look) novelMade(d app.NovelDoc) string {
	return fmt.Sprintf("made the book %s in %s\n", d.Project, d.Path) + v.next([]fault.Action{{Command: "sluice novel run " + d.Project, Why: "it writes the book"}})
}

func (v look) novelSettings(d app.NovelDoc) string {
	s := d.Settings
	rows := [][]string{{"SETTING", "VALUE"}, {"title", clean(s.Title)}, {"premise", clean(s.Premise)}, {"theme", clean(s.Theme)}, {"language", s.Language}, {"author", clean(s.Author)},
		{"target_chapters", strconv.Itoa(s.TargetChapters)}, {"words_per_scene", strconv.Itoa(s.WordsPerScene)},
		{"revision_policy", string(s.RevisionPolicy)}, {"logic_review_policy", string(s.LogicReviewPolicy)},
		{"logic_review_min_score", strconv.Itoa(s.LogicReviewMinScore)}, {"memory_context_chapters", strconv.Itoa(s.MemoryContextChapters)},
		{"context_tokens", strconv.Itoa(s.ContextTokens)}}
	return table(v.width, rows...)
}

func (v look) novelResults(d app.NovelRunDoc) string {
	var b strings.Builder
	for _, r := range d.Results {
		chapter := ""
		if r.ChapterNumber > 0 {
			chapter = strconv.Itoa(r.ChapterNumber)
		}
		fmt.Fprintf(&b, "%-11s %-10s %4s  %s", r.Action, r.Step, chapter, r.Path)
		if r.Error != "" {
			b.WriteString("  " + clean(r.Error))
		}
		b.WriteString("\n")
	}
	return b.String() + novelRehearsed(d.Rehearsal, d.Rehearsed)
}

// novelRehearsed labels a book that no real model wrote, or those of its chapters.
func novelRehearsed(all bool, chapters []int) string {
	switch {
	case all:
		return rehearsalNote + "\n"
	case len(chapters) > 0:
		return fmt.Sprintf("rehearsal: the text of %s%s comes from the offline placeholder model\n", plural(len(chapters), "chapter ", "chapters "), novel.FormatChapters(chapters))
	}
	return ""
}

// novelGoesOn says what comes after a request.
func (v look) novelGoesOn(d app.NovelRunDoc) string {
	text := ""
	if len(d.FailedChapters) > 0 {
		text = "failed chapters: " + novel.FormatChapters(d.FailedChapters) + "\n"
	}
	return text + v.next(d.Next)
}

func (v look) novelStatus(d app.NovelShown) string {
	var b strings.Builder
	cost := "cost unknown"
	if d.Cost != nil {
		cost = dollars(*d.Cost)
	}
	fmt.Fprintf(&b, "book %s: %s, %s, %s tokens, %s\n", d.Project, count(len(d.Chapters), "chapter"), count(d.Words, "word"), thousands(d.Tokens), cost)
	if note := novelRehearsed(d.Rehearsal, d.Rehearsed); note != "" {
		b.WriteString("  " + note)
	}
	var steps []string
	for _, s := range novel.Steps() {
		steps = append(steps, s+" "+d.Steps[s])
	}
	b.WriteString("  " + strings.Join(steps, ", ") + "\n")
	if len(d.Chapters) > 0 {
		rows := [][]string{{"CHAPTER", "PLAN", "TEXT", "WORDS", "REVISION", "NOTE", "TITLE"}}
		for _, c := range d.Chapters {
			rows = append(rows, []string{strconv.Itoa(c.ChapterNumber), mark(c.Planned), mark(c.Written), thousands(c.Words), string(c.Revision), chapterNote(c, slices.Contains(d.Rehearsed, c.ChapterNumber)), clean(c.ChapterTitle)})
		}
		b.WriteString(table(v.width, rows...))
	}
	next := fault.Action{Command: "sluice novel run " + d.Project, Why: "it goes on"}
	switch {
	case d.BlockedChapter != nil:
		fmt.Fprintf(&b, "chapter %d waits for revision; chapters after it are blocked\n", *d.BlockedChapter)
		next = fault.Action{Command: fmt.Sprintf("sluice novel review %s %d", d.Project, *d.BlockedChapter), Why: "it shows what was found, and the ways out"}
		if len(d.Next) > 0 && d.Next[0].After != "" { // there is nothing to review yet
			next = firstLegal(d.Next)
		}
	case d.Steps[novel.StepText] == novel.StepDone:
		next = fault.Action{Command: "sluice novel export " + d.Project + " --format epub", Why: "it makes one file of the book"}
	case d.Steps[novel.StepText] == novel.StepStale:
		next = fault.Action{Command: "sluice novel stale " + d.Project, Why: "it lists what a change touches, and what that costs"}
	}
	return b.String() + v.next([]fault.Action{next})
}

// firstLegal is the first action that needs no other before it.
func firstLegal(all []fault.Action) fault.Action {
	for _, a := range all {
		if a.After == "" {
			return a
		}
	}
	return fault.Action{}
}

func mark(done bool) string {
	if done {
		return "yes"
	}
	return "-"
}

func chapterNote(c novel.ChapterStatus, isRehearsed bool) string {
	var notes []string
	if c.Locked {
		notes = append(notes, "locked")
	}
	if c.Stale {
		notes = append(notes, "stale")
	}
	if isRehearsed {
		notes = append(notes, "rehearsal")
	}
	return strings.Join(notes, ", ")
}

func (v look) novels(d app.NovelListDoc) string {
	if len(d.Projects) == 0 {
		return "there are no books\n" + v.next([]fault.Action{{Command: "sluice novel new NAME --premise TEXT", Why: "it makes one"}})
	}
	rows := [][]string{{"BOOK", "STATUS", "LAST CHANGE", "PATH"}}
	for _, p := range d.Projects {
		at := ""
		if p.UpdatedAt != nil {
			at = timeText(*p.UpdatedAt)
		}
		status := p.Status
		if p.Rehearsal {
			status += " (rehearsal)"
		}
		rows = append(rows, []string{clean(p.Project), status, at, clean(p.Path)})
	}
	text := table(v.width, rows...)
	if d.Next != "" {
		text += v.next([]fault.Action{{Command: "sluice novel list --page " + d.Next, Why: "it shows more"}})
	}
	return text
}

func (v look) novelCheck(d app.CheckDoc) string {
	text := fmt.Sprintf("consistency of chapter %d (%s): %s, %d that could be fixed\n  %s\n", d.ChapterNumber, d.Path, count(len(d.Report.Issues), "issue"), d.Fixable, clean(d.Report.Summary))
	for _, x := range d.Report.Issues {
		text += novelIssue(string(x.Severity), x.IssueType, x.Description, "", x.FixInstructions)
	}
	return text
}

func novelIssue(severity, kind, description, evidence, fix string) string {
	text := fmt.Sprintf("  %s %s: %s\n", severity, clean(kind), clean(description))
	if evidence != "" {
		text += "    evidence: " + clean(evidence) + "\n"
	}
	if fix != "" {
		text += "    fix: " + clean(fix) + "\n"
	}
	return text
}

func (v look) novelReview(d app.ReviewDoc) string {
	verdict := "passed"
	if !d.Passed {
		verdict = "not passed"
	}
	text := fmt.Sprintf("logic review of chapter %d (%s): %s, score %d of %d needed, %s\n  %s\n", d.ChapterNumber, d.Path, verdict, d.ObservedScore, d.MinScore,
		count(d.HighIssues, "high issue"), clean(d.Report.Summary))
	for _, x := range d.Report.Issues {
		text += novelIssue(string(x.Severity), x.IssueType, x.Description, x.Evidence, x.FixInstructions)
	}
	if c := d.Consistency; c != nil && len(c.Issues) > 0 {
		text += fmt.Sprintf("consistency: %s\n", clean(c.Summary))
		for _, x := range c.Issues {
			text += novelIssue(string(x.Severity), x.IssueType, x.Description, "", x.FixInstructions)
		}
	}
	if r := d.Revision; r != nil {
		text += "revision " + string(r.Status)
		if r.TriggeredBy != "" {
			text += ", triggered by " + string(r.TriggeredBy)
		}
		text += "\n"
		if r.Status == story.RevisionPending {
			text += "  " + strings.ReplaceAll(strings.TrimSpace(cleanBlock(r.RevisionNotes)), "\n", "\n  ") + "\n"
		}
	}
	return text + v.next(d.Next)
}

func (v look) novelRevision(what string, d app.RevisionDoc) string {
	text := fmt.Sprintf("%s chapter %d: %s, %s\n", what, d.ChapterNumber, d.RevisionStatusFile, d.Status)
	if d.RevisedFile != "" && d.Status == story.RevisionPending {
		text += "  it reads in " + d.RevisedFile + "\n"
	}
	if d.Status == story.RevisionAccepted {
		text += fmt.Sprintf("  %s has %s now\n", d.Path, count(d.Words, "word"))
		if len(d.Affected) > 0 {
			text += "  later chapters that may be affected: " + novel.FormatChapters(d.Affected) + "\n"
		}
	}
	return text + v.next(d.Next)
}

func (v look) novelRollback(d app.RollbackDoc) string {
	what := "put away"
	if d.Undone {
		what = "brought back"
	}
	text := fmt.Sprintf("%s %s of %s\n", what, count(len(d.Files), "file"), d.Project)
	for i, f := range d.Files {
		if i == maxFindings {
			text += fmt.Sprintf("  and %d more; --json has all\n", len(d.Files)-i)
			break
		}
		text += "  " + clean(f) + "\n"
	}
	return text + v.next(d.Next)
}

func (v look) novelScene(d app.SceneDoc) string {
	return fmt.Sprintf("%s scene %d of chapter %d: %s, %s\n", d.Action, d.SceneNumber, d.ChapterNumber, count(d.Words, "word"), d.Path) +
		v.next(d.Next)
}

func (v look) novelMemory(d app.MemoryDoc) string {
	var b strings.Builder
	if len(d.Entries) == 0 {
		b.WriteString("nothing is remembered of " + d.Project + "\n")
	}
	for _, e := range d.Entries {
		fmt.Fprintf(&b, "chapter %d: %s\n", e.ChapterNumber, clean(e.ChapterTitle))
		for _, row := range [][2]string{{"summary", e.Summary}, {"when", e.TimelineAnchor}, {"where", e.LocationSummary},
			{"events", strings.Join(e.KeyEvents, "; ")}, {"open", strings.Join(e.UnresolvedThreads, "; ")}} {
			if strings.TrimSpace(row[1]) != "" {
				fmt.Fprintf(&b, "  %s: %s\n", row[0], clean(row[1]))
			}
		}
	}
	if len(d.Failed) > 0 {
		list := novel.FormatChapters(d.Failed)
		b.WriteString("memory that was not recorded: " + list + "\n")
		b.WriteString(v.next([]fault.Action{{Command: "sluice novel memory " + d.Project + " --rebuild --chapters " + list, Why: "it tries again"}}))
	}
	return b.String()
}

func (v look) novelContext(d app.ContextDoc) string {
	var b strings.Builder
	for _, a := range d.Prompts {
		name := a.Agent
		if a.Scene > 0 {
			name += " " + strconv.Itoa(a.Scene)
		}
		fmt.Fprintf(&b, "%s: %s of %s tokens", name, thousands(a.Used), thousands(a.Budget))
		if a.Subject > 0 {
			fmt.Fprintf(&b, ", and %s of the text itself", thousands(a.Subject))
		}
		b.WriteString("\n")
		rows := [][]string{{"  PIECE", "ITEM", "FORM", "TOKENS", "OF", "WHY"}}
		for _, e := range a.Entries {
			why := ""
			if e.Form != briefing.Whole {
				why = clean(e.Why)
			}
			rows = append(rows, []string{"  " + clean(e.Piece), cut(clean(e.Item), 40), string(e.Form), strconv.Itoa(e.Tokens), strconv.Itoa(e.Whole), why})
		}
		b.WriteString(table(v.width, rows...))
	}
	return b.String()
}

func (v look) novelStale(d app.StaleDoc) string {
	if len(d.Stale) == 0 {
		return "nothing of " + d.Project + " is stale\n"
	}
	rows := [][]string{{"STEP", "CHAPTER", "CALLS", "TOKENS", "BECAUSE OF"}}
	for _, s := range d.Stale {
		chapter := ""
		if s.ChapterNumber > 0 {
			chapter = strconv.Itoa(s.ChapterNumber)
		}
		rows = append(rows, []string{s.Step, chapter, strconv.Itoa(s.Calls), thousands(s.Tokens), nodeNames(s.Because)})
	}
	text := table(v.width, rows...)
	text += fmt.Sprintf("bringing all of it up to date takes about %s and %s tokens\n", count(d.Calls, "call"), thousands(d.Tokens))
	if len(d.Affected) > 0 {
		text += "chapters that are reached only through these: " + novel.FormatChapters(d.Affected) + "\n"
	}
	return text + v.next(d.Next)
}

func pendingWarning(d app.NovelExportDoc) string {
	return fmt.Sprintf("exported with their current text while a revision is pending: %s %s", plural(len(d.Pending), "chapter", "chapters"), novel.FormatChapters(d.Pending))
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func (v look) novelExport(d app.NovelExportDoc, at string) string {
	text := fmt.Sprintf("exported %s, %s, to %s (%s)\n", count(len(d.Chapters), "chapter"), count(d.Words, "word"), clean(at), bytesText(int64(d.Bytes)))
	if d.Rehearsal {
		text += "  " + rehearsalNote + "\n"
	}
	if len(d.Unwritten) > 0 {
		text += "  not written yet, and left out: " + plural(len(d.Unwritten), "chapter ", "chapters ") + novel.FormatChapters(d.Unwritten) + "\n"
	}
	return text
}
