package scene

import "sluice/internal/kernel"

// Words for where steps, phases and workflows stand. Phases have no failed.
const (
	Pending         = "pending"
	InProgress      = "in_progress"
	WaitingApproval = "waiting_approval"
	Completed       = "completed"
	Failed          = "failed"
	Cancelled       = "cancelled"
)

// role is what a node is in its workflow, as far as words go.
type role string

const (
	roleStep  role = "step"
	rolePhase role = "phase"
	roleCheck role = "check" // a step that sends another one back
)

func roleOf(n kernel.Node, phased bool) role {
	switch {
	case n.Kind == kernel.Check:
		return roleCheck
	case phased:
		return rolePhase
	}
	return roleStep
}

// stepWord is the one mapping from where a node stands to the word for it. sentBack tells of a check that the version
// it judged was rejected: its work is to be done again.
func stepWord(of role, s kernel.Status, sentBack bool) string {
	switch s {
	case kernel.StatusRunning:
		return InProgress
	case kernel.StatusRework:
		if of == roleCheck {
			return Pending
		}
		return InProgress
	case kernel.StatusChecking: // its own work is done
		return Completed
	case kernel.StatusAsking:
		return WaitingApproval
	case kernel.StatusDone:
		if of == roleCheck && sentBack {
			return Pending
		}
		return Completed
	case kernel.StatusFailed:
		if of == rolePhase {
			return Pending
		}
		return Failed
	case kernel.StatusWaiting, kernel.StatusBlocked, kernel.StatusReady, kernel.StatusHeld, kernel.StatusAbandoned:
	}
	return Pending
}

// workflowWord is the word for a whole run. It stays in progress while a step waits for a person.
func workflowWord(s kernel.RunStatus) string {
	switch s {
	case kernel.RunDone:
		return Completed
	case kernel.RunFailed:
		return Failed
	case kernel.RunCancelled, kernel.RunDropped:
		return Cancelled
	case kernel.RunActive, kernel.RunParked, kernel.RunHeld:
	}
	return InProgress
}

// progress is how far a workflow is, in percent: less than all until it is completed.
func progress(status string, current, total int) int {
	if status == Completed {
		return 100
	}
	if total == 0 {
		return 0
	}
	return min(99, current*100/total)
}
