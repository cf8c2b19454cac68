package session

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// Finder reads files of the workspace for steps, as the run's session sees them.
type Finder struct {
	Tree Reader
	Runs Runs
	Load Load
}

// Find gives every file whose path fits the pattern, by path. Paths are the workspace's also where the bytes are the
// session's.
func (f *Finder) Find(ctx context.Context, r *kernel.Run, pattern string) ([]line.Found, error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, fault.Wrap(fault.BadPath, pattern, err, "pattern %q is not one of paths", pattern)
	}
	places, err := f.match("", pattern)
	if err != nil {
		return nil, err
	}
	name := r.Labels()[line.LabelSession]
	if name == "" {
		return f.read(pattern, places, func(p string) string { return p })
	}
	gone, err := f.tombstones(ctx, name)
	if err != nil {
		return nil, err
	}
	own, err := f.match("", line.SessionPath(name, pattern))
	if err != nil {
		return nil, err
	}
	held := map[string]bool{}
	for _, p := range own {
		held[line.GlobalPath(name, p)] = true
	}
	places = slices.DeleteFunc(places, func(p string) bool { return gone[p] || held[p] })
	for p := range held {
		places = append(places, p)
	}
	slices.Sort(places)
	return f.read(pattern, places, func(p string) string {
		if held[p] {
			return line.SessionPath(name, p)
		}
		return p
	})
}

func (f *Finder) tombstones(ctx context.Context, name string) (map[string]bool, error) {
	page, err := f.Runs.List(ctx, first(Selects(name, Active)))
	if err != nil || len(page.Runs) == 0 {
		return nil, err
	}
	run, err := f.Load(ctx, kernel.RunID(page.Runs[0].ID))
	if err != nil {
		return nil, err
	}
	gone := map[string]bool{}
	for _, file := range Read(run).Files {
		gone[file.Path] = file.Deleted
	}
	return gone, nil
}

func first(f journal.Filter) journal.Filter {
	f.Limit = 1
	return f
}

// match walks the components of a pattern under a directory.
func (f *Finder) match(dir, pattern string) ([]string, error) {
	head, rest, deeper := strings.Cut(pattern, "/")
	if head == "" || head == "." || head == ".." {
		return nil, fault.New(fault.BadPath, pattern, "pattern %q leaves its directory", pattern)
	}
	if !strings.ContainsAny(head, `*?[\`) { // a plain name needs no list of its neighbours
		p := path.Join(dir, head)
		if deeper {
			return f.match(p, rest)
		}
		info, err := f.Tree.Stat(p)
		switch {
		case isAbsent(err), err == nil && !info.Mode().IsRegular():
			return nil, nil
		case err != nil:
			return nil, err
		}
		return []string{p}, nil
	}
	entries, err := f.Tree.List(dir)
	if isAbsent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var places []string
	for _, e := range entries {
		if fits, err := path.Match(head, e.Name()); err != nil || !fits {
			continue
		}
		p := path.Join(dir, e.Name())
		switch {
		case deeper && e.IsDir():
			more, err := f.match(p, rest)
			if err != nil {
				return nil, err
			}
			places = append(places, more...)
		case !deeper && e.Type().IsRegular():
			places = append(places, p)
		}
	}
	return places, nil
}

func (f *Finder) read(pattern string, places []string, from func(string) string) ([]line.Found, error) {
	var found []line.Found
	for _, p := range places {
		body, there, err := Look(f.Tree, from(p))
		if err != nil {
			return nil, err
		}
		if there {
			found = append(found, line.Found{Pattern: pattern, Path: p, Body: body})
		}
	}
	return found, nil
}

func isAbsent(err error) bool { return errors.Is(err, fault.NotFound) }
