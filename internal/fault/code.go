package fault

import "net/http"

// Code names a kind of fault for programs. Codes are stable: they are part of every door's contract.
type Code string

// Error lets a Code be the target of errors.Is.
func (c Code) Error() string { return string(c) }

// The codes. A new one needs a row in the table below.
const (
	Unexpected  Code = "unexpected"
	Interrupted Code = "interrupted"

	Usage               Code = "usage"
	BadValue            Code = "bad_value"
	BadConfig           Code = "bad_config"
	BadPath             Code = "bad_path"
	BadNode             Code = "bad_node"
	Cycle               Code = "cycle"
	MissingPrerequisite Code = "missing_prerequisite"
	UnknownChapter      Code = "unknown_chapter"
	BadScript           Code = "bad_script"
	// A file that carries something between workspaces, and is not what it has to be.
	BadArchive Code = "bad_archive"

	UnknownRun       Code = "unknown_run"
	UnknownNode      Code = "unknown_node"
	UnknownVersion   Code = "unknown_version"
	UnknownAttempt   Code = "unknown_attempt"
	UnknownAsk       Code = "unknown_ask"
	UnknownLine      Code = "unknown_line"
	UnknownWorkspace Code = "unknown_workspace"
	UnknownSession   Code = "unknown_session"
	UnknownProject   Code = "unknown_project"
	NotFound         Code = "not_found"

	Parked          Code = "parked"
	AskOpen         Code = "ask_open"
	NothingApproved Code = "nothing_approved"
	AttemptsUsedUp  Code = "attempts_used_up"
	PersonRequired  Code = "person_required"
	BudgetUsedUp    Code = "budget_used_up"
	RevisionPending Code = "revision_pending"
	// A revision file that nobody can read: it may say that it is pending, so it counts as that.
	RevisionUnreadable Code = "revision_unreadable"

	RunExists       Code = "run_exists"
	RunClosed       Code = "run_closed"
	RunNotClosed    Code = "run_not_closed"
	IllegalStep     Code = "illegal_transition"
	AttemptOpen     Code = "attempt_open"
	AttemptClosed   Code = "attempt_closed"
	AlreadyAnswered Code = "already_answered"
	AlreadyReviewed Code = "already_reviewed"
	StaleVerdict    Code = "stale_verdict"
	StaleCandidate  Code = "stale_candidate"
	ChapterLocked   Code = "chapter_locked"
	ProjectExists   Code = "project_exists"
	NothingToUndo   Code = "nothing_to_undo"
	ProviderChanged Code = "provider_changed"
	Conflict        Code = "conflict"
	LeaseHeld       Code = "lease_held"
	LeaseLost       Code = "lease_lost"
	StoreLocked     Code = "store_locked"
	FileChanged     Code = "file_changed"
	FileExists      Code = "file_exists"
	WorkspaceExists Code = "workspace_exists"
	SessionExists   Code = "session_exists"
	SessionClosed   Code = "session_closed"

	ModelUnavailable Code = "model_unavailable"
	ModelRefused     Code = "model_refused"
	ModelBadRequest  Code = "model_bad_request"
	ModelAuth        Code = "model_auth"
	ModelUnknown     Code = "model_unknown"
	ModelTruncated   Code = "model_truncated"
	ReplyUnusable    Code = "reply_unusable"
	StepFailed       Code = "step_failed"
	CommandFailed    Code = "command_failed"
	PublishFailed    Code = "publish_failed"

	Findings     Code = "findings"
	StoreCorrupt Code = "store_corrupt"
	StoreNewer   Code = "store_newer"
	DiskFull     Code = "disk_full"
	NoPermission Code = "no_permission"
	UnsafeFolder Code = "unsafe_folder"
)

// Exit codes of the command line.
const (
	ExitDone       = 0
	ExitUnexpected = 1
	ExitUsage      = 2
	ExitUnknown    = 3
	ExitParked     = 4
	ExitConflict   = 5
	ExitGaveUp     = 6
	ExitFindings   = 7
)

type class struct{ exit, http int }

var (
	unexpected = class{ExitUnexpected, http.StatusInternalServerError}
	usage      = class{ExitUsage, http.StatusBadRequest}
	unknown    = class{ExitUnknown, http.StatusNotFound}
	parked     = class{ExitParked, http.StatusConflict}
	conflict   = class{ExitConflict, http.StatusConflict}
	gaveUp     = class{ExitGaveUp, http.StatusBadGateway}
	findings   = class{ExitFindings, http.StatusUnprocessableEntity}
)

var table = map[Code]class{
	Unexpected: unexpected, Interrupted: unexpected,
	DiskFull: unexpected, NoPermission: unexpected, UnsafeFolder: unexpected, StoreNewer: unexpected,

	Usage: usage, BadValue: usage, BadConfig: usage, BadPath: usage, BadNode: usage, Cycle: usage,
	MissingPrerequisite: usage, BadScript: usage,
	BadArchive:     usage,
	UnknownChapter: usage,

	UnknownRun: unknown, UnknownNode: unknown, UnknownVersion: unknown, UnknownAttempt: unknown,
	UnknownAsk: unknown, UnknownLine: unknown, UnknownWorkspace: unknown, NotFound: unknown,
	UnknownSession: unknown,
	UnknownProject: unknown,

	Parked: parked, AskOpen: parked, NothingApproved: parked, AttemptsUsedUp: parked, PersonRequired: parked,
	RevisionPending: parked, RevisionUnreadable: parked,
	BudgetUsedUp: parked,

	RunExists: conflict, RunClosed: conflict, RunNotClosed: conflict, IllegalStep: conflict, AttemptOpen: conflict,
	AttemptClosed: conflict, AlreadyAnswered: conflict, AlreadyReviewed: conflict, StaleVerdict: conflict,
	NothingToUndo: conflict, ProviderChanged: conflict, Conflict: conflict, LeaseHeld: conflict, LeaseLost: conflict,
	StoreLocked: conflict, FileChanged: conflict, FileExists: conflict, WorkspaceExists: conflict,
	SessionExists: conflict, SessionClosed: conflict, StaleCandidate: conflict, ChapterLocked: conflict, ProjectExists: conflict,

	ModelUnavailable: gaveUp, ModelRefused: gaveUp, ModelBadRequest: gaveUp, ModelAuth: gaveUp, ModelUnknown: gaveUp,
	ModelTruncated: gaveUp, ReplyUnusable: gaveUp, StepFailed: gaveUp, CommandFailed: gaveUp, PublishFailed: gaveUp,

	Findings: findings, StoreCorrupt: findings,
}

// Codes gives every code of the table, in no order.
func Codes() []Code {
	all := make([]Code, 0, len(table))
	for c := range table {
		all = append(all, c)
	}
	return all
}

// Exit is the exit code of the command line for this code.
func (c Code) Exit() int { return c.class().exit }

// HTTP is the status of the web and MCP doors for this code.
func (c Code) HTTP() int { return c.class().http }

func (c Code) class() class {
	if k, ok := table[c]; ok {
		return k
	}
	return unexpected
}
