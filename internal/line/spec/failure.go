package spec

import (
	"fmt"

	"sluice/internal/kernel"
	"sluice/internal/line"
)

// failure tells of a step that failed: evidence of type log, linked to the step, and what comes next.
func failure(in line.In, e kernel.StepError) (line.Move, error) {
	if len(in.Numbers) == 0 {
		return line.Move{Numbers: []string{SeriesEvidence}}, nil
	}
	return line.Move{Done: &line.Out{Account: kernel.Account{
		Evidence: []kernel.Evidence{{ID: ID(SeriesEvidence, in.Numbers[0]), Type: string(FromLog), Ref: LogRef(in), Hash: hash(e.Code + ": " + e.Message),
			Excerpt: excerpt(e.Code + ": " + e.Message), Note: fmt.Sprintf("final error of %s after %d retries", in.Node.Step, e.Retries),
			LinkedTo: []string{linkStep(StepName(in.Node.Step))}}},
		Decisions: []kernel.Decision{{Decision: "stop_until_run_again", Reason: e.Code + ": " + e.Message, NextStep: in.Node.Step}}}}}, nil
}

// LogRef is the log in which errors of an attempt's day stand.
func LogRef(in line.In) string {
	return "log://orchestrator-" + in.Attempt.Began.UTC().Format("20060102") + ".log"
}
