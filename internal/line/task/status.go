package task

import "sluice/internal/kernel"

// Status is the word in which people read where a task stands.
type Status string

const (
	Pending         Status = "PENDING"
	Ready           Status = "READY"
	InProgress      Status = "IN_PROGRESS"
	ReadyToCheck    Status = "READY_TO_CHECK" // an ACTION only
	ToBeModify      Status = "TO_BE_MODIFY"   // an ACTION only
	Done            Status = "DONE"
	Blocked         Status = "BLOCKED"          // a declared input is missing
	WaitingExternal Status = "WAITING_EXTERNAL" // a person must act
	Failed          Status = "FAILED"
	Abandoned       Status = "ABANDONED"
)

// Statuses lists every word in the order of life.
func Statuses() []Status {
	return []Status{Pending, Ready, InProgress, ReadyToCheck, ToBeModify, Done, Blocked, WaitingExternal, Failed, Abandoned}
}

// fits tells whether a node of a type can have a status.
func (s Status) fits(t NodeType) bool {
	switch s {
	case ReadyToCheck, ToBeModify:
		return t == Action
	case Pending, Ready, InProgress, Done, Blocked, WaitingExternal, Failed, Abandoned:
		return true
	}
	return false
}

// Word is the one mapping from the law's status of a node to the word of a plan. blocked says that something a person
// declared as input is missing.
func Word(t NodeType, s kernel.Status, blocked bool) Status {
	switch s {
	case kernel.StatusWaiting:
		if blocked {
			return Blocked
		}
		return Pending
	case kernel.StatusBlocked:
		return Blocked
	case kernel.StatusReady:
		return Ready
	case kernel.StatusRework:
		if t == Action {
			return ToBeModify
		}
		return Ready
	case kernel.StatusRunning:
		return InProgress
	case kernel.StatusChecking:
		if t == Action {
			return ReadyToCheck
		}
		return InProgress
	case kernel.StatusAsking, kernel.StatusHeld:
		return WaitingExternal
	case kernel.StatusDone:
		return Done
	case kernel.StatusAbandoned:
		return Abandoned
	}
	return Failed
}

// PlanStatus is the word for a plan as a whole.
type PlanStatus string

const (
	PlanPlanning   PlanStatus = "PLANNING"               // the doctor has something against the document, so nothing follows from it
	PlanRequest    PlanStatus = "REQUEST_EXTERNAL_INPUT" // planning waits for what only a person can give
	PlanReady      PlanStatus = "READY"
	PlanInProgress PlanStatus = "IN_PROGRESS"
	PlanWaiting    PlanStatus = "WAITING_EXTERNAL"
	PlanDone       PlanStatus = "DONE"
	PlanFailed     PlanStatus = "FAILED"
	PlanAbandoned  PlanStatus = "ABANDONED" // what it is all for was taken out
)

// PlanWord is the mapping for a plan: from the law's status of its run, whether its nodes are there, whether any was begun,
// and whether its root was abandoned.
func PlanWord(s kernel.RunStatus, unfolded, begun, gone bool) PlanStatus {
	switch s {
	case kernel.RunFailed, kernel.RunCancelled, kernel.RunDropped:
		return PlanFailed
	}
	switch {
	case !unfolded && (s == kernel.RunParked || s == kernel.RunHeld):
		return PlanRequest
	case !unfolded:
		return PlanPlanning
	case s == kernel.RunDone && gone:
		return PlanAbandoned
	case s == kernel.RunDone:
		return PlanDone
	case s == kernel.RunParked, s == kernel.RunHeld:
		return PlanWaiting
	case !begun:
		return PlanReady
	}
	return PlanInProgress
}
