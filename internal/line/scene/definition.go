package scene

import (
	"embed"
	"encoding/json"
	"slices"

	"sluice/internal/fault"
)

//go:embed definitions/*.json
var embedded embed.FS

// Definition is a type of workflow as data: steps of one list, or phases per level. It is read from JSON in the shape
// that agents know, and nothing about the two built-in types is known elsewhere.
type Definition struct {
	Type   string             // the name of the workflow
	Phased bool               // it has phases, per level
	Levels map[string][]Stage // by level; steps without levels are under ""
	Raw    []byte             // what a run records
}

// Stage is one step or phase.
type Stage struct {
	Number         int
	Name           string
	Agents         []string
	Description    string
	Parallel       bool
	ParallelAgents int
	Prerequisites  []int
	Outputs        []string
	HumanApproval  bool
	ApprovalType   string // select_variant, or empty
	RetryEnabled   bool
	MaxAttempts    int
	TriggersRetry  bool
}

// SelectVariant is the approval in which a person chooses one of the variants offered.
const SelectVariant = "select_variant"

// approvalTypes are the ways to approve that a definition may name.
var approvalTypes = []string{"approve", SelectVariant}

// defaultAttempts is how often a step with retry is tried when the definition does not say.
const defaultAttempts = 3

// DefinitionPath is where a workspace may put its own definition of a type of workflow.
func DefinitionPath(workflow string) string { return "workspace/definitions/" + workflow + ".json" }

// Builtin gives the definition that comes with the program.
func Builtin(workflow string) (Definition, error) {
	raw, err := embedded.ReadFile("definitions/" + workflow + ".json")
	if err != nil {
		return Definition{}, fault.New(fault.BadValue, workflow, "there is no workflow type %q; there are %s and %s", workflow, Generation, Planning)
	}
	return ParseDefinition(workflow, raw)
}

// ParseDefinition reads a definition and checks all of it. Errors name the place.
func ParseDefinition(workflow string, raw []byte) (Definition, error) {
	d := Definition{Type: workflow, Levels: map[string][]Stage{}, Raw: raw}
	r := &reader{file: DefinitionPath(workflow)}
	top := r.object("", raw, workflow+"_steps", workflow+"_phases")
	steps, hasSteps := top[workflow+"_steps"]
	phases, hasPhases := top[workflow+"_phases"]
	switch {
	case r.err != nil:
	case hasSteps == hasPhases:
		r.bad("", "it has to hold either %s_steps or %s_phases", workflow, workflow)
	case hasSteps:
		d.Levels[""] = r.stages("/"+workflow+"_steps", steps, "step")
	default:
		d.Phased = true
		at := "/" + workflow + "_phases"
		levels := r.object(at, phases)
		for _, level := range sortedKeys(levels) {
			if !slices.Contains(levelNames, level) {
				r.bad(at+"/"+level, "there is no level %q; there are scene, chapter and act", level)
			}
			d.Levels[level] = r.stages(at+"/"+level, levels[level], "phase")
		}
		if len(levels) == 0 {
			r.bad(at, "it has no level")
		}
	}
	return d, r.fault()
}

// Stages gives the steps, or the phases of one level.
func (d Definition) Stages(level string) ([]Stage, error) {
	stages, ok := d.Levels[level]
	if !ok {
		return nil, fault.New(fault.BadValue, level, "workflow type %s has no level %q", d.Type, level)
	}
	return stages, nil
}

func (r *reader) stages(at string, raw json.RawMessage, word string) []Stage {
	var out []Stage
	items := r.array(at, raw)
	if len(items) == 0 && r.err == nil {
		r.bad(at, "there is no %s", word)
	}
	for i, item := range items {
		out = append(out, r.stage(pointer(at, i), item, word, i+1))
	}
	for i := range out {
		r.checkStage(pointer(at, i), out, i, word)
	}
	return out
}

var (
	stepFields = []string{"step", "name", "agent", "description", "prerequisites", "outputs", "human_approval",
		"approval_type", "retry_enabled", "max_attempts", "triggers_retry", "parallel_agents"}
	phaseFields = []string{"phase", "name", "agents", "description", "parallel", "prerequisites", "outputs", "human_approval", "approval_type"}
)

func (r *reader) stage(at string, raw json.RawMessage, word string, number int) Stage {
	fields := stepFields
	if word == "phase" {
		fields = phaseFields
	}
	o := r.object(at, raw, fields...)
	s := Stage{
		Number: value[int](r, at, o, word, true), Name: value[string](r, at, o, "name", true),
		Description:   value[string](r, at, o, "description", false),
		Parallel:      value[bool](r, at, o, "parallel", false),
		Prerequisites: value[[]int](r, at, o, "prerequisites", true), Outputs: value[[]string](r, at, o, "outputs", true),
		HumanApproval: value[bool](r, at, o, "human_approval", false), ApprovalType: value[string](r, at, o, "approval_type", false),
		RetryEnabled: value[bool](r, at, o, "retry_enabled", false), MaxAttempts: value[int](r, at, o, "max_attempts", false),
		TriggersRetry:  value[bool](r, at, o, "triggers_retry", false),
		ParallelAgents: value[int](r, at, o, "parallel_agents", false),
	}
	if word == "phase" {
		s.Agents = value[[]string](r, at, o, "agents", true)
	} else {
		s.Agents = []string{value[string](r, at, o, "agent", true)}
	}
	if s.Number != number && r.err == nil {
		r.bad(at+"/"+word, "it is number %d; the numbers are 1, 2, 3 … in order, and %d is due", s.Number, number)
	}
	if s.RetryEnabled && s.MaxAttempts == 0 {
		s.MaxAttempts = defaultAttempts
	}
	return s
}

func (r *reader) checkStage(at string, all []Stage, i int, word string) {
	s := all[i]
	if !isTitle(s.Name) {
		r.bad(at+"/name", "a name is 1 to 100 printable characters")
	}
	agents := at + "/agents"
	if word == "step" {
		agents = at + "/agent"
	}
	if len(s.Agents) == 0 || slices.ContainsFunc(s.Agents, func(a string) bool { return !agentName.MatchString(a) }) {
		r.bad(agents, "agents are named by 1 to 64 of a-z, 0-9 and -; at least one is needed")
	}
	for k, p := range s.Prerequisites {
		if p < 1 || p >= s.Number || slices.Contains(s.Prerequisites[:k], p) {
			r.bad(pointer(at+"/prerequisites", k), "%d is no earlier %s, or is named twice", p, word)
		}
	}
	for k, o := range s.Outputs {
		if !artifactKey.MatchString(o) || slices.Contains(s.Outputs[:k], o) {
			r.bad(pointer(at+"/outputs", k), "%q is no key of 1 to 64 of a-z, 0-9 and _, or is named twice", o)
		}
	}
	if s.ApprovalType != "" && (!s.HumanApproval || !slices.Contains(approvalTypes, s.ApprovalType)) {
		r.bad(at+"/approval_type", "%q is none of %v, or goes with no human_approval", s.ApprovalType, approvalTypes)
	}
	if s.MaxAttempts < 0 || s.MaxAttempts > 0 && !s.RetryEnabled {
		r.bad(at+"/max_attempts", "attempts are counted from 1 and go with retry_enabled")
	}
	if s.ParallelAgents < 0 {
		r.bad(at+"/parallel_agents", "%d agents cannot work", s.ParallelAgents)
	}
	if !s.TriggersRetry || r.err != nil {
		return
	}
	if _, ok := retried(all, s); !ok || s.HumanApproval || s.RetryEnabled {
		r.bad(at+"/triggers_retry", "it goes with exactly one prerequisite that has retry_enabled, and with neither human_approval nor retry_enabled of its own")
	}
}

// retried gives the stage that one with triggers_retry sends back.
func retried(all []Stage, s Stage) (Stage, bool) {
	var found []Stage
	for _, p := range s.Prerequisites {
		if p >= 1 && p <= len(all) && all[p-1].RetryEnabled {
			found = append(found, all[p-1])
		}
	}
	if len(found) != 1 {
		return Stage{}, false
	}
	return found[0], true
}

// closure gives all the stages that one stands on, in their order.
func closure(all []Stage, number int) []int {
	seen := map[int]bool{}
	var visit func(int)
	visit = func(n int) {
		for _, p := range all[n-1].Prerequisites {
			if !seen[p] {
				seen[p] = true
				visit(p)
			}
		}
	}
	visit(number)
	out := make([]int, 0, len(seen))
	for n := range seen {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}
