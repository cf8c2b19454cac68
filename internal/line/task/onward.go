package task

import (
	"sluice/internal/fault"
	"sluice/internal/kernel"
)

// Onward is how a plan goes on from where it stands.
func (v View) Onward() fault.Action { return onward(v.Run, v.IsUnfolded()) }

func onward(r *kernel.Run, isUnfolded bool) fault.Action {
	id := string(r.ID())
	isPlanned := r.Approved(PlanNode) != nil
	switch {
	case r.Status() == kernel.RunCancelled || r.Status() == kernel.RunDropped:
		return fault.Action{Action: "resume", Command: "sluice resume " + id, Why: "a closed plan goes on only when it is resumed"}
	case !isPlanned && waiting(r) != "":
		return fault.Action{Action: "supply", Command: "sluice task supply " + id + " -f FILE", Why: requiredDoc(r.ID()) + " says what"}
	case !isPlanned && r.Status() == kernel.RunParked:
		return fault.Action{Action: "answer", Command: "sluice inbox " + id, Why: "it shows what is asked, and how to answer"}
	case !isPlanned:
		return fault.Action{Action: "run", Command: "sluice task run " + id, Why: "it goes on planning"}
	case !isUnfolded:
		return fault.Action{Action: "doctor", Command: "sluice task doctor " + id, Why: "it says what keeps the plan from running"}
	}
	return fault.Action{Action: "run", Command: "sluice task run " + id, Why: "it goes on"}
}
