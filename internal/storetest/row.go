package storetest

import (
	"testing"

	"sluice/internal/fault"
	"sluice/internal/journal"
)

func row(table, key, body string) journal.Row {
	r := journal.Row{Table: table, Key: key}
	if body != "" {
		r.Body = []byte(body)
	}
	return r
}

func wantRows(t *testing.T, s Store, run string, want ...journal.Row) {
	t.Helper()
	wantEqual(t, must(s.Rows(t.Context(), run))(t), want)
}

func testRows(t *testing.T, f fixture) {
	s := f.store(t)
	one, two := batch("r1", 0), batch("r2", 0)
	one.Rows = []journal.Row{row("task", "b", `{"n":1}`), row("task", "a", `{"n":2}`), row("edge", "1", `{}`)}
	two.Rows = []journal.Row{row("task", "a", `{"n":9}`)}
	mustAppend(t, s, one, two)
	wantRows(t, s, "r1", row("edge", "1", `{}`), row("task", "a", `{"n":2}`), row("task", "b", `{"n":1}`))

	next := batch("r1", 1)
	next.Rows = []journal.Row{row("task", "a", `{"n":3}`), row("task", "none", ""), row("edge", "1", "")}
	mustAppend(t, s, next)
	wantRows(t, s, "r1", row("task", "a", `{"n":3}`), row("task", "b", `{"n":1}`))

	anew := batch("r1", 2)
	anew.Rows = []journal.Row{row("task", "", ""), row("task", "c", `{"n":4}`)}
	mustAppend(t, s, anew, batch("r3", 0))
	wantRows(t, s, "r1", row("task", "c", `{"n":4}`))
	wantRows(t, s, "r2", row("task", "a", `{"n":9}`))
	wantRows(t, s, "r3")
	wantRows(t, f.store(t), "r1", row("task", "c", `{"n":4}`)) // another process sees the same

	_, err := s.Rows(t.Context(), "none")
	wantCode(t, err, fault.UnknownRun)
	for _, bad := range []journal.Row{{Key: "a", Body: []byte("{}")}, {Table: "task", Body: []byte("{}")}, {Table: "task", Key: "a", Body: []byte{}}} {
		b := batch("r1", 3)
		b.Rows = []journal.Row{bad}
		wantCode(t, s.Append(t.Context(), b), fault.BadValue)
	}
}

func testRowsOfRefused(t *testing.T, f fixture) {
	s := f.store(t)
	mustAppend(t, s, batch("r1", 0), batch("r2", 0))
	late, good := batch("r1", 5), batch("r2", 1)
	late.Rows = []journal.Row{row("task", "a", `{}`)}
	good.Rows = []journal.Row{row("task", "a", `{}`)}
	wantCode(t, s.Append(t.Context(), late), fault.Conflict)
	wantCode(t, s.Append(t.Context(), good, late), fault.Conflict)
	wantRows(t, s, "r1")
	wantRows(t, s, "r2")
}

func testPutRows(t *testing.T, f fixture) {
	s := f.store(t)
	b := batch("r1", 0)
	b.Rows = []journal.Row{row("task", "a", `{"n":1}`), row("edge", "1", `{}`)}
	mustAppend(t, s, b)
	wantCode(t, s.PutRows(t.Context(), "r1", 2, []journal.Row{row("task", "b", `{}`)}), fault.Conflict)
	wantCode(t, s.PutRows(t.Context(), "none", 1, nil), fault.UnknownRun)
	wantRows(t, s, "r1", row("edge", "1", `{}`), row("task", "a", `{"n":1}`))
	for range 2 {
		if err := s.PutRows(t.Context(), "r1", 1, []journal.Row{row("task", "b", `{"n":2}`)}); err != nil {
			t.Fatal(err)
		}
		wantRows(t, s, "r1", row("task", "b", `{"n":2}`))
	}
	wantEqual(t, must(s.RowsDue(t.Context()))(t), []string(nil)) // what this program writes is never due
	mustAppend(t, s, batch("r1", 1))
	wantRows(t, s, "r1", row("task", "b", `{"n":2}`))
}
