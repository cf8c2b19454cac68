package cli

import (
	"fmt"
	"strings"

	"sluice/internal/app"
	"sluice/internal/fault"
)

func currentText(name string) string {
	if name == "" {
		return "no session is current; commands work in the workspace itself\n"
	}
	return name + "\n"
}

// session renders one session after what was done with it.
func (v look) session(what string, d app.SessionDoc) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s session %s   %s, %s deleted, %s   %s\n", what, clean(d.SessionName), count(d.Files, "file"),
		thousands(d.Deleted), count(d.Workflows, "workflow"), clean(d.Directory))
	if !d.Current {
		b.WriteString(v.next([]fault.Action{{Command: "sluice session switch " + d.SessionName, Why: "to work in it"}}))
	}
	return b.String()
}

func (v look) sessions(d app.SessionsDoc) string {
	if len(d.Sessions) == 0 {
		return "there are no sessions\n" + v.next([]fault.Action{{Command: "sluice session new NAME", Why: "opens one"}})
	}
	rows := [][]string{{"SESSION", "STATUS", "FILES", "DELETED", "WORKFLOWS", "CREATED", "BY"}}
	for _, s := range d.Sessions {
		name := clean(s.SessionName)
		if s.Current {
			name += " *"
		}
		rows = append(rows, []string{name, s.Status, thousands(s.Files), thousands(s.Deleted), thousands(s.Workflows),
			ago(v.now.Sub(s.CreatedAt)), clean(s.CreatedBy)})
	}
	return table(v.width, rows...)
}

// path prints the file alone where that says it all, so that it can be used in a shell.
func (v look) path(d app.PathDoc) string {
	switch d.Source {
	case "deleted":
		return clean(d.Path) + " is deleted in session " + clean(d.SessionName) + "\n"
	case "absent":
		return clean(d.Path) + " is not there\n"
	}
	return clean(d.ResolvedPath) + "\n"
}

func (v look) changes(what, name string, changes []app.ChangeDoc, workflows []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "session %s %s %s and %s\n", clean(name), what, count(len(changes), "file"), count(len(workflows), "workflow"))
	marks := map[string]string{"added": "A", "modified": "M", "deleted": "D"}
	for _, c := range changes {
		fmt.Fprintf(&b, "  %s %s  +%d -%d\n", marks[c.Change], clean(c.Path), c.LinesAdded, c.LinesRemoved)
		if c.Conflict != "" {
			fmt.Fprintf(&b, "    conflict: %s\n", clean(c.Conflict))
		}
	}
	for _, w := range workflows {
		fmt.Fprintf(&b, "  W %s\n", clean(w))
	}
	return b.String()
}

func (v look) ended(d app.CommitDoc) string {
	switch {
	case d.Already:
		return fmt.Sprintf("session %s was %s before\n", clean(d.SessionName), d.Status)
	case d.Preview && len(d.Conflicts) > 0:
		return v.changes("would change", d.SessionName, d.Changes, d.Workflows) +
			v.next([]fault.Action{{Command: "sluice session path --session " + d.SessionName + " --rebase FILE", Why: "after merging what conflicts"}})
	case d.Preview:
		return v.changes("would change", d.SessionName, d.Changes, d.Workflows) +
			v.next([]fault.Action{{Command: "sluice session commit " + d.SessionName + " --confirm", Why: "does it"}})
	case d.Status == "cancelled":
		return fmt.Sprintf("cancelled session %s with %s; the workspace is as it was\n", clean(d.SessionName), count(len(d.Workflows), "workflow"))
	}
	return v.changes("changed", d.SessionName, d.Changes, d.Workflows)
}
