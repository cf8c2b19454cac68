package storetest

import (
	"fmt"
	"testing"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
)

func testHead(t *testing.T, f fixture) {
	s := f.store(t)
	b := batch("r1", 0)
	b.Head = journal.Head{Line: "novel", Definition: digest.Of([]byte("definition")), Title: "a book", Status: "running",
		Labels: map[string]string{"project": "p1", "feature": "f"}, Summary: []byte(`{"chapters":3}`)}
	mustAppend(t, s, b)
	want := journal.RunInfo{ID: "r1", Seq: 1, Created: b.At, Updated: b.At, Head: b.Head}
	wantEqual(t, must(s.Run(t.Context(), "r1"))(t), want)

	next := batch("r1", 1)
	next.Head = b.Head
	mustAppend(t, s, next)
	want.Seq, want.Updated = 2, next.At
	wantEqual(t, must(s.Run(t.Context(), "r1"))(t), want)

	last := batch("r1", 2)
	last.Head = b.Head
	last.Head.Status, last.Head.Title, last.Head.Summary = "done", "the book", []byte(`{"chapters":4}`)
	last.Head.Labels = map[string]string{"project": "p2"}
	mustAppend(t, s, last)
	want.Seq, want.Updated, want.Head = 3, last.At, last.Head
	wantEqual(t, must(s.Run(t.Context(), "r1"))(t), want)
	for label, found := range map[[2]string]int{{"project", "p1"}: 0, {"project", "p2"}: 1, {"feature", "f"}: 0} {
		page := must(s.List(t.Context(), journal.Filter{Labels: map[string]string{label[0]: label[1]}}))(t)
		wantEqual(t, len(page.Runs), found)
	}

	bare := batch("r1", 3)
	bare.Head = journal.Head{Line: "novel", Status: "done"}
	mustAppend(t, s, bare)
	wantEqual(t, must(s.Run(t.Context(), "r1"))(t).Head, bare.Head)
}

func testList(t *testing.T, f fixture) {
	s := f.store(t)
	add := func(id, line, status, project string) {
		b := batch(id, 0)
		b.Head = journal.Head{Line: line, Status: status, Labels: map[string]string{"project": project, "team": "x"}}
		if line == "task" { // others have none
			b.Head.Summary = []byte(`{"phase":"` + status + `","count":2,"of":{"project":"` + project + `"}}`)
		}
		mustAppend(t, s, b)
	}
	add("r1", "novel", "running", "p1")
	add("r2", "task", "running", "p2")
	add("r3", "novel", "done", "p1")
	add("r4", "task", "parked", "p1")
	add("r5", "novel", "running", "p2")
	for name, c := range map[string]struct {
		filter journal.Filter
		want   string
	}{
		"everything":            {journal.Filter{}, "r5 r4 r3 r2 r1"},
		"a line":                {journal.Filter{Line: "novel"}, "r5 r3 r1"},
		"a status":              {journal.Filter{Status: []string{"running"}}, "r5 r2 r1"},
		"two statuses":          {journal.Filter{Status: []string{"parked", "running", "running"}}, "r5 r4 r2 r1"},
		"line and status":       {journal.Filter{Line: "novel", Status: []string{"running"}}, "r5 r1"},
		"a label":               {journal.Filter{Labels: map[string]string{"project": "p1"}}, "r4 r3 r1"},
		"two labels":            {journal.Filter{Labels: map[string]string{"project": "p2", "team": "x"}}, "r5 r2"},
		"label, line, statuses": {journal.Filter{Labels: map[string]string{"team": "x"}, Line: "task", Status: []string{"parked", "running"}}, "r4 r2"},
		"label and status":      {journal.Filter{Labels: map[string]string{"team": "x"}, Status: []string{"done"}}, "r3"},
		"label nobody has":      {journal.Filter{Labels: map[string]string{"project": "p9"}}, ""},
		"line nobody has":       {journal.Filter{Line: "scene"}, ""},
		"field of the summary":  {journal.Filter{Summary: map[string]string{"phase": "running"}}, "r2"},
		"field and label":       {journal.Filter{Summary: map[string]string{"phase": "parked"}, Labels: map[string]string{"team": "x"}}, "r4"},
		"field and status":      {journal.Filter{Summary: map[string]string{"phase": "parked"}, Status: []string{"parked", "running"}}, "r4"},
		"field nobody has":      {journal.Filter{Summary: map[string]string{`a"].b`: "x"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, limit := range []int{0, 1, 2} {
				c.filter.Limit = limit
				wantEqual(t, walk(t, s, c.filter), c.want)
			}
		})
	}
	_, err := s.List(t.Context(), journal.Filter{Cursor: "not a cursor!"})
	wantCode(t, err, fault.BadValue)
}

// walk reads every page of a filter and gives the ids.
func walk(t *testing.T, s Store, f journal.Filter) string {
	t.Helper()
	ids := ""
	for {
		page := must(s.List(t.Context(), f))(t)
		if f.Limit > 0 && len(page.Runs) > f.Limit {
			t.Fatalf("got a page of %d runs, want at most %d", len(page.Runs), f.Limit)
		}
		for _, r := range page.Runs {
			if ids != "" {
				ids += " "
			}
			ids += r.ID
		}
		if page.Next == "" {
			return ids
		}
		f.Cursor = page.Next
	}
}

func testPages(t *testing.T, f fixture) {
	s := f.store(t)
	for i := range 7 {
		mustAppend(t, s, batch(fmt.Sprintf("r%d", i), 0))
	}
	first := must(s.List(t.Context(), journal.Filter{Limit: 3}))(t)
	wantEqual(t, [2]string{first.Runs[0].ID, first.Runs[2].ID}, [2]string{"r6", "r4"})
	mustAppend(t, s, batch("newer", 0)) // what comes later does not shift the pages that follow
	mustAppend(t, s, batch("r5", 1))
	rest := walk(t, s, journal.Filter{Limit: 3, Cursor: first.Next})
	wantEqual(t, rest, "r3 r2 r1 r0")
	exact := must(s.List(t.Context(), journal.Filter{Limit: 8}))(t)
	wantEqual(t, exact.Next, "")
}
