package workspace

import (
	"context"
	"errors"
	"path"
	"slices"

	"golang.org/x/sync/errgroup"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
)

// Place brings the files of rows in place right after the transaction that wrote them, and marks the rows written.
// bodies holds the bytes at hand; others come from the store.
//
// A working file that shows neither what it showed before nor what it should show was edited: it stays, its row stays
// unwritten, and the edit is given back. A state file that differs is given back too, and rewritten; a kept file that
// differs is damage, given back and put right. What they showed is saved first. An error of one file does not keep
// the others from their places.
func (c *Checkouts) Place(ctx context.Context, rows []journal.Checkout, bodies map[digest.Digest][]byte) ([]Edit, error) {
	p := c.placing(ctx, bodies)
	err := c.locked(ctx, func() error { return p.complete(distinct(rows)) })
	return p.edits, err
}

// Recover completes, on start, the rows that a killed process committed and did not bring in place, and sweeps what it
// left half written. Files that are in place are only marked.
func (c *Checkouts) Recover(ctx context.Context) ([]Edit, error) {
	p := c.placing(ctx, nil)
	err := c.locked(ctx, func() error {
		rows, err := c.rows.Unwritten(ctx)
		if err != nil || len(rows) == 0 {
			return err
		}
		rows, bad := fit(rows)
		if _, err := c.tree.sweep(dirsOf(rows)...); err != nil {
			return err
		}
		if err := p.complete(rows); err != nil {
			return err
		}
		return bad
	})
	return p.edits, err
}

// Restore puts back what rows say, also where the row is written: missing files, damaged ones, and working files that
// a person edited only if over is given. Whatever is overwritten is saved first and given back as an edit, as are the
// edits that were left alone.
func (c *Checkouts) Restore(ctx context.Context, over bool, rows ...journal.Checkout) ([]Edit, error) {
	p := c.placing(ctx, nil)
	p.over = over
	err := c.locked(ctx, func() error {
		current, err := p.current(distinct(rows))
		if err != nil {
			return err
		}
		return p.placeAll(current)
	})
	return p.edits, err
}

// distinct gives one row per path.
func distinct(rows []journal.Checkout) []journal.Checkout {
	seen := make(map[string]bool, len(rows))
	return slices.DeleteFunc(slices.Clone(rows), func(r journal.Checkout) bool {
		twice := seen[r.Path]
		seen[r.Path] = true
		return twice
	})
}

// fit leaves out rows whose paths no program of ours wrote, so that they hinder no others, and says what is wrong with the
// first.
func fit(rows []journal.Checkout) ([]journal.Checkout, error) {
	var first error
	rows = slices.DeleteFunc(rows, func(r journal.Checkout) bool {
		_, err := CleanPath(r.Path)
		if first == nil {
			first = err
		}
		return err != nil
	})
	return rows, first
}

func dirsOf(rows []journal.Checkout) []string {
	dirs := make([]string, 0, len(rows))
	for _, row := range rows {
		dirs = append(dirs, path.Dir(row.Path))
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// placing is one pass over rows under the lock.
type placing struct {
	*Checkouts
	ctx    context.Context // of the one call that this value serves
	batch  *batch
	bodies map[digest.Digest][]byte
	over   bool
	ledger ledger
	left   map[string]bool // paths whose edit is given back and that stay as they are
	edits  []Edit
}

func (c *Checkouts) placing(ctx context.Context, bodies map[digest.Digest][]byte) *placing {
	return &placing{Checkouts: c, ctx: ctx, batch: c.tree.batch(), bodies: bodies,
		ledger: ledger{root: c.tree.root}, left: map[string]bool{}}
}

// complete places the rows of these paths until the store has them all as written: another process may commit a newer
// row while an older one is placed.
func (p *placing) complete(rows []journal.Checkout) error {
	const passes = 8
	for range passes {
		current, err := p.current(rows)
		if err != nil {
			return err
		}
		rows = slices.DeleteFunc(current, func(r journal.Checkout) bool { return r.Written || p.left[r.Path] })
		if len(rows) == 0 {
			return nil
		}
		if err := p.placeAll(rows); err != nil {
			return err
		}
	}
	return fault.New(fault.Conflict, rows[0].Path, "checkouts changed %d times while they were placed", passes)
}

// current gives the rows of the same paths as the store has them now.
func (p *placing) current(rows []journal.Checkout) ([]journal.Checkout, error) {
	fetched, err := p.fetchMany(rows)
	if err != nil {
		return nil, err
	}
	current := make([]journal.Checkout, 0, len(rows))
	for _, row := range rows {
		now, ok := fetched[row.Path]
		if !ok {
			if now, ok, err = p.rows.Checkout(p.ctx, row.Path); err != nil {
				return nil, err
			}
		}
		if !ok {
			return nil, fault.New(fault.Unexpected, row.Path, "path %s has no checkout row", row.Path)
		}
		current = append(current, now)
	}
	return current, nil
}

// fetchMany fetches whole runs where so many rows are wanted that one by one would take longer.
func (p *placing) fetchMany(rows []journal.Checkout) (map[string]journal.Checkout, error) {
	const many = 64
	if len(rows) < many {
		return nil, nil
	}
	fetched := make(map[string]journal.Checkout, len(rows))
	runs := map[string]bool{}
	for _, row := range rows {
		if runs[row.Run] {
			continue
		}
		runs[row.Run] = true
		all, err := p.rows.Checkouts(p.ctx, row.Run)
		if err != nil {
			return nil, err
		}
		for _, now := range all {
			fetched[now.Path] = now
		}
	}
	return fetched, nil
}

func (p *placing) placeAll(rows []journal.Checkout) error {
	// Removals come first: a path may be given up for one that differs only by case.
	var gone, rest []journal.Checkout
	for _, row := range rows {
		if row.Removed {
			gone = append(gone, row)
		} else {
			rest = append(rest, row)
		}
	}
	var first error
	for _, rows := range [][]journal.Checkout{gone, rest} {
		for part := range slices.Chunk(rows, chunk) {
			if err := p.ctx.Err(); err != nil {
				return fault.Wrap(fault.Interrupted, part[0].Path, err, "placing files was interrupted")
			}
			if err := p.placeChunk(part); err != nil && first == nil {
				first = err
			}
		}
	}
	return first
}

// placeChunk stages what has to be written, puts it in place, syncs, and marks what is done.
func (p *placing) placeChunk(rows []journal.Checkout) error {
	files := make([]*staged, len(rows))
	defer func() {
		for _, s := range files {
			s.discard()
		}
	}()
	errs := p.stageAll(rows, files)
	if err := p.note(rows, files); err != nil {
		return err
	}
	done := make([]journal.Checkout, 0, len(rows))
	for i, row := range rows {
		if errs[i] != nil {
			continue
		}
		inPlace, err := p.settleRow(row, files[i])
		errs[i] = err
		if inPlace {
			// Also for a file that was in place already: the process that wrote it may have died before it synced.
			p.batch.changed(path.Dir(p.tree.locate(row.Path)))
			done = append(done, row)
		}
	}
	if err := p.batch.sync(); err != nil {
		return err
	}
	if len(done) > 0 {
		if err := p.rows.MarkWritten(p.ctx, done...); err != nil {
			return err
		}
	}
	return firstOf(errs)
}

// note tells other processes what is about to be put in place.
func (p *placing) note(rows []journal.Checkout, files []*staged) error {
	lines := make(map[string]digest.Digest, len(rows))
	for i, s := range files {
		if s != nil {
			lines[rows[i].Path] = rows[i].Digest
		}
	}
	return fail("write", ledgerName, p.ledger.add(lines))
}

func firstOf(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// stageAll writes the new bytes beside their places, for those rows that need it. All places are settled before the
// first file is made: making files changes the directories that settling compares names with.
func (p *placing) stageAll(rows []journal.Checkout, files []*staged) []error {
	errs := make([]error, len(rows))
	disks, bodies := make([]string, len(rows)), make([][]byte, len(rows))
	for i, row := range rows {
		f, err := p.look(row.Path)
		if err != nil {
			errs[i] = err
			continue
		}
		do, _, err := p.judge(row, f)
		if do == write && err == nil {
			disks[i], bodies[i], err = p.prepare(row)
		}
		errs[i] = err
	}
	var group errgroup.Group
	group.SetLimit(writers)
	for i, disk := range disks {
		if disk != "" {
			group.Go(func() error {
				files[i], errs[i] = p.tree.stage(disk, bodies[i], 0)
				return nil
			})
		}
	}
	_ = group.Wait() // errors are in errs
	return errs
}

// prepare finds place and bytes of a file.
func (p *placing) prepare(row journal.Checkout) (disk string, body []byte, err error) {
	if disk, err = p.batch.settle(row.Path); err != nil {
		return "", nil, err
	}
	if err := p.batch.makeDir(path.Dir(disk)); err != nil {
		return "", nil, err
	}
	body, ok := p.bodies[row.Digest]
	if !ok {
		if body, err = p.bytes.Blob(p.ctx, row.Run, row.Seq, row.Digest); err != nil {
			return "", nil, err
		}
	}
	if got := digest.Of(body); got != row.Digest {
		return "", nil, fault.New(fault.StoreCorrupt, row.Path, "bytes of %s hash to %s, their row says %s",
			row.Path, got.Short(), row.Digest.Short())
	}
	return disk, body, nil
}

// action is what has to happen to a file.
type action string

const (
	nothing action = "nothing" // it is as its row says
	write   action = "write"
	remove  action = "remove"
	leave   action = "leave" // a person's bytes stay
)

// judge compares a file with its row: what to do, and what to report.
func (p *placing) judge(row journal.Checkout, f found) (action, journal.EditKind, error) {
	put := write
	if row.Removed {
		put = remove
	}
	switch {
	case !f.there && row.Removed, f.there && !row.Removed && f.digest == row.Digest:
		return nothing, "", nil
	case !f.there:
		return put, "", nil
	}
	ours, err := p.isOurs(row, f.digest)
	switch {
	case err != nil:
		return leave, "", fail("read", ledgerName, err)
	case ours:
		return put, "", nil
	case row.Role == journal.Kept:
		return put, journal.Damaged, nil
	case row.Role == journal.State, p.over:
		return put, journal.Edited, nil
	}
	return leave, journal.Edited, nil
}

// isOurs says that bytes are what we put there, so that replacing them loses nothing.
func (p *placing) isOurs(row journal.Checkout, d digest.Digest) (bool, error) {
	switch {
	case row.Written:
		return false, nil
	case d == row.Before, row.Removed && d == row.Digest:
		return true, nil
	}
	return p.ledger.isPlaced(row.Path, d, row.Before)
}

// settleRow looks once more, right before the file is replaced or removed, and does it. It says whether the path now
// is as the row says.
func (p *placing) settleRow(row journal.Checkout, s *staged) (bool, error) {
	const tries = 4
	for range tries {
		f, err := p.look(row.Path)
		if err != nil {
			return false, err
		}
		do, kind, err := p.judge(row, f)
		if err != nil {
			return false, err
		}
		if do == write && s == nil { // it changed since it was found right
			if s, err = p.stageLate(row); err != nil {
				return false, err
			}
			defer s.discard()
		}
		e := p.edit(kind, row, f)
		if kind != "" && do != leave {
			if e.Kept, err = p.Keep(p.ctx, row.Path, f.body); err != nil {
				return false, err
			}
		}
		if err := p.perform(do, row, f, s); errors.Is(err, fault.FileExists) || do == remove && errors.Is(err, fault.NotFound) {
			continue // someone came first: look again
		} else if err != nil {
			return false, err
		}
		if kind != "" {
			p.edits = append(p.edits, e)
		}
		p.left[row.Path] = do == leave
		return do != leave, nil
	}
	return false, fault.New(fault.FileChanged, row.Path, "file %s changed %d times while it was written", row.Path, tries)
}

func (p *placing) stageLate(row journal.Checkout) (*staged, error) {
	disk, body, err := p.prepare(row)
	if err != nil {
		return nil, err
	}
	if err := p.ledger.add(map[string]digest.Digest{row.Path: row.Digest}); err != nil {
		return nil, fail("write", ledgerName, err)
	}
	return p.tree.stage(disk, body, 0)
}

func (p *placing) perform(do action, row journal.Checkout, f found, s *staged) error {
	switch do {
	case write:
		at := p.now()
		put := p.batch.replace
		if !f.there {
			put = p.batch.create
		}
		if err := put(s); err != nil {
			return err
		}
		if info, err := p.tree.root.Lstat(s.path); err == nil {
			p.remember(row.Path, sight{info, row.Digest, at})
		}
	case remove:
		p.forget(row.Path)
		p.batch.made = map[string]bool{".": true} // directories may go with their last file
		return p.tree.remove(p.tree.locate(row.Path), "")
	}
	return nil
}
