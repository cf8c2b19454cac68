package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"sluice/internal/app"
	"sluice/internal/config"
	"sluice/internal/doctor"
	"sluice/internal/fault"
	"sluice/internal/kernel"
)

// look renders documents as text. It is pure: the same document, time and width give the same text.
type look struct {
	now        time.Time
	width      int    // columns; 0 cuts nothing
	workspace  string // what --workspace said, which the commands we print need too
	isColoured bool
}

// command is a command as this person must type it.
func (v look) command(c string) string {
	c = clean(c)
	rest, ok := strings.CutPrefix(c, "sluice ")
	if !ok || v.workspace == "" {
		return c
	}
	return "sluice --workspace " + shellWord(v.workspace) + " " + rest
}

// shellWord quotes a word where a shell would not take it as one.
func shellWord(s string) string {
	s = clean(s)
	if s != "" && !strings.ContainsAny(s, " \t'\"\\$`&|;<>()*?[]{}#~!") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func (v look) paint(code, s string) string {
	if !v.isColoured {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// fault renders an error for a person.
func (v look) fault(f *fault.Error) string {
	first, rest, more := strings.Cut(cleanBlock(f.Error()), "\n")
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s [%s]\n", v.paint("31", "error:"), first, f.Code)
	if more {
		b.WriteString(strings.TrimRight(rest, "\n") + "\n")
	}
	b.WriteString(v.next(f.Next))
	if f.LogPath != "" {
		b.WriteString("log: " + clean(f.LogPath) + "\n")
	}
	return b.String()
}

// next renders the ways on, one per line.
func (v look) next(actions []fault.Action) string {
	var b strings.Builder
	for _, a := range actions {
		line := v.command(a.Command)
		if why := clean(a.Why); why != "" && line != "" {
			line += "   " + why
		} else if line == "" {
			line = why
		}
		if line == "" {
			line = clean(a.Action)
		}
		if a.After != "" {
			line += " (after: " + clean(a.After) + ")"
		}
		b.WriteString(v.paint("1", "next:") + " " + line + "\n")
	}
	return b.String()
}

// rehearsalNote labels what no real model wrote.
const rehearsalNote = "rehearsal: its text comes from the offline placeholder model"

// head says what a run is and where it stands, on one line.
func (v look) head(d app.RunDoc) string {
	line := fmt.Sprintf("run %s (%s) is %s: %s", clean(d.Run), clean(d.Line), d.Status, clean(d.Title))
	if d.Rehearsal {
		line += "\n  " + rehearsalNote
	}
	return line + "\n"
}

// summary shows a run after it was driven: where it stands, what it waits for, and how it goes on.
func (v look) summary(d app.RunDoc) string {
	var b strings.Builder
	b.WriteString(v.head(d))
	b.WriteString("  " + tally(d.Nodes) + "\n")
	if u := usage(d.Usage); u != "" {
		b.WriteString("  " + u + "\n")
	}
	for _, n := range d.Nodes {
		if kernel.Status(n.Status) == kernel.StatusFailed && n.Reason != "" {
			b.WriteString("  failed " + clean(n.Node) + ": " + clean(n.Reason) + "\n")
		}
	}
	if len(d.Asks) > 0 {
		b.WriteString("waits for you:\n")
		for _, a := range d.Asks {
			b.WriteString(v.ask(a, false))
		}
	}
	b.WriteString(v.next(beyondAsks(d)))
	return b.String()
}

// beyondAsks are the next actions that are not commands of an ask, which are shown with it.
func beyondAsks(d app.RunDoc) []fault.Action {
	shown := map[string]bool{}
	for _, a := range d.Asks {
		for _, c := range a.Commands {
			shown[c] = true
		}
	}
	var rest []fault.Action
	for _, a := range d.Next {
		if !shown[a.Command] {
			rest = append(rest, a)
		}
	}
	return rest
}

// tally counts the steps by status, in the order of life. Groups have no work of their own.
func tally(nodes []app.NodeDoc) string {
	by, total := map[string]int{}, 0
	for _, n := range nodes {
		if kernel.Kind(n.Kind) == kernel.Group {
			continue
		}
		by[n.Status]++
		total++
	}
	parts := []string{fmt.Sprintf("%d of %s done", by[string(kernel.StatusDone)], count(total, "step"))}
	for _, s := range kernel.Statuses() {
		if n := by[string(s)]; n > 0 && s != kernel.StatusDone {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	return strings.Join(parts, ", ")
}

func usage(u app.UsageDoc) string {
	if u.Calls == 0 && u.Reused == 0 {
		return ""
	}
	text := fmt.Sprintf("%s, %s tokens in, %s out", count(u.Calls, "model call"), thousands(u.InputTokens), thousands(u.OutputTokens))
	if u.Cost != nil {
		text += ", " + dollars(*u.Cost)
		if u.UnpricedCalls > 0 {
			text += " and " + count(u.UnpricedCalls, "call") + " without a known price"
		}
	}
	if u.Reused > 0 {
		if u.Reused == 1 {
			return text + ", 1 reply reused"
		}
		text += fmt.Sprintf(", %s replies reused", thousands(u.Reused))
	}
	return text
}

// recorded shows a run that took a command: what was done, and how it goes on.
func (v look) recorded(what string, d app.RunDoc) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s; run %s is %s\n", what, clean(d.Run), d.Status)
	if len(d.Asks) > 0 {
		actions := []fault.Action{{Command: "sluice inbox " + d.Run, Why: count(len(d.Asks), "ask") + " open"}}
		b.WriteString(v.next(append(actions, beyondAsks(d)...)))
		return b.String()
	}
	b.WriteString(v.next(d.Next))
	return b.String()
}

// status shows one run with all its nodes.
func (v look) status(d app.RunDoc) string {
	rows := [][]string{{"NODE", "KIND", "STATUS", "TRIES", "NEWEST", "APPROVED", "NOTE"}}
	for _, n := range d.Nodes {
		note := clean(n.Title)
		if n.Reason != "" {
			note = clean(n.Reason)
		}
		if n.Stale {
			note = strings.TrimSpace("stale " + note)
		}
		rows = append(rows, []string{clean(n.Node), n.Kind, n.Status, strconv.Itoa(n.Attempts), dash(versionText(n.Newest)),
			dash(versionText(n.Approved)), note})
	}
	when := fmt.Sprintf("  opened %s, last event %d at %s\n", timeText(d.OpenedAt), d.Events, timeText(d.UpdatedAt))
	summary := v.summary(d)
	at := len(v.head(d))
	return summary[:at] + when + summary[at:] + "\n" + table(v.width, rows...)
}

// versionText shows text@2 as v2: the node stands beside it.
func versionText(id string) string {
	if i := strings.LastIndexByte(id, '@'); i >= 0 {
		return "v" + clean(id[i+1:])
	}
	return clean(id)
}

func dash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// overview lists runs.
func (v look) overview(d app.OverviewDoc) string {
	var b strings.Builder
	if len(d.Runs) == 0 {
		b.WriteString("no runs in " + clean(d.Workspace) + "\n")
	} else {
		rows := [][]string{{"RUN", "LINE", "STATUS", "UPDATED", "COST", "TITLE"}}
		for _, r := range d.Runs {
			status := r.Status
			if r.Rehearsal {
				status += " (rehearsal)"
			}
			rows = append(rows, []string{clean(r.Run), clean(r.Line), status, ago(v.now.Sub(r.UpdatedAt)), rowCost(r), clean(r.Title)})
		}
		b.WriteString(table(v.width, rows...))
	}
	if d.Next != "" {
		b.WriteString(v.next([]fault.Action{{Command: "sluice status --page " + d.Next, Why: "there are more"}}))
	}
	if d.OpenAsks > 0 {
		b.WriteString(v.next([]fault.Action{{Command: "sluice inbox", Why: count(d.OpenAsks, "ask") + " open"}}))
	}
	return b.String()
}

// rowCost is empty for a run that asked nobody yet.
func rowCost(r app.RunRow) string {
	if r.Tokens == 0 && r.Cost == nil {
		return ""
	}
	return costText(r.Cost)
}

// inbox lists what people are asked.
func (v look) inbox(d app.InboxDoc) string {
	if len(d.Asks) == 0 {
		return "nothing waits for you\n"
	}
	var b strings.Builder
	for i, a := range d.Asks {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(v.ask(a, true))
	}
	return b.String()
}

// why says in words why an ask is open.
var why = map[string]string{
	string(kernel.GateAsks):      "waits for a person's verdict",
	string(kernel.PerformerAsks): "is a person's step",
	string(kernel.OfferAsks):     "you changed it while a new version was made; both are kept",
	string(kernel.UsedUp):        "attempts or the outside world are at an end",
	string(kernel.Blocked):       "something it needs was given up",
}

// ask shows one ask: what, of which version, since when, and the commands that answer it.
func (v look) ask(a app.AskDoc, full bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s: %s\n", clean(a.Ask), a.Kind, clean(a.Title))
	about := "  run " + clean(a.Run) + ", node " + clean(a.Node)
	if a.Version != "" {
		about += " " + versionText(a.Version)
		if a.Digest != "" {
			about += " (" + a.Digest.Short() + ")"
		}
	}
	if a.Offer != "" {
		about += ", offered " + versionText(a.Offer)
	}
	b.WriteString(about + "\n")
	if full {
		fmt.Fprintf(&b, "  %s; open since %s (%s)\n", orWord(why[a.Reason], a.Reason), timeText(a.Since), ago(v.now.Sub(a.Since)))
	}
	for _, q := range a.Questions {
		line := "  " + clean(q.ID) + ": " + clean(q.Text)
		if len(q.Choices) > 0 {
			line += " (" + clean(strings.Join(q.Choices, ", ")) + ")"
		}
		b.WriteString(line + "\n")
	}
	for _, c := range a.Commands {
		b.WriteString("    " + v.command(c) + "\n")
	}
	return b.String()
}

func orWord(s, otherwise string) string {
	if s == "" {
		return clean(otherwise)
	}
	return s
}

// calls lists model calls. The provider's name labels what the rehearsal model said.
func (v look) calls(d app.CallsDoc) string {
	if len(d.Calls) == 0 {
		return "no model was called\n"
	}
	rows := [][]string{{"STARTED", "RUN", "NODE", "AGENT", "PROVIDER", "IN", "OUT", "COST", "TIME", "KEY", "OUTCOME"}}
	for _, c := range d.Calls {
		provider := clean(c.Provider)
		if c.Model != "" && c.Model != c.Provider {
			provider += "/" + clean(c.Model)
		}
		outcome := clean(c.Outcome)
		if c.Error != "" {
			outcome += ": " + clean(c.Error)
		}
		key := clean(c.Key)
		if i := strings.IndexByte(key, ':'); i >= 0 {
			key = key[i+1:]
		}
		rows = append(rows, []string{timeText(c.StartedAt), clean(c.Run), clean(c.Node), clean(c.Agent), provider, strconv.Itoa(c.InputTokens),
			strconv.Itoa(c.OutputTokens), costText(c.Cost), (time.Duration(c.DurationMS) * time.Millisecond).String(), key[:min(12, len(key))], outcome})
	}
	return table(v.width, rows...)
}

// report shows what doctor or verify looked at and found.
func (v look) report(what string, r doctor.Report) string {
	var b strings.Builder
	for _, f := range r.Repaired {
		f.Command = "" // it was run
		b.WriteString("repaired " + v.finding(f))
	}
	for _, f := range r.Findings {
		b.WriteString(f.Severity + " " + v.finding(f))
	}
	var parts []string
	for _, part := range []struct {
		n    int
		noun string
	}{{r.Runs, "run"}, {r.Events, "event"}, {r.Versions, "version"}, {r.Reviews, "review"}} {
		if part.n > 0 { // an export has no events, an empty workspace nothing at all
			parts = append(parts, count(part.n, part.noun))
		}
	}
	verdict := "all is as recorded"
	if n := len(r.Findings); n > 0 {
		verdict = count(n, "finding")
	}
	parts = append(parts, bytesText(r.Bytes)+" of content")
	fmt.Fprintf(&b, "%s: %s; %s\n", what, strings.Join(parts, ", "), verdict)
	return b.String()
}

func (v look) finding(f doctor.Finding) string {
	where := ""
	for _, part := range []string{f.Run, f.Node, f.Path} {
		if part != "" {
			where += " " + clean(part)
		}
	}
	if f.Seq > 0 {
		where += " #" + strconv.FormatInt(f.Seq, 10)
	}
	line := f.Code + where + ": " + clean(f.Message) + "\n"
	if f.Hint != "" {
		line += "  " + clean(f.Hint) + "\n"
	}
	if f.Command != "" {
		line += v.next([]fault.Action{{Command: f.Command}})
	}
	return line
}

// settings lists the configuration with its origins.
func (v look) settings(rows []config.Row) string {
	lines := [][]string{{"KEY", "VALUE", "FROM"}}
	for _, r := range rows {
		value := clean(r.Value)
		if value == "" {
			value = `""`
		}
		lines = append(lines, []string{r.Key, value, clean(r.Origin)})
	}
	return table(v.width, lines...)
}
