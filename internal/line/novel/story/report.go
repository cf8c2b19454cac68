package story

import (
	"fmt"
	"strings"
)

// Severity is how much an issue weighs. The zero value is invalid; a document that says none means medium.
type Severity string

const (
	Low    Severity = "low"
	Medium Severity = "medium"
	High   Severity = "high"
)

// Severities lists them from light to heavy.
func Severities() []Severity { return []Severity{Low, Medium, High} }

// ConsistencyIssue is one contradiction. A stray can_auto_fix is ignored: fix_instructions alone decide.
type ConsistencyIssue struct {
	IssueType         string   `json:"issue_type"`
	Description       string   `json:"description"`
	RelatedCharacters []string `json:"related_characters"`
	RelatedEvents     []string `json:"related_events"`
	Severity          Severity `json:"severity" story:"may_lack"`
	FixInstructions   string   `json:"fix_instructions,omitempty"`
}

// ConsistencyReport is one entry of consistency_reports.json.
type ConsistencyReport struct {
	ChapterNumber   int                `json:"chapter_number"`
	Summary         string             `json:"summary"`
	Issues          []ConsistencyIssue `json:"issues"`
	ContextSnapshot string             `json:"context_snapshot,omitempty"`
	CreatedAt       string             `json:"created_at" story:"may_lack"`
}

func (r *ConsistencyReport) fill() {
	r.Issues = filled(r.Issues)
	for i := range r.Issues {
		x := &r.Issues[i]
		x.RelatedCharacters, x.RelatedEvents = filled(x.RelatedCharacters), filled(x.RelatedEvents)
		x.Severity = orMedium(x.Severity)
	}
}

// Notes is what a revision of the chapter has to do: one line per issue that says how it is fixed. Empty means that
// there is nothing to revise.
func (r ConsistencyReport) Notes() string {
	var lines []string
	for _, x := range r.Issues {
		if fix := oneLine(x.FixInstructions); fix != "" {
			lines = append(lines, fmt.Sprintf("- %s: %s", oneLine(x.IssueType), fix))
		}
	}
	return strings.Join(lines, "\n")
}

// Fixable counts the issues that say how they are fixed.
func (r ConsistencyReport) Fixable() int {
	n := 0
	for _, x := range r.Issues {
		if strings.TrimSpace(x.FixInstructions) != "" {
			n++
		}
	}
	return n
}

// LogicReviewReport is reviews/chapter_%03d_logic_review.json.
type LogicReviewReport struct {
	ChapterNumber int          `json:"chapter_number"`
	OverallScore  int          `json:"overall_score"`
	Summary       string       `json:"summary"`
	Issues        []LogicIssue `json:"issues"`
}

// LogicIssue is one flaw in a chapter's logic.
type LogicIssue struct {
	IssueType       string   `json:"issue_type"`
	Description     string   `json:"description"`
	Severity        Severity `json:"severity" story:"may_lack"`
	Evidence        string   `json:"evidence,omitempty"`
	FixInstructions string   `json:"fix_instructions,omitempty"`
}

func (r *LogicReviewReport) fill() {
	r.Issues = filled(r.Issues)
	for i := range r.Issues {
		r.Issues[i].Severity = orMedium(r.Issues[i].Severity)
	}
}

// HighIssues counts the issues that block whatever the score.
func (r LogicReviewReport) HighIssues() int {
	n := 0
	for _, x := range r.Issues {
		if x.Severity == High {
			n++
		}
	}
	return n
}

// IsPassed is the gate: the score reaches the minimum and no issue is high.
func (r LogicReviewReport) IsPassed(minScore int) bool {
	return r.OverallScore >= minScore && r.HighIssues() == 0
}

// Notes is what a revision has to do: the score, then a line per issue, so that a candidate can always be made.
func (r LogicReviewReport) Notes(minScore int) string {
	lines := []string{fmt.Sprintf("- overall_score: %d, needed %d", r.OverallScore, minScore)}
	for _, x := range r.Issues {
		fix := oneLine(x.FixInstructions)
		if fix == "" {
			fix = oneLine(x.Description)
		}
		lines = append(lines, fmt.Sprintf("- %s: %s", oneLine(x.IssueType), fix))
	}
	return strings.Join(lines, "\n")
}

// RevisionState is where a revision stands. Pending is the one signal that closes the gate.
type RevisionState string

const (
	RevisionPending  RevisionState = "pending"
	RevisionAccepted RevisionState = "accepted"
	RevisionRejected RevisionState = "rejected"
)

// Trigger is what asked for a revision.
type Trigger string

const (
	ByConsistency Trigger = "consistency"
	ByLogicReview Trigger = "logic_review"
)

// RevisionIssue is an issue of either report, as a revision keeps it.
type RevisionIssue struct {
	IssueType         string   `json:"issue_type"`
	Description       string   `json:"description"`
	RelatedCharacters []string `json:"related_characters,omitempty"`
	RelatedEvents     []string `json:"related_events,omitempty"`
	Severity          Severity `json:"severity" story:"may_lack"`
	Evidence          string   `json:"evidence,omitempty"`
	FixInstructions   string   `json:"fix_instructions,omitempty"`
}

// RevisionStatus is chapters/chapter_%03d_revision.json. People write it too, so little of it is demanded.
type RevisionStatus struct {
	ChapterNumber  int               `json:"chapter_number" story:"may_lack"`
	Status         RevisionState     `json:"status"`
	TriggeredBy    Trigger           `json:"triggered_by" story:"may_lack"`
	RevisionNotes  string            `json:"revision_notes" story:"may_lack"`
	Issues         []RevisionIssue   `json:"issues"`
	RevisedChapter *GeneratedChapter `json:"revised_chapter,omitempty"`
	Base           string            `json:"base" story:"may_lack"` // digest of the chapter that the candidate was made from
	CreatedAt      string            `json:"created_at" story:"may_lack"`
	DecisionAt     string            `json:"decision_at,omitempty"`
	DecidedBy      string            `json:"decided_by,omitempty"`
}

func (r *RevisionStatus) fill() {
	r.Issues = filled(r.Issues)
	for i := range r.Issues {
		r.Issues[i].Severity = orMedium(r.Issues[i].Severity)
	}
	if r.RevisedChapter != nil {
		r.RevisedChapter.fill()
	}
}

// RevisionIssues brings the issues of a consistency report to the form that a revision keeps.
func (r ConsistencyReport) RevisionIssues() []RevisionIssue {
	out := make([]RevisionIssue, 0, len(r.Issues))
	for _, x := range r.Issues {
		out = append(out, RevisionIssue{IssueType: x.IssueType, Description: x.Description, RelatedCharacters: x.RelatedCharacters,
			RelatedEvents: x.RelatedEvents, Severity: x.Severity, FixInstructions: x.FixInstructions})
	}
	return out
}

// RevisionIssues brings the issues of a logic review to the form that a revision keeps.
func (r LogicReviewReport) RevisionIssues() []RevisionIssue {
	out := make([]RevisionIssue, 0, len(r.Issues))
	for _, x := range r.Issues {
		out = append(out, RevisionIssue{IssueType: x.IssueType, Description: x.Description, Severity: x.Severity,
			Evidence: x.Evidence, FixInstructions: x.FixInstructions})
	}
	return out
}

func orMedium(s Severity) Severity {
	if s == "" {
		return Medium
	}
	return s
}

// oneLine keeps a line of notes a line, whatever a model wrote into it.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
