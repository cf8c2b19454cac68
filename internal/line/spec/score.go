package spec

import (
	"math"
	"slices"
)

// WeightedDetails shows how the score came about.
type WeightedDetails struct {
	Goal  Weighted `json:"goal"`
	AC    Weighted `json:"ac"`
	Tasks Weighted `json:"tasks"`
	VV    Weighted `json:"vv"`
}

// Weighted is one part of the score.
type Weighted struct {
	Weight   float64 `json:"weight"`
	Score    float64 `json:"score"`    // 0 to 1
	Weighted float64 `json:"weighted"` // weight times score
}

// score says how complete a spec is, from 0 to 1. It is shown and ranked, and releases nothing.
func score(s CanonicalSpec, shape shape) (float64, WeightedDetails) {
	goal, ac, tasks, vv := scoreGoal(s.Spec.Goal), scoreCriteria(s.Spec.AcceptanceCriteria),
		scoreTasks(s.Planning.Tasks, shape), scoreVV(s.Planning, shape)
	total := 0.30*goal + 0.25*ac + 0.25*tasks + 0.20*vv
	return rounded(total), WeightedDetails{Goal: weigh(0.30, goal), AC: weigh(0.25, ac), Tasks: weigh(0.25, tasks), VV: weigh(0.20, vv)}
}

func weigh(weight, score float64) Weighted {
	return Weighted{Weight: weight, Score: rounded(score), Weighted: rounded(weight * score)}
}

// rounded keeps six digits, so that a result reads the same however it was summed up.
func rounded(f float64) float64 { return math.Round(f*1e6) / 1e6 }

func scoreGoal(goal string) float64 {
	n := goalLength(goal)
	if n < MinGoal {
		return 0
	}
	return 0.5 + 0.5*upTo(n-MinGoal, 110)
}

// scoreCriteria counts criteria that say something; the share of hints is of all, else writing one down could lower it.
func scoreCriteria(all []Criterion) float64 {
	said, hinted := 0, 0
	for _, c := range all {
		if !isBlank(c.Criteria) {
			said++
		}
		if !isBlank(c.TestHint) {
			hinted++
		}
	}
	return 0.7*upTo(said, 3) + 0.3*share(hinted, len(all))
}

func scoreTasks(all []Task, shape shape) float64 {
	types, linked := map[TaskType]bool{}, 0
	for i, t := range all {
		if slices.Contains(TaskTypes(), t.Type) {
			types[t.Type] = true
		}
		if shape.linked[i] {
			linked++
		}
	}
	return 0.5*upTo(len(all), 3) + 0.3*upTo(len(types), 3) + 0.2*share(linked, len(all))
}

func scoreVV(p Planning, shape shape) float64 {
	if len(p.Tasks) == 0 {
		return 0
	}
	types, covered := map[VVType]bool{}, 0
	for _, v := range p.VV {
		if slices.Contains(VVTypes(), v.Type) {
			types[v.Type] = true
		}
	}
	for _, c := range shape.covered {
		if c {
			covered++
		}
	}
	return 0.7*share(covered, len(p.Tasks)) + 0.3*upTo(len(types), 3)
}

func upTo(n, full int) float64 { return min(1, float64(n)/float64(full)) }

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}
