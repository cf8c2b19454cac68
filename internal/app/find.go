package app

import (
	"context"
	"strings"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line/novel"
	"sluice/internal/line/novel/story"
	"sluice/internal/termtext"
)

// resolve finds a run by its id, by the name of a book, or by the beginning of an id that nobody types.
func (a *App) resolve(ctx context.Context, given string) (kernel.RunID, error) {
	info, unknown := a.Store.Run(ctx, given)
	switch {
	case unknown == nil && isGone(info):
		return "", goneRun(given)
	case unknown == nil:
		return kernel.RunID(info.ID), nil
	case fault.CodeOf(unknown) != fault.UnknownRun:
		return "", unknown
	}
	if name, err := story.ParseName(given); err == nil {
		info, err := a.Store.Run(ctx, string(novel.RunID(name)))
		if err == nil && !isGone(info) {
			return kernel.RunID(info.ID), nil
		}
		if err != nil && fault.CodeOf(err) != fault.UnknownRun {
			return "", err
		}
	}
	if _, err := kernel.ParseRunID(given); err != nil {
		return "", err
	}
	info, err := a.begunWith(ctx, given, "", unknown)
	return kernel.RunID(info.ID), err
}

// leastBeginning is how much of an id must be given: with less a slip of the finger finds something.
const leastBeginning = 4

// begunWith finds the one run of a line, or of any, whose id begins as given; unknown is the answer where there is none. Ids
// with a meaning are never guessed: sample-1 is not sample-12. It looks through the runs, so it comes after all else.
func (a *App) begunWith(ctx context.Context, given, ofLine string, unknown error) (journal.RunInfo, error) {
	given = strings.ToLower(given)
	if len(given) < leastBeginning || strings.Trim(given, "0123456789abcdef-") != "" {
		return journal.RunInfo{}, unknown
	}
	var found []journal.RunInfo
	for f := (journal.Filter{Line: ofLine, Limit: 1000}); ; {
		page, err := a.Store.List(ctx, f)
		if err != nil {
			return journal.RunInfo{}, err
		}
		for _, r := range page.Runs {
			if strings.HasPrefix(r.ID, given) && termtext.IsRandomID(r.ID) && !isGone(r) {
				found = append(found, r)
			}
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			break
		}
	}
	switch len(found) {
	case 0:
		return journal.RunInfo{}, unknown
	case 1:
		return found[0], nil
	}
	return journal.RunInfo{}, fault.New(fault.BadValue, given, "%d runs begin with %q; more of the id is needed", len(found), given).
		With(fault.Action{Action: "list the runs", Command: "sluice status"})
}
