package app

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line/novel"
	"sluice/internal/line/spec"
)

// ForecastDoc says what a run will still cost, and what that rests on.
type ForecastDoc struct {
	Run     string         `json:"run"`
	Line    string         `json:"line"`
	Status  string         `json:"status"`
	Steps   []ForecastStep `json:"steps"`
	Calls   int            `json:"calls"`
	Tokens  int64          `json:"tokens"`
	Cost    *float64       `json:"cost"`    // in US dollars; null where the price of a step is not known
	Seconds int64          `json:"seconds"` // of models answering, one after the other
	Spent   UsageDoc       `json:"spent"`
	Notes   []string       `json:"notes"` // what the estimate leaves open
}

// ForecastStep is what one kind of step will still cost.
type ForecastStep struct {
	Step         string   `json:"step"`
	Nodes        int      `json:"nodes"`
	Calls        int      `json:"calls"`
	InputTokens  int64    `json:"input_tokens"`
	OutputTokens int64    `json:"output_tokens"`
	Cost         *float64 `json:"cost"`
	Seconds      int64    `json:"seconds"`
	Basis        Basis    `json:"basis"`
	Samples      int      `json:"samples"` // nodes whose cost it rests on
}

// Basis is what an estimate rests on.
type Basis string

const (
	ThisRun   Basis = "this run"  // nodes of the same step in this run
	Elsewhere Basis = "workspace" // nodes of the same step in other runs
	Usual     Basis = "default"   // what such a step usually takes, before one was made here
)

// Forecast estimates what a run will still cost that has not finished.
func (a *App) Forecast(ctx context.Context, id string) (ForecastDoc, error) {
	run, err := a.load(ctx, id)
	if err != nil {
		return ForecastDoc{}, err
	}
	switch s := run.Status(); s {
	case kernel.RunCancelled, kernel.RunDropped:
		return ForecastDoc{}, fault.New(fault.RunClosed, id, "run %s is %s; nothing is to come", id, s).
			With(fault.Action{Action: "status", Command: "sluice status " + id, Why: "it shows what it cost"})
	}
	return a.forecast(ctx, run)
}

func (a *App) forecast(ctx context.Context, r *kernel.Run) (ForecastDoc, error) {
	d := ForecastDoc{Run: string(r.ID()), Line: r.Line(), Status: string(r.Status()), Steps: []ForecastStep{}, Notes: []string{}, Spent: a.usage(ctx, r)}
	left, silent, notes := nodesLeft(r)
	more, err := a.foreseen(ctx, r, left)
	if err != nil {
		return d, err
	}
	d.Notes = append(append(d.Notes, notes...), more...)
	known, err := a.knownCosts(ctx, r)
	if err != nil {
		return d, err
	}
	var cost journal.Money
	isPriced := true
	for _, step := range sortedSteps(left) {
		s := a.estimate(r, step, left[step], known, silent)
		if s.Calls == 0 {
			continue
		}
		d.Steps = append(d.Steps, s)
		d.Calls, d.Tokens, d.Seconds = d.Calls+s.Calls, d.Tokens+s.InputTokens+s.OutputTokens, d.Seconds+s.Seconds
		if s.Cost == nil {
			isPriced = false
			continue
		}
		cost += journal.Dollars(*s.Cost)
	}
	if isPriced {
		d.Cost = add(nil, cost)
	}
	return d, nil
}

// nodesLeft counts the nodes that are still to be performed, by step; which steps were performed without any call; and says
// what is not known.
func nodesLeft(r *kernel.Run) (left map[string]int, done map[string]bool, notes []string) {
	left, done = map[string]int{}, map[string]bool{}
	asks, unfolding := 0, 0
	for n := range r.Nodes() {
		node := n.Node()
		if node.Kind == kernel.Group || node.Performer == kernel.Person {
			asks += count(n.Status() == kernel.StatusAsking)
			continue
		}
		switch n.Status() {
		case kernel.StatusDone:
			done[node.Step] = true
		case kernel.StatusAsking:
			if f := n.Failure(); f != nil && f.Class == kernel.NoBudget {
				left[node.Step]++
			} else {
				asks++
			}
		case kernel.StatusWaiting, kernel.StatusReady, kernel.StatusRework, kernel.StatusRunning, kernel.StatusFailed:
			left[node.Step]++
		}
		unfolding += count(node.Unfolds && n.Status() != kernel.StatusDone && n.Status() != kernel.StatusAbandoned)
	}
	if asks > 0 {
		notes = append(notes, fmt.Sprintf("open asks: %d; an answer may bring more work", asks))
	}
	if unfolding > 0 && r.Line() != spec.Name {
		notes = append(notes, fmt.Sprintf("nodes from which others will follow: %d; what follows is not counted", unfolding))
	}
	return left, done, notes
}

func sortedSteps(left map[string]int) []string {
	var all []string
	for s := range left {
		all = append(all, s)
	}
	slices.Sort(all)
	return all
}

// foreseen adds the nodes that a line is certain to need and has not recorded yet.
func (a *App) foreseen(ctx context.Context, r *kernel.Run, left map[string]int) (notes []string, err error) {
	switch r.Line() {
	case novel.Name:
		return a.foreseenChapters(ctx, r, left)
	case spec.Name:
		planned := false
		for n := range r.Nodes() {
			planned = planned || n.Node().Step == string(spec.StepPlan)
		}
		if !planned {
			left[string(spec.StepPlan)]++
			left[string(spec.StepVV)]++
			notes = append(notes, "rounds of questions are not counted")
		}
	}
	return notes, nil
}

// usualScenes is how many scenes a chapter has where none is planned yet.
const usualScenes = 3

// foreseenChapters adds the chapters of a book that were not begun: as many as the outline has, or the settings want.
func (a *App) foreseenChapters(ctx context.Context, r *kernel.Run, left map[string]int) (notes []string, err error) {
	body := a.bodies(ctx, r)
	settings, err := novel.SettingsOf(r, body)
	if err != nil {
		return nil, err
	}
	chapters := settings.TargetChapters
	if o, err := novel.OutlineOf(r, body); err == nil && o != nil {
		chapters = len(o.Chapters)
	} else {
		notes = append(notes, fmt.Sprintf("there is no outline yet; %d chapters are wanted", chapters))
	}
	begun := len(novel.Chapters(r))
	planned, scenes := map[string]bool{}, 0
	steps := map[string]map[int]bool{}
	for n := range r.Nodes() {
		step, chapter := n.Node().Step, novel.ChapterOf(n.ID())
		if chapter == 0 {
			continue
		}
		if steps[step] == nil {
			steps[step] = map[int]bool{}
		}
		steps[step][chapter] = true
		if step == novel.StepScene {
			scenes++
			planned[fmt.Sprint(chapter)] = true
		}
	}
	each := usualScenes
	if len(planned) > 0 {
		each = int(math.Round(float64(scenes) / float64(len(planned))))
	}
	perChapter := []string{novel.StepPlan, novel.StepMemory, novel.StepConsistency}
	if string(settings.LogicReviewPolicy) != "off" {
		perChapter = append(perChapter, novel.StepLogic)
	}
	for _, step := range perChapter {
		left[step] += max(0, chapters-len(steps[step]))
	}
	left[novel.StepScene] += max(0, chapters-len(planned)) * each
	if begun < chapters {
		notes = append(notes, fmt.Sprintf("chapters not begun: %d, with %d scenes each", chapters-begun, each))
	}
	return notes, nil
}

// known are the costs of steps in the run and in the workspace.
type known struct{ run, all map[string]journal.StepCost }

func (a *App) knownCosts(ctx context.Context, r *kernel.Run) (known, error) {
	k := known{map[string]journal.StepCost{}, map[string]journal.StepCost{}}
	if a.Spending.Purse == nil {
		return k, nil
	}
	for run, into := range map[string]map[string]journal.StepCost{string(r.ID()): k.run, "": k.all} {
		costs, err := a.Spending.Purse.StepCosts(ctx, run)
		if err != nil {
			return k, err
		}
		for _, c := range costs {
			if step, ok := strings.CutPrefix(c.Step, r.Line()+"/"); ok {
				into[step] = c
			}
		}
	}
	return k, nil
}

// estimate is what some nodes of a step will cost: as those before in this run, else in the workspace, else as usual.
func (a *App) estimate(r *kernel.Run, step string, nodes int, k known, silent map[string]bool) ForecastStep {
	s := ForecastStep{Step: step, Nodes: nodes, Basis: ThisRun}
	c, ok := k.run[step]
	if !ok && silent[step] {
		return s // it was performed here, and asked nobody
	}
	if !ok {
		c, ok = k.all[step]
		s.Basis = Elsewhere
	}
	if !ok {
		return a.usual(r.Line(), s)
	}
	s.Samples = c.Nodes
	share := func(total int64) int64 {
		return int64(math.Ceil(float64(total) * float64(nodes) / float64(c.Nodes)))
	}
	s.Calls = int(share(int64(c.Calls)))
	s.InputTokens, s.OutputTokens = share(c.InputTokens), share(c.OutputTokens)
	s.Seconds = share(int64(c.Duration)) / int64(time.Second)
	if c.Unpriced == 0 {
		s.Cost = add(nil, journal.Money(share(int64(c.Cost))))
	}
	return s
}

// usualCost is what a step takes before one was made: calls, tokens in and out of each, and seconds of each.
type usualCost struct {
	agent          string
	calls, in, out int
	seconds        int64
}

// usualCosts are rough figures of one node per step. Steps that are not here ask nobody.
func usualCosts(line string) map[string]usualCost {
	switch line {
	case novel.Name:
		return map[string]usualCost{novel.StepWorld: {"world", 1, 600, 900, 20}, novel.StepTheme: {"theme", 1, 1200, 600, 15},
			novel.StepCharacters: {"characters", 1, 1800, 1500, 30}, novel.StepOutline: {"outline", 1, 3000, 3000, 60},
			novel.StepPlan: {"chapter-plan", 1, 3000, 900, 20}, novel.StepScene: {"scene-text", 1, 4500, 1300, 30},
			novel.StepMemory: {"chapter-memory", 1, 3500, 500, 12}, novel.StepConsistency: {"consistency", 1, 4500, 500, 12},
			novel.StepLogic: {"logic-review", 1, 5000, 600, 15}, novel.StepCandidate: {"revision", 1, 5000, 3500, 60}}
	case spec.Name:
		return map[string]usualCost{string(spec.StepCompile): {"compile", 1, 2500, 1500, 30}, string(spec.StepClarify): {"clarify-questions", 1, 2500, 500, 12},
			string(spec.StepApply): {"apply-answers", 1, 3000, 1500, 30}, string(spec.StepPlan): {"plan-tasks", 1, 3000, 1500, 30},
			string(spec.StepVV): {"generate-vv", 1, 3500, 1500, 30}}
	case "task":
		return map[string]usualCost{"plan-gen": {"plan-gen", 1, 1500, 2500, 45}, "plan-review": {"plan-review", 1, 3500, 600, 15},
			"feasibility": {"feasibility", 1, 1200, 200, 8}, "split": {"split", 1, 1800, 1200, 25}, "action": {"action", 1, 2000, 1500, 30},
			"check": {"check", 1, 2500, 500, 12}}
	case "scene":
		return map[string]usualCost{"verification-plan": {"verification-planner", 1, 3000, 1200, 25}, "generation": {"prose-writer", 1, 4000, 2000, 45},
			"full-validation": {"validator", 7, 4000, 500, 12}, "scenarios": {"scenario", 3, 3000, 1500, 30},
			"integration": {"integration", 1, 5000, 2000, 45}, "agent": {"agent", 1, 3000, 1200, 25}}
	case "sample":
		return map[string]usualCost{"write": {"sample-writer", 1, 300, 200, 8}, "variants": {"sample-writer", 1, 300, 300, 8},
			"judge": {"sample-judge", 1, 400, 150, 6}}
	}
	return nil
}

func (a *App) usual(line string, s ForecastStep) ForecastStep {
	s.Basis = Usual
	u, ok := usualCosts(line)[s.Step]
	if !ok {
		return s
	}
	n := int64(u.calls) * int64(s.Nodes)
	s.Calls, s.InputTokens, s.OutputTokens, s.Seconds = int(n), n*int64(u.in), n*int64(u.out), n*u.seconds
	if a.Spending.Price != nil {
		if m, ok := a.Spending.Price(u.agent, journal.Usage{InputTokens: u.in, OutputTokens: u.out}); ok {
			s.Cost = add(nil, journal.Money(n)*m)
		}
	}
	return s
}
