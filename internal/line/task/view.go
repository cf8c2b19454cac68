package task

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"sluice/internal/fault"
	"sluice/internal/kernel"
)

// StatusDoc says where a plan stands.
type StatusDoc struct {
	PlanID    string         `json:"plan_id"`
	Title     string         `json:"title"`
	Status    PlanStatus     `json:"status"`
	Rehearsal bool           `json:"rehearsal"`                // its text came from the rehearsal model
	Rehearsed bool           `json:"rehearsal_plan,omitempty"` // in a plan that is real otherwise: the document did
	Counts    map[Status]int `json:"counts"`
	Nodes     []NodeStatus   `json:"nodes"`
	Onward    fault.Action   `json:"-"` // how it goes on
}

// NodeStatus says where a task stands.
type NodeStatus struct {
	TaskID             string   `json:"task_id"`
	NodeType           NodeType `json:"node_type"`
	Title              string   `json:"title"`
	Status             Status   `json:"status"`
	BlockedReason      string   `json:"blocked_reason"`
	AttemptCount       int      `json:"attempt_count"`
	ActiveArtifactID   string   `json:"active_artifact_id"`
	ApprovedArtifactID string   `json:"approved_artifact_id"`
	Rehearsal          bool     `json:"rehearsal,omitempty"` // in a plan that is real otherwise: what it handed over came from the rehearsal model
}

// View is a plan's document with its run.
type View struct {
	Run       *kernel.Run
	Doc       Document
	Rehearsed map[kernel.AttemptID]bool // of a run with replies of a real model: attempts that rehearsal answered for
}

// Look reads a run in the words of this line. While it is planned, its document is the newest draft.
func Look(r *kernel.Run, body func(v *kernel.Version) ([]byte, error)) (View, error) {
	v := View{Run: r, Doc: Document{Plan: Plan{PlanID: string(r.ID()), Title: r.Title()}}}
	newest := r.Approved(PlanNode)
	if newest == nil {
		for n := range Rounds(r) {
			if draft, _ := r.Node(draftID(n)); draft.Newest() != nil {
				newest = draft.Newest()
			}
			if estimated := r.Approved(estimateID(n)); estimated != nil {
				newest = estimated
			}
		}
	}
	if newest == nil {
		return v, nil
	}
	raw, err := body(newest)
	if err != nil {
		return v, err
	}
	v.Doc, err = ParseDocument(raw)
	return v, err
}

// IsUnfolded tells whether the tasks of the plan are nodes of the run.
func (v View) IsUnfolded() bool {
	_, ok := v.Run.Node(kernel.NodeID(v.Doc.Plan.RootTaskID))
	return ok
}

// IsPlanned tells whether the document is the plan, and not a draft of it.
func (v View) IsPlanned() bool { return v.Run.Approved(PlanNode) != nil }

// IsRehearsal tells whether what models wrote for the plan came from the rehearsal model.
func (v View) IsRehearsal() bool { return v.Run.Provider() == kernel.ProviderRehearsal }

// Standing gives the word for one task.
func (v View) Standing(id string) Status {
	n, ok := v.Run.Node(kernel.NodeID(id))
	if !ok {
		return ""
	}
	return v.word(n)
}

func (v View) word(n kernel.View) Status {
	t := Action
	switch n.Node().Kind {
	case kernel.Check:
		t = Check
	case kernel.Group:
		t = Goal
	}
	return Word(t, n.Status(), v.missing(n) != "")
}

// missing names what a person has yet to give before a task can begin.
func (v View) missing(n kernel.View) string {
	if n.Status() != kernel.StatusWaiting {
		return ""
	}
	for _, need := range n.Node().Needs {
		if from, ok := v.Run.Node(need.Node); ok && from.Node().Performer == kernel.Person && from.Approved() == nil {
			return from.Node().Title
		}
	}
	return ""
}

// Status says where everything stands.
func (v View) Status() StatusDoc {
	d := StatusDoc{PlanID: string(v.Run.ID()), Title: v.Doc.Plan.Title, Rehearsal: v.IsRehearsal(), Rehearsed: v.isPlanRehearsed(), Counts: map[Status]int{}, Nodes: []NodeStatus{}, Onward: v.Onward()}
	begun := false
	for _, n := range v.Doc.Nodes {
		s := v.Node(n)
		begun = begun || s.AttemptCount > 0
		d.Counts[s.Status]++
		d.Nodes = append(d.Nodes, s)
	}
	d.Status = PlanWord(v.Run.Status(), v.IsUnfolded(), begun, isGone(v.Run))
	return d
}

// Node says where a task stands.
func (v View) Node(t Node) NodeStatus {
	s := NodeStatus{TaskID: t.TaskID, NodeType: t.NodeType, Title: t.Title, Status: Pending}
	if t.Status == Abandoned {
		s.Status = Abandoned
	}
	n, ok := v.Run.Node(kernel.NodeID(t.TaskID))
	if !ok {
		return s
	}
	s.Status, s.AttemptCount, s.BlockedReason = v.word(n), n.Attempts(), v.reason(n)
	if newest := n.Newest(); newest != nil {
		s.ActiveArtifactID = string(newest.ID)
	}
	if id := lastPersonReview(v.Run, n); id != "" {
		s.ActiveArtifactID = id
	}
	if approved := n.Approved(); approved != nil && n.Node().Kind == kernel.Make {
		s.ApprovedArtifactID = string(approved.ID)
	}
	s.Rehearsal = v.isRehearsed(n.Newest()) || v.isRehearsed(n.Approved())
	return s
}

// reason says why a task does not go on by itself.
func (v View) reason(n kernel.View) string {
	if name := v.missing(n); name != "" {
		return "waits for input: " + name
	}
	if f := n.Failure(); f != nil {
		return f.Code + ": " + f.Message
	}
	if n.Status() == kernel.StatusWaiting {
		for _, need := range n.Node().Needs {
			if from, ok := v.Run.Node(need.Node); ok && from.Node().Step == stepChoice && from.Failure() != nil {
				return from.Failure().Message
			}
		}
	}
	for _, a := range n.Asks() {
		switch a.Reason {
		case kernel.UsedUp:
			return "attempts are used up; a person must decide"
		case kernel.Blocked:
			return "something it needs was abandoned"
		default:
			return "a person must answer: " + a.Title
		}
	}
	return n.Reason()
}

// TaskDoc is everything that section 6 of the contract wants to see of a task.
type TaskDoc struct {
	NodeStatus
	Task      Node          `json:"task"`
	CheckID   string        `json:"check_task_id,omitempty"`
	Rehearsal bool          `json:"rehearsal"` // what models wrote for its plan, or for it, came from the rehearsal model
	Artifacts []ArtifactRow `json:"artifacts"`
	Reviews   []ReviewRow   `json:"reviews"`
}

// ArtifactRow is one version of a task, in the words of the table artifacts.
type ArtifactRow struct {
	ArtifactID string    `json:"artifact_id"`
	TaskID     string    `json:"task_id"`
	Version    int       `json:"version"`
	Path       string    `json:"path"`
	Format     string    `json:"format"`
	SHA256     string    `json:"sha256"`
	CreatedAt  time.Time `json:"created_at"`
	By         string    `json:"by"`
	Standing   string    `json:"standing"` // APPROVED, REJECTED or CANDIDATE
	Files      []FileRow `json:"files"`
	Rehearsal  bool      `json:"rehearsal,omitempty"` // as of its task
}

// FileRow is one file of a version.
type FileRow struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// ReviewRow is one review, in the words of the table reviews.
type ReviewRow struct {
	ReviewID           string             `json:"review_id"`
	CheckTaskID        string             `json:"check_task_id"`
	ReviewTargetTaskID string             `json:"review_target_task_id"`
	ReviewedArtifactID string             `json:"reviewed_artifact_id"`
	Verdict            string             `json:"verdict"`
	TotalScore         *float64           `json:"total_score"`
	AcceptanceResults  []kernel.Criterion `json:"acceptance_results"`
	Summary            string             `json:"summary"`
	Reviewer           string             `json:"reviewer"`
	CreatedAt          time.Time          `json:"created_at"`
	IdempotencyKey     string             `json:"idempotency_key"`
	Path               string             `json:"path"`
	Rehearsal          bool               `json:"rehearsal,omitempty"` // in a plan that is real otherwise: the rehearsal model gave it

	sum  string // of the file, in bare hex; empty: it has none
	file string // the artifact that the file is
}

// Task shows one task with its history.
func (v View) Task(t Node) (TaskDoc, error) {
	d := TaskDoc{NodeStatus: v.Node(t), Task: t, Artifacts: []ArtifactRow{}, Reviews: []ReviewRow{}}
	d.Rehearsal = v.IsRehearsal() || d.NodeStatus.Rehearsal
	n, ok := v.Run.Node(kernel.NodeID(t.TaskID))
	if !ok {
		return d, nil
	}
	s, err := SettingsOf(v.Run)
	if err != nil {
		return d, err
	}
	target := n
	if n.Node().Kind == kernel.Check {
		d.CheckID = t.TaskID
		target, _ = v.Run.Node(n.Node().Target)
	} else {
		d.CheckID = checkIn(v.Run, n.ID())
		for _, made := range n.Versions() {
			row := artifactRow(t, made)
			row.Rehearsal = v.isRehearsed(made)
			d.Artifacts = append(d.Artifacts, row)
		}
	}
	for _, made := range target.Versions() {
		for _, r := range made.Reviews() {
			row := reviewRow(v.Run, s, *r, d.CheckID)
			row.Rehearsal = v.isReviewRehearsed(*r)
			if row.CheckTaskID != "" {
				row.sum, row.file = reviewSum(v.Run, target, *r), reviewFileID(*r)
			}
			d.Reviews = append(d.Reviews, row)
		}
	}
	if n.Node().Kind == kernel.Check {
		d.Artifacts = reviewArtifacts(t.TaskID, d.Reviews)
	}
	return d, nil
}

func artifactRow(t Node, v *kernel.Version) ArtifactRow {
	row := ArtifactRow{ArtifactID: string(v.ID), TaskID: t.TaskID, Version: v.N, Path: ArtifactDir(t.TaskID, v.ID), SHA256: v.Digest.Hex(),
		CreatedAt: v.At, By: v.By.String(), Standing: "CANDIDATE", Files: []FileRow{}}
	if t.DeliverableSpec != nil {
		row.Format = t.DeliverableSpec.Format
	}
	switch {
	case v.IsApproved():
		row.Standing = VerdictApproved
	case v.IsRejected():
		row.Standing = VerdictRejected
	}
	for _, p := range v.Parts {
		row.Files = append(row.Files, FileRow{row.Path + "/" + p.Path, p.Digest.Hex()})
	}
	if len(v.Parts) == 1 { // of a single file, the file's own
		row.Path, row.SHA256 = row.Files[0].Path, row.Files[0].SHA256
	}
	return row
}

func reviewRow(run *kernel.Run, s Settings, r kernel.Review, check string) ReviewRow {
	row := ReviewRow{ReviewID: reviewUUID(r.ID), CheckTaskID: orText(string(r.Check), check), ReviewTargetTaskID: string(r.Node), ReviewedArtifactID: string(r.Version),
		Verdict: VerdictWord(r.Verdict), TotalScore: r.Score, AcceptanceResults: r.Criteria, Summary: r.Summary, Reviewer: s.Reviewer, CreatedAt: r.At}
	if row.AcceptanceResults == nil {
		row.AcceptanceResults = []kernel.Criterion{}
	}
	if r.By.IsHuman() {
		row.Reviewer = r.By.Name
	}
	row.IdempotencyKey = strings.Join([]string{row.CheckTaskID, row.ReviewedArtifactID, row.Reviewer}, ":")
	if n := changesOfMind(run, r); n > 0 {
		row.IdempotencyKey += ":" + strconv.Itoa(n+1)
	}
	row.Path = ReviewPath(row.CheckTaskID, row.ReviewID, r.Verdict)
	return row
}

// changesOfMind counts what the same person said before about the same version, and took back with this review. A key is one
// review's for ever.
func changesOfMind(run *kernel.Run, r kernel.Review) int {
	v, ok := run.Version(r.Version)
	if !ok || !r.By.IsHuman() {
		return 0
	}
	n := 0
	for _, before := range v.Reviews() {
		if before.ID == r.ID {
			break
		}
		if before.By.IsHuman() && before.By.Name == r.By.Name && before.Check == r.Check {
			n++
		}
	}
	return n
}

// FindTask gives the task with an id, or with the only id that begins so.
func (v View) FindTask(given string) (Node, error) {
	var found []Node
	for _, n := range v.Doc.Nodes {
		if n.TaskID == given {
			return n, nil
		}
		if given != "" && strings.HasPrefix(n.TaskID, strings.ToLower(given)) {
			found = append(found, n)
		}
	}
	list := fault.Action{Action: "status", Command: "sluice task status " + string(v.Run.ID()), Why: "it lists the tasks"}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return Node{}, fault.New(fault.UnknownNode, given, "plan %s has no task %q", v.Run.ID(), given).With(list)
	}
	return Node{}, fault.New(fault.BadValue, given, "%d tasks of plan %s begin with %q", len(found), v.Run.ID(), given).With(list)
}

// Refuse is the refusal of a plan that the doctor has something against, with every finding.
func Refuse(id string, found []Finding) error {
	var hard []Finding
	for _, f := range found {
		if f.Severity == SeverityError {
			hard = append(hard, f)
		}
	}
	if len(hard) == 0 {
		return nil
	}
	var codes []string
	for _, f := range hard {
		if len(codes) == 0 || codes[len(codes)-1] != f.Code {
			codes = append(codes, f.Code)
		}
	}
	e := fault.New(fault.Findings, id, "plan %s has %d findings to fix first: %s", id, len(hard), cutText(strings.Join(codes, ", "), 400)).
		With(fault.Action{Action: "doctor", Command: "sluice task doctor " + id, Why: "it lists each with a hint"},
			fault.Action{Action: "rewrite", Command: "sluice task rewrite " + id, Why: "it proposes what can be mended by itself"})
	fields, err := json.Marshal(struct {
		Findings []Finding `json:"findings"`
	}{hard})
	if err == nil {
		e.Fields = fields
	}
	return e
}
