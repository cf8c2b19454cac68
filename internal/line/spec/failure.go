package spec

import (
	"fmt"
	"time"

	"sluice/internal/kernel"
	"sluice/internal/line"
)

// failure tells of a step that failed: evidence of type log, linked to the step, and what comes next.
func failure(in line.In, e kernel.StepError) (line.Move, error) {
	if len(in.Numbers) == 0 {
		return line.Move{Numbers: []string{SeriesEvidence}}, nil
	}
	return line.Move{Done: &line.Out{Account: kernel.Account{
		Evidence: []kernel.Evidence{{ID: ID(SeriesEvidence, in.Numbers[0]), Type: string(FromLog), Ref: logRef(in.Attempt.Began), Hash: hash(e.Code + ": " + e.Message),
			Excerpt: excerpt(e.Code + ": " + e.Message), Note: fmt.Sprintf("final error of %s after %d retries", in.Node.Step, e.Retries),
			LinkedTo: []string{linkStep(StepName(in.Node.Step))}}},
		Decisions: []kernel.Decision{{Decision: "stop_until_run_again", Reason: e.Code + ": " + e.Message, NextStep: in.Node.Step}}}}}, nil
}

// logRef names the log in which errors of a day stand.
func logRef(at time.Time) string { return "log://" + LogName(at) }

// LogName is the log of a day.
func LogName(at time.Time) string { return "orchestrator-" + at.UTC().Format("20060102") + ".log" }

// LogLine is one error of a step in the log.
type LogLine struct {
	At        string   `json:"at"`
	FeatureID string   `json:"feature_id"`
	RunID     string   `json:"run_id"`
	Step      StepName `json:"step"`
	Attempt   string   `json:"attempt"`
	StepFailure
}

// LogLines are the errors of steps that events tell of, recovered ones included.
func LogLines(r *kernel.Run, events []kernel.Event) []LogLine {
	var lines []LogLine
	for _, e := range events {
		f, ok := e.Fact.(kernel.AttemptClosed)
		if !ok || len(f.Snapshot.Errors) == 0 {
			continue
		}
		n, p, ok := stepOf(r, f.Node)
		if !ok {
			continue
		}
		for _, x := range f.Snapshot.Errors {
			lines = append(lines, LogLine{At: fine(e.At), FeatureID: p.FeatureID, RunID: p.RunID, Step: StepName(n.Step), Attempt: string(f.Attempt), StepFailure: failureOf(x)})
		}
	}
	return lines
}
