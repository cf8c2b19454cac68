package task

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
