package task

import (
	"fmt"
	"strings"

	"sluice/internal/kernel"
	"sluice/internal/line"
)

// PlanningDoc says where planning stands.
type PlanningDoc struct {
	PlanID     string     `json:"plan_id"`
	Status     PlanStatus `json:"status"`
	Rounds     int        `json:"rounds"`
	LeafCount  int        `json:"leaf_count"`
	WaitingFor string     `json:"waiting_for"` // the document that says what to supply, or nothing
	Rehearsal  bool       `json:"rehearsal"`   // its text came from the rehearsal model
}

// Planning says where planning stands.
func (v View) Planning() PlanningDoc {
	d := PlanningDoc{PlanID: string(v.Run.ID()), Status: v.Status().Status, LeafCount: len(NewChart(&v.Doc).Leaves()), Rehearsal: v.IsRehearsal()}
	for n := range Rounds(v.Run) {
		if draft, _ := v.Run.Node(draftID(n)); draft.Attempts() > 0 {
			d.Rounds++
		}
	}
	if v.Waiting() != "" {
		d.WaitingFor = requiredDoc(v.Run.ID())
	}
	return d
}

// Waiting gives the node of planning that waits for a person: an input that is asked for, or a draft whose attempts are
// used up.
func (v View) Waiting() kernel.NodeID { return waiting(v.Run) }

func waiting(r *kernel.Run) kernel.NodeID {
	for n := range Rounds(r) {
		if in, ok := r.Node(inputID(n)); ok && in.Status() == kernel.StatusAsking {
			return in.ID()
		}
		if draft, _ := r.Node(draftID(n)); draft.Status() == kernel.StatusAsking {
			return draft.ID()
		}
	}
	return ""
}

// IsInput tells whether a node takes what a person supplies as content; a draft takes it as a note.
func IsInput(id kernel.NodeID) bool { return strings.HasPrefix(string(id), "input/") }

// SuppliedText makes one text of files and a note.
func SuppliedText(files []line.Part, note string) string {
	var b strings.Builder
	if note != "" {
		b.WriteString(note + "\n")
	}
	for _, f := range files {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", oneLine(f.Path), strings.TrimSpace(string(f.Body)))
	}
	return strings.TrimSpace(b.String()) + "\n"
}

// state shows what a person must supply, as long as planning waits for it.
func state(r *kernel.Run, body line.Body) ([]line.StateFile, error) {
	if _, planned := r.Node(draftID(1)); !planned {
		return nil, nil
	}
	file := line.StateFile{Path: requiredDoc(r.ID())}
	at := waiting(r)
	if at == "" {
		return []line.StateFile{file}, nil
	}
	k, err := keptOf(r)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# What plan %s needs\n\n%s\n\n", r.ID(), strings.TrimSpace(k.TopTask))
	if IsInput(at) {
		err = limitReached(&b, r, at, k, body)
	} else {
		draftsRejected(&b, r, at)
	}
	fmt.Fprintf(&b, "\n## How to go on\n\n    sluice task supply %s -f FILE --note TEXT\n", r.ID())
	file.Body = []byte(b.String())
	return []line.StateFile{file}, err
}

// limitReached lists the leaves that cannot be split any further.
func limitReached(b *strings.Builder, r *kernel.Run, at kernel.NodeID, k kept, body line.Body) error {
	n := 0
	if _, err := fmt.Sscanf(string(at), "input/%d", &n); err != nil {
		return err
	}
	raw, err := body(r.Approved(estimateID(n)))
	if err != nil {
		return err
	}
	d, err := ParseDocument(raw)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "These tasks take more than %s person-days and are not split any further: max_decomposition_depth is %d, max_leaves %d, max_total_attempts %d.\n\n",
		days(k.OneShotThresholdPersonDays), k.MaxDecompositionDepth, k.MaxLeaves, k.MaxTotalAttempts)
	c := NewChart(&d)
	for _, t := range TooLarge(d, k.Settings) {
		depth, _ := c.Depth(t.TaskID)
		fmt.Fprintf(b, "- %s (%s): %s person-days at depth %d\n", oneLine(t.Title), t.TaskID, days(t.EstimatedPersonDays), depth)
	}
	b.WriteString("\nSupply for each of them one of: what may be left out; material that makes it smaller (drafts, data, decisions); how it should be cut.\n")
	return nil
}

// draftsRejected lists what the last draft was rejected for.
func draftsRejected(b *strings.Builder, r *kernel.Run, at kernel.NodeID) {
	draft, _ := r.Node(at)
	fmt.Fprintf(b, "%d drafts of the plan were rejected or could not be used. What stands against the last one:\n\n", draft.Used())
	if v := draft.Newest(); v != nil {
		for _, review := range v.Reviews() {
			for _, f := range review.Findings {
				fmt.Fprintf(b, "- %s %s\n", oneLine(f.Message), oneLine(f.Fix))
			}
		}
	} else if last := draft.Last(); last != nil {
		fmt.Fprintf(b, "- the last reply was %s\n", last.Outcome)
	}
	b.WriteString("\nSupply what clears these up: constraints, decisions, documents.\n")
}
