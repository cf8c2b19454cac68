package task

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// Tables of rows, from which the store makes the tables of the contract.
const (
	tablePlan      = "plan"
	tablePlanState = "plan_state"
	tableNode      = "task_node"  // what the plan says of a task
	tableState     = "task_state" // where the task stands
	tableEdge      = "task_edge"
	tableArtifact  = "artifact"
	tableReview    = "review"
)

// rowTime is RFC 3339 with as many digits always, so that times as text stand in their order.
const rowTime = "2006-01-02T15:04:05.000000Z"

// rows gives what SQL clients read of a plan, as far as it changed: the document when it did, and of every task what
// happened to it. It costs what changed, and never looks at a document that did not.
func rows(c line.Changed) ([]journal.Row, error) {
	w := rowWriter{view: View{Run: c.Run}}
	var err error
	if w.settings, err = SettingsOf(c.Run); err != nil {
		return nil, err
	}
	if c.Whole {
		for n := range c.Run.Nodes() {
			c.Nodes = append(c.Nodes, n.ID())
		}
	}
	if c.Whole || movesDocument(c.Events) {
		if err := w.document(c); err != nil {
			return nil, err
		}
	}
	w.put(tablePlanState, string(c.Run.ID()), planStateRow{PlanWord(c.Run.Status(), hasTasks(c.Run), isBegun(c), isGone(c.Run))})
	for _, id := range c.Nodes {
		if n, ok := c.Run.Node(id); ok && isTask(n.Node()) {
			w.put(tableState, string(id), w.state(n))
		}
	}
	done := worked(c)
	for _, id := range c.Nodes {
		which, ok := done[id]
		n, _ := c.Run.Node(id)
		if !ok || n.Node().Step != StepAction {
			continue
		}
		if err := w.work(n, which); err != nil {
			return nil, err
		}
	}
	if c.Whole { // there is nothing to be removed
		w.rows = slices.DeleteFunc(w.rows, func(r journal.Row) bool { return r.Body == nil })
	}
	return w.rows, w.err
}

type planRow struct {
	RootTaskID  string      `json:"root_task_id,omitempty"`
	Title       string      `json:"title"`
	TopTask     string      `json:"top_task"`
	CreatedAt   string      `json:"created_at"`
	Constraints Constraints `json:"constraints,omitzero"`
}

type planStateRow struct {
	Status PlanStatus `json:"status"`
}

type stateRow struct {
	Status             Status `json:"status"`
	BlockedReason      string `json:"blocked_reason,omitempty"`
	AttemptCount       int    `json:"attempt_count"`
	ActiveArtifactID   string `json:"active_artifact_id,omitempty"`
	ApprovedArtifactID string `json:"approved_artifact_id,omitempty"`
}

type fileRow struct {
	TaskID    string `json:"task_id"`
	Version   int    `json:"version"`
	Path      string `json:"path"`
	Format    string `json:"format"`
	SHA256    string `json:"sha256"`
	CreatedAt string `json:"created_at"`
}

type verdictRow struct {
	CheckTaskID        string             `json:"check_task_id,omitempty"`
	ReviewTargetTaskID string             `json:"review_target_task_id"`
	ReviewedArtifactID string             `json:"reviewed_artifact_id"`
	Verdict            string             `json:"verdict"`
	TotalScore         *float64           `json:"total_score,omitempty"`
	AcceptanceResults  []kernel.Criterion `json:"acceptance_results"`
	Summary            string             `json:"summary"`
	Reviewer           string             `json:"reviewer"`
	CreatedAt          string             `json:"created_at"`
	IdempotencyKey     string             `json:"idempotency_key"`
}

// rowWriter collects rows. The first thing that does not encode is its error.
type rowWriter struct {
	view     View
	settings Settings
	rows     []journal.Row
	err      error
}

func (w *rowWriter) put(table, key string, body any) {
	raw, err := json.Marshal(body)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.rows = append(w.rows, journal.Row{Table: table, Key: key, Body: raw})
}

// document gives the rows of the plan's document, in place of those of the one before it.
func (w *rowWriter) document(c line.Changed) error {
	k, err := keptOf(c.Run)
	if err != nil {
		return err
	}
	var unread error
	v, err := Look(c.Run, func(v *kernel.Version) (raw []byte, err error) {
		raw, unread = c.Body(v)
		return raw, unread
	})
	if unread != nil {
		return unread
	}
	if err != nil { // bytes that are no plan show nothing, and stop nobody from putting that right
		v.Doc = Document{Plan: Plan{Title: c.Run.Title()}}
	}
	p := v.Doc.Plan
	w.put(tablePlan, string(c.Run.ID()), planRow{RootTaskID: p.RootTaskID, Title: p.Title, TopTask: orText(p.TopTask, k.TopTask),
		CreatedAt: orText(p.CreatedAt, timeText(c.Run.Opened())), Constraints: p.Constraints})
	w.rows = append(w.rows, journal.Row{Table: tableNode}, journal.Row{Table: tableEdge})
	seen := map[string]bool{"": true}
	for _, n := range v.Doc.Nodes {
		if seen[n.TaskID] { // a draft may name a task twice; everything else knows the first
			continue
		}
		seen[n.TaskID] = true
		if n.Status != Abandoned {
			n.Status = Pending // until it is a node of the run
		}
		w.put(tableNode, n.TaskID, n)
	}
	for i, e := range v.Doc.Edges {
		w.put(tableEdge, strconv.Itoa(i+1), e)
	}
	return nil
}

// state says where a task stands.
func (w *rowWriter) state(n kernel.View) stateRow {
	s := w.view.Node(Node{TaskID: string(n.ID())})
	return stateRow{s.Status, s.BlockedReason, s.AttemptCount, s.ActiveArtifactID, s.ApprovedArtifactID}
}

// work gives the artifacts and reviews of an ACTION: those that are new, or all.
func (w *rowWriter) work(n kernel.View, which work) error {
	t, err := TaskOf(n.Node())
	if err != nil {
		return err
	}
	for _, v := range n.Versions() {
		if which.everything || slices.Contains(which.versions, v.ID) {
			a := artifactRow(t, v)
			w.put(tableArtifact, a.ArtifactID, fileRow{a.TaskID, a.Version, a.Path, a.Format, a.SHA256, timeText(a.CreatedAt)})
		}
		for _, r := range v.Reviews() {
			if which.everything || slices.Contains(which.reviews, r.ID) {
				w.review(n, *r)
			}
		}
	}
	if !which.everything && len(which.reviews) == 0 {
		return nil
	}
	for _, check := range n.Checks() {
		for i, r := range w.reviewsBy(n, string(check)) {
			w.put(tableArtifact, reviewFileID(r), fileRow{TaskID: string(check), Version: i + 1, Path: ReviewPath(string(check), reviewUUID(r.ID), r.Verdict),
				Format: "md", SHA256: reviewSum(w.view.Run, n, r), CreatedAt: timeText(r.At)})
		}
	}
	return nil
}

func (w *rowWriter) review(n kernel.View, r kernel.Review) {
	row := reviewRow(w.view.Run, w.settings, r, checkIn(w.view.Run, n.ID()))
	w.put(tableReview, row.ReviewID, verdictRow{row.CheckTaskID, row.ReviewTargetTaskID, row.ReviewedArtifactID, row.Verdict, row.TotalScore,
		row.AcceptanceResults, row.Summary, row.Reviewer, timeText(row.CreatedAt), row.IdempotencyKey})
	if row.CheckTaskID == "" { // then it has no file
		w.rows = append(w.rows, journal.Row{Table: tableArtifact, Key: reviewFileID(r)})
	}
}

// reviewsBy gives the reviews of a task's versions that a CHECK shows as files, its own and those of people in its place,
// in the order in which they came.
func (w *rowWriter) reviewsBy(target kernel.View, check string) []kernel.Review {
	var all []kernel.Review
	for _, v := range target.Versions() {
		for _, r := range v.Reviews() {
			by := orText(string(r.Check), checkIn(w.view.Run, target.ID()))
			if by == check && (r.Report != "" || r.By.IsHuman()) {
				all = append(all, *r)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b kernel.Review) int { return a.At.Compare(b.At) })
	return all
}

// reviewFileID names the file of a review: the version that a CHECK made, or the review itself where a person wrote it.
func reviewFileID(r kernel.Review) string { return orText(string(r.Report), reviewUUID(r.ID)) }

func timeText(t time.Time) string { return t.UTC().Format(rowTime) }
