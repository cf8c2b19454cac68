package doctor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/internal/journal"
	"sluice/internal/kernel"
)

// head compares the row by which runs are listed with the fold.
func (v *verifier) head(run *kernel.Run, row journal.RunInfo) {
	differs := func(what, shown, is string) {
		if shown != is {
			v.find(Finding{Code: HeadDiffers, Severity: Warning,
				Message:    fmt.Sprintf("the list shows %s %q and the journal gives %q", what, shown, is),
				Repairable: what != "run", Command: repairCommand})
		}
	}
	differs("run", v.run, string(run.ID()))
	differs("line", row.Line, run.Line())
	differs("title", row.Title, run.Title())
	differs("status", row.Status, string(run.Status()))
	differs("definition", string(row.Definition), string(run.Definition()))
	differs("labels", labels(row.Labels), labels(run.Labels()))
	if row.Seq != run.Seq() {
		// Events at the end of a journal can be lost without a trace in the chain; the row remembers how many there were.
		v.find(Finding{Code: JournalGap, Severity: Error, Seq: min(row.Seq, run.Seq()) + 1, Hint: backupHint,
			Message: fmt.Sprintf("the run is at event %d and its journal ends with %d", row.Seq, run.Seq())})
	}
}

func labels(m map[string]string) string {
	all := make([]string, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		all = append(all, k+"="+m[k])
	}
	return strings.Join(all, " ")
}

// asks compares the inbox with the asks that the fold has open.
func (v *verifier) asks(run *kernel.Run, rows []journal.Ask) {
	shown := make(map[string]journal.Ask, len(rows))
	for _, row := range rows {
		shown[row.ID] = row
	}
	for a := range run.OpenAsks() {
		f := Finding{Severity: Warning, Node: string(a.Node), Repairable: true, Command: repairCommand}
		row, ok := shown[string(a.ID)]
		delete(shown, string(a.ID))
		switch what := askDifference(row, a); {
		case !ok:
			f.Code, f.Message = AskMissing, fmt.Sprintf("ask %s is open and not in the inbox", a.ID)
		case what != "":
			f.Code, f.Message = AskDiffers, fmt.Sprintf("the inbox shows ask %s with another %s than the journal", a.ID, what)
		default:
			continue
		}
		v.find(f)
	}
	for _, row := range shown {
		v.find(Finding{Code: AskStray, Severity: Warning, Node: row.Node, Repairable: true, Command: repairCommand,
			Message: fmt.Sprintf("the inbox shows ask %s, which is not open", row.ID)})
	}
}

// askDifference names the first thing in which a row differs from its ask.
func askDifference(row journal.Ask, a *kernel.Ask) string {
	switch {
	case row.Node != string(a.Node):
		return "node"
	case row.Kind != string(a.Kind):
		return "kind"
	case row.Title != a.Title:
		return "title"
	case row.Version != string(a.Version) || row.Digest != a.Digest:
		return "version"
	case row.OpenedAt.UnixMicro() != a.OpenedAt.UnixMicro():
		return "time"
	}
	// Read and rendered again, so that an ask written by an earlier program is the same.
	var body kernel.Ask
	if json.Unmarshal(row.Body, &body) != nil {
		return "body"
	}
	got, err := json.Marshal(body)
	want, wantErr := json.Marshal(a)
	if err != nil || wantErr != nil || !bytes.Equal(got, want) {
		return "body"
	}
	return ""
}
