package app

import (
	"context"
	"fmt"
	"strings"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line/novel"
	"sluice/internal/line/novel/story"
)

// edited ends the taking over of what people changed in the files of a book: revisions that were removed are put back, since
// that decides nothing and the gate opens by a decision, and so are texts that their scenes do not give back; what nobody can
// read is kept among the versions.
func (a *App) edited(ctx context.Context, run *kernel.Run, edits []journal.Edit) (*kernel.Run, error) {
	var list []novel.Deed
	for _, e := range edits {
		if e.Kind != journal.Vanished {
			if err := a.keepBroken(run, e); err != nil {
				return nil, err
			}
			continue
		}
		n, ok := run.Node(kernel.NodeID(e.Row.Node))
		if !ok || !novel.IsKept(n) {
			continue
		}
		d, err := novel.Keep(n, a.bodies(ctx, run), a.stamp())
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	if len(list) == 0 {
		return run, nil
	}
	return a.Engine.Do(ctx, run.ID(), deeds(list)...)
}

// keepBroken keeps bytes that could not be taken over, in the place of which the last good version stands again.
func (a *App) keepBroken(run *kernel.Run, e journal.Edit) error {
	dir := story.Dir(novel.ProjectOf(run)) + "/"
	file := strings.TrimPrefix(e.Row.Path, dir)
	place, ok := story.ParsePlace(file)
	if !ok {
		return nil
	}
	if _, isOfANode := novel.NodeOf(place); isOfANode {
		if _, err := novel.Read(e.Row.Path, place, novel.DefaultsOf(run), e.Body); err == nil {
			return nil // it was taken over
		}
	}
	for n := 1; ; n++ {
		err := a.Space.WriteNew(fmt.Sprintf("%s%s/%s.broken%d", dir, story.VersionsDir, file, n), e.Body, 0o644)
		if fault.CodeOf(err) != fault.FileExists {
			return err
		}
	}
}
