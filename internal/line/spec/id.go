package spec

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"sluice/internal/fault"
)

// StepName is the name of a step as snapshots and gate results have it.
type StepName string

const (
	StepIngest   StepName = "ingest"
	StepCompile  StepName = "compile"
	StepValidate StepName = "validate_gates"
	StepClarify  StepName = "clarify_questions"
	StepApply    StepName = "apply_answers"
	StepPlan     StepName = "plan_tasks"
	StepVV       StepName = "generate_vv"
	StepReview   StepName = "manual_review"
	StepPublish  StepName = "publish"
)

// StepNames lists them in the order of the pipeline.
func StepNames() []StepName {
	return []StepName{StepIngest, StepCompile, StepValidate, StepClarify, StepApply, StepPlan, StepVV, StepReview, StepPublish}
}

// Series are what ids are counted in. Numbers are reserved from the store before they are used.
const (
	SeriesEvidence = "E"
)

// FeatureSeries is the series of features of a year.
func FeatureSeries(at time.Time) string { return "F-" + at.UTC().Format("2006") }

// RunSeries is the series of passes of a day.
func RunSeries(at time.Time) string { return "R-" + at.UTC().Format("20060102") }

// VersionSeries is the series of spec versions of a day.
func VersionSeries(at time.Time) string { return "S-" + at.UTC().Format("20060102") }

// LedgerSeries is the series of ledger records of a day.
func LedgerSeries(at time.Time) string { return "L-" + at.UTC().Format("20060102") }

// ID names the n-th of a series. The width is a least one: the 1000th feature of a year has four digits.
func ID(series string, n int64) string {
	width := 4
	if strings.HasPrefix(series, "F-") {
		width = 3
	}
	return fmt.Sprintf("%s-%0*d", series, width, n)
}

// Forms of ids.
const (
	FeatureForm  = `^F-[0-9]{4}-[0-9]{3,}$`
	RunForm      = `^R-[0-9]{8}-[0-9]{4,}$`
	VersionForm  = `^S-[0-9]{8}-[0-9]{4,}$`
	EvidenceForm = `^E-[0-9]{4,}$`
)

var (
	featureForm = regexp.MustCompile(FeatureForm)
	runForm     = regexp.MustCompile(RunForm)
	versionForm = regexp.MustCompile(VersionForm)
)

// ParseFeatureID checks a feature id that came from outside.
func ParseFeatureID(s string) (string, error) {
	return parseID("feature", "F-YYYY-NNN", featureForm, s)
}

// ParseRunID checks the id of a pass that came from outside.
func ParseRunID(s string) (string, error) { return parseID("run", "R-YYYYMMDD-NNNN", runForm, s) }

// ParseVersionID checks the id of a spec version that came from outside.
func ParseVersionID(s string) (string, error) {
	return parseID("spec version", "S-YYYYMMDD-NNNN", versionForm, s)
}

func parseID(what, form string, re *regexp.Regexp, s string) (string, error) {
	id := strings.ToUpper(s)
	if len(s) > 40 || !re.MatchString(id) {
		return "", fault.New(fault.BadValue, s, "%q is not the id of a %s, which has the form %s", s, what, form).
			With(fault.Action{Action: "list", Command: "sluice spec list", Why: "it shows the features there are"})
	}
	return id, nil
}

// numberOf gives the number of an id with the prefix, or 0.
func numberOf(prefix, id string) int {
	digits, ok := strings.CutPrefix(id, prefix)
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 0 || n >= 1<<30 {
		return 0
	}
	return n
}
