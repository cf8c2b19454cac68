package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sluice/internal/app"
	"sluice/internal/kernel"
)

// describe says in a few words what happened. Facts that others tell better give nothing.
func describe(f kernel.Fact) string {
	switch f := f.(type) {
	case kernel.RunOpened:
		return "opened " + string(f.Run) + " (" + f.Line + "): " + f.Title
	case kernel.NodesAdded:
		return "added " + count(len(f.Nodes), "node")
	case kernel.AttemptBegan:
		return describeBegan(f)
	case kernel.AttemptClosed:
		return describeClosed(f)
	case kernel.VersionStored:
		return describeStored(f)
	case kernel.ReviewRecorded:
		return describeReview(f.Review)
	case kernel.VersionApproved:
		return "approved " + named(f.Version) + by(f)
	case kernel.VersionRejected:
		return "rejected " + named(f.Version) + ", then " + string(f.Then)
	case kernel.OfferTaken:
		return "took the offered " + named(f.Version)
	case kernel.AskOpened:
		return describeAsk(f.Ask)
	case kernel.AskClosed:
		if f.Withdrawn != "" {
			return "withdrew ask " + string(f.Ask) + ": " + f.Withdrawn
		}
		return strings.TrimSpace("answered ask " + string(f.Ask) + " " + f.Choice)
	}
	return describeRun(f)
}

// describeRun tells facts about whole nodes and runs.
func describeRun(f kernel.Fact) string {
	switch f := f.(type) {
	case kernel.NodeAbandoned:
		return because("gave up "+string(f.Node), f.Reason)
	case kernel.NodeReopened:
		return because("reopened "+string(f.Node), f.Reason)
	case kernel.NodeHeld:
		return because("put aside "+string(f.Node), f.Reason)
	case kernel.RedoRequested:
		return because("to be made again: "+nodeNames(f.Nodes), f.Note)
	case kernel.RolledBack:
		return because("rolled back "+nodeNames(f.Nodes), f.Reason)
	case kernel.RollbackUndone:
		return "undid rollback " + strconv.Itoa(f.N)
	case kernel.RunClosed:
		return because(string(f.Outcome)+" the run", f.Reason)
	case kernel.RunReopened:
		return because("reopened the run", f.Reason)
	case kernel.RunRelabelled:
		return "relabelled the run" + labelChanges(f)
	case kernel.EvidenceRecorded:
		return "recorded evidence " + f.Evidence.ID
	}
	return kernel.Word(f)
}

func labelChanges(f kernel.RunRelabelled) string {
	var all []string
	for _, k := range slices.Sorted(maps.Keys(f.Set)) {
		all = append(all, k+"="+f.Set[k])
	}
	for _, k := range f.Drop {
		all = append(all, "no "+k)
	}
	if len(all) == 0 {
		return ""
	}
	return ": " + strings.Join(all, ", ")
}

func describeBegan(f kernel.AttemptBegan) string {
	line := "began " + string(f.Node)
	if f.N > 1 {
		line += ", attempt " + strconv.Itoa(f.N)
	}
	if f.Performer.Kind != kernel.Engine {
		line += ", by " + f.Performer.String()
	}
	return line
}

// describeClosed tells what went wrong; what went well is told by the version or the review.
func describeClosed(f kernel.AttemptClosed) string {
	last := ""
	if n := len(f.Snapshot.Errors); n > 0 {
		last = f.Snapshot.Errors[n-1].Code + ": " + f.Snapshot.Errors[n-1].Message
	}
	switch f.Snapshot.Outcome {
	case kernel.Failed:
		return because("failed "+string(f.Node), last)
	case kernel.Unusable:
		return because("unusable reply for "+string(f.Node), last)
	case kernel.Withdrawn:
		return because("withdrew the attempt at "+string(f.Node), last)
	}
	return ""
}

func describeStored(f kernel.VersionStored) string {
	verb := "delivered "
	if f.Offered {
		verb = "offered "
	}
	line := verb + named(f.Version.ID) + " (" + bytesText(f.Version.Size) + ")"
	if f.Version.By.Kind != kernel.Engine {
		line += ", by " + f.Version.By.String()
	}
	return line
}

func describeReview(r kernel.Review) string {
	line := "review of " + named(r.Version) + ": " + string(r.Verdict)
	if r.Score != nil {
		line += ", score " + strconv.FormatFloat(*r.Score, 'f', -1, 64)
	}
	if len(r.Findings) > 0 {
		line += ", " + count(len(r.Findings), "finding")
	}
	if r.Late {
		line += ", late"
	}
	if r.Check != "" {
		return line + ", by " + string(r.Check)
	}
	return line + ", by " + r.By.String()
}

func describeAsk(a kernel.Ask) string {
	title := a.Title
	if title == "" {
		title = string(a.Kind) + " " + string(a.Node)
	}
	return fmt.Sprintf("asks you: %s (%s)", title, a.ID)
}

// by says on whose word a version was approved.
func by(f kernel.VersionApproved) string {
	switch {
	case len(f.Reviews) > 0:
		return " by " + count(len(f.Reviews), "review")
	case f.Rule == "none":
		return " by none: it has no gate"
	case f.Rule != "":
		return " by rule " + f.Rule
	}
	return ""
}

// named shows text@2 as text v2.
func named(id kernel.VersionID) string {
	s := string(id)
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		return s[:i] + " v" + s[i+1:]
	}
	return s
}

func because(what, reason string) string {
	if reason == "" {
		return what
	}
	return what + ": " + reason
}

func nodeNames(ids []kernel.NodeID) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = string(id)
	}
	return strings.Join(names, ", ")
}

// what tells an event of a log in words, or by its name where it has none.
func what(e app.EventDoc) string {
	fact, ok := factOf(e)
	if !ok {
		return e.Type
	}
	if f, ok := fact.(kernel.AttemptClosed); ok && describe(f) == "" {
		return "closed the attempt at " + string(f.Node) + ": " + string(f.Snapshot.Outcome)
	}
	return describe(fact)
}

// factOf reads the fact of an event of a log, unless it is of a kind that this program does not know.
func factOf(e app.EventDoc) (kernel.Fact, bool) {
	raw, err := json.Marshal([]app.EventDoc{e})
	if err != nil {
		return nil, false
	}
	// The log's document has the journal's shape but for the author, who is a name here.
	var shape []map[string]json.RawMessage
	if json.Unmarshal(raw, &shape) != nil {
		return nil, false
	}
	delete(shape[0], "by")
	delete(shape[0], "run")
	if raw, err = json.Marshal(shape); err != nil {
		return nil, false
	}
	events, err := kernel.Decode(raw)
	if err != nil {
		return nil, false
	}
	return events[0].Fact, true
}
