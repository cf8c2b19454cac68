package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"sluice/internal/digest"
)

// change gives the events with the first fact of type F changed, or dropped if change says so.
func change[F Fact](events []Event, edit func(*F) (keep bool)) []Event {
	out := slices.Clone(events)
	for i, e := range out {
		if f, ok := e.Fact.(F); ok {
			if !edit(&f) {
				return slices.Delete(out, i, i+1)
			}
			out[i].Fact = f
			return out
		}
	}
	return out
}

// again repeats the first fact of type F at the end.
func again[F Fact](events []Event) []Event {
	for _, e := range events {
		if _, ok := e.Fact.(F); ok {
			return append(slices.Clone(events), e)
		}
	}
	return events
}

func drop[F Fact](events []Event) []Event { return change(events, func(*F) bool { return false }) }

func TestVerifyFindsWhatNoLawRecords(t *testing.T) {
	healthy := tell(t, `
		make w
		make a needs=w gate=rule,checks
		check c of a
		make b needs=a gate=person

		begin w
		deliver w one
		begin a
		deliver a one rule=pass
		begin c
		verdict c for
		begin b
		deliver b one
		answer b approve
		rollback b
		undo
	`).events()
	other := digest.Of([]byte("other"))
	approvalOf := func(id NodeID, edit func(*VersionApproved)) []Event {
		out := slices.Clone(healthy)
		for i, e := range out {
			if f, ok := e.Fact.(VersionApproved); ok && f.Node == id {
				edit(&f)
				out[i].Fact = f
			}
		}
		return out
	}
	tests := map[string]struct {
		events    []Event
		invariant int
	}{
		"no first event":                 {drop[RunOpened](healthy), 1},
		"opened twice":                   {again[RunOpened](healthy), 1},
		"nodes twice":                    {again[NodesAdded](healthy), 9},
		"nodes are missing":              {drop[NodesAdded](healthy), 9},
		"attempt never began":            {drop[AttemptBegan](healthy), 7},
		"attempt began twice":            {again[AttemptBegan](healthy), 7},
		"attempt closed twice":           {again[AttemptClosed](healthy), 7},
		"attempt without an outcome":     {change(healthy, func(f *AttemptClosed) bool { f.Snapshot.Outcome = ""; return true }), 7},
		"version twice":                  {again[VersionStored](healthy), 2},
		"version without a digest":       {change(healthy, func(f *VersionStored) bool { f.Version.Digest = "x"; return true }), 2},
		"version from nowhere":           {change(healthy, func(f *VersionStored) bool { f.Version.Parents = []VersionID{"x@9"}; return true }), 6},
		"version is missing":             {drop[VersionStored](healthy), 9},
		"input was not approved":         {drop[VersionApproved](healthy), 6},
		"review twice":                   {again[ReviewRecorded](healthy), 5},
		"review of other bytes":          {change(healthy, func(f *ReviewRecorded) bool { f.Review.Digest = other; return true }), 5},
		"review by a check of another":   {change(healthy, func(f *ReviewRecorded) bool { f.Review.Check = "a"; return true }), 5},
		"approval by nothing":            {approvalOf("a", func(f *VersionApproved) { f.Rule, f.Reviews = "", nil }), 10},
		"approval without the check":     {approvalOf("a", func(f *VersionApproved) { f.Reviews = f.Reviews[:1] }), 10},
		"approval without the rule":      {approvalOf("a", func(f *VersionApproved) { f.Reviews = f.Reviews[1:] }), 10},
		"approval without the person":    {approvalOf("b", func(f *VersionApproved) { f.Rule, f.Reviews = "none", nil }), 10},
		"approval by another's review":   {approvalOf("b", func(f *VersionApproved) { f.Reviews = []ReviewID{"a@1!1"} }), 5},
		"approval of another's version":  {approvalOf("b", func(f *VersionApproved) { f.Version = "a@1" }), 3},
		"ask twice":                      {again[AskOpened](healthy), 12},
		"ask about other bytes":          {change(healthy, func(f *AskOpened) bool { f.Ask.Digest = other; return true }), 12},
		"ask closed twice":               {again[AskClosed](healthy), 12},
		"ask never opened":               {drop[AskOpened](healthy), 12},
		"rollback undone twice":          {again[RollbackUndone](healthy), 3},
		"offer taken that was not one":   {append(slices.Clone(healthy), Event{Fact: OfferTaken{Node: "a", Version: "a@1"}}), 3},
		"node that is not of the run":    {append(slices.Clone(healthy), Event{Fact: NodeHeld{Node: "x"}}), 9},
		"rollback that nobody asked for": {append(slices.Clone(healthy), Event{By: robot, Fact: RolledBack{N: 2, Nodes: []NodeID{"b"}}}), 3},
		"redo of a node that is unknown": {append(slices.Clone(healthy), Event{Fact: RedoRequested{Nodes: []NodeID{"x"}}}), 9},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			found := VerifyJournal(tt.events)
			if !slices.ContainsFunc(found, func(v Violation) bool { return v.Invariant == tt.invariant && v.String() != "" }) {
				t.Errorf("found %v, want a violation of invariant %d", found, tt.invariant)
			}
		})
	}
}

func TestAuditFindsWhatDiffersFromTheFacts(t *testing.T) {
	const script = `
		group g
		make w parent=g
		make a needs=w gate=person parent=g
		make b needs=a
		make d

		begin w
		deliver w one
		begin a
		deliver a one
		begin d
	`
	tests := map[string]func(r *Run){
		"status":         func(r *Run) { r.nodes["a"].status = StatusDone },
		"unmet needs":    func(r *Run) { r.nodes["b"].unmet = 0 },
		"dead needs":     func(r *Run) { r.nodes["b"].dead++ },
		"children":       func(r *Run) { r.nodes["g"].doneKids++ },
		"staleness":      func(r *Run) { r.nodes["w"].staleBy++ },
		"count":          func(r *Run) { r.count[StatusDone]++ },
		"ready":          func(r *Run) { r.ready.place(r.nodes["b"], true) },
		"working":        func(r *Run) { r.working.set(r.nodes["a"], true) },
		"open asks":      func(r *Run) { r.open = orderedSet[*Ask]{} },
		"asks of a node": func(r *Run) { r.nodes["a"].asks = nil },
		"approved":       func(r *Run) { r.nodes["w"].approved = r.nodes["a"].newest },
		"review":         func(r *Run) { r.nodes["w"].newest.reviews = []*Review{{ID: "x", Version: "y"}} },
		"open attempt":   func(r *Run) { r.nodes["d"].open.Outcome = Failed },
		"input":          func(r *Run) { r.nodes["d"].open.Inputs = []Input{{Node: "a", Version: "a@1"}} },
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			r := tell(t, script).run
			if found := Audit(r); len(found) > 0 {
				t.Fatalf("a healthy run has %v", found)
			}
			spoil(r)
			if len(Audit(r)) == 0 {
				t.Error("nothing was found")
			}
		})
	}
}

// TestSetsKeepTheirOrder compares the two indexes with the plainest thing that could do their work.
func TestSetsKeepTheirOrder(t *testing.T) {
	chance := rand.New(rand.NewPCG(3, 4))
	var numbers bitSet
	var order orderedSet[int]
	model := map[int]bool{}
	var inserted []int
	for range 20000 {
		i := 1 + chance.IntN(9000)
		if model[i] {
			numbers.remove(i)
			order.set(i, false)
			delete(model, i)
			inserted = slices.DeleteFunc(inserted, func(j int) bool { return j == i })
		} else {
			numbers.add(i)
			order.set(i, true)
			model[i] = true
			inserted = append(inserted, i)
		}
	}
	if got := slices.Collect(order.all()); !slices.Equal(got, inserted) {
		t.Error("the ordered set is not in the order of adding")
	}
	slices.Sort(inserted)
	if got := slices.Collect(numbers.all()); !slices.Equal(got, inserted) || numbers.size != len(inserted) || numbers.has(9001) {
		t.Error("the bit set is not in the order of its members")
	}
}
