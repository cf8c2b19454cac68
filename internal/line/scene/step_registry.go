package scene

import (
	"embed"
	"slices"

	"sluice/internal/line"
	"sluice/internal/prompt"
)

//go:embed prompts
var promptFiles embed.FS

// Names of the steps that nodes carry.
const (
	stepFileCheck   = "file-check"
	stepBlueprint   = "blueprint-validation"
	stepPlan        = "verification-plan"
	stepDraft       = "generation"
	stepCompliance  = "fast-compliance"
	stepValidation  = "full-validation"
	stepFinal       = "final-output"
	stepScenarios   = "scenarios"
	stepIntegration = "integration"
	stepAgent       = "agent" // any other agents
)

// performers say which agent with which output is performed by which step. An agent or output of another name is
// someone's own workflow, and performed by its agents.
var performers = []struct{ agent, output, step string }{
	{"generation-coordinator", "blueprint_path", stepFileCheck},
	{"blueprint-validator", "constraints_list", stepBlueprint},
	{"verification-planner", "verification_plan", stepPlan},
	{"prose-writer", "draft", stepDraft},
	{"blueprint-compliance-fast-checker", "fast_compliance_result", stepCompliance},
	{"validation-aggregator", "final_validation_report", stepValidation},
	{"generation-coordinator", "scene_content", stepFinal},
	{"scenario-generator", "scenarios", stepScenarios},
	{"storyline-integrator", "integration_analysis", stepIntegration},
}

// StepFor says which step performs a step or phase of a definition.
func StepFor(p Params) string {
	for _, known := range performers {
		if len(p.Agents) > 0 && p.Agents[0] == known.agent && slices.Contains(p.Outputs, known.output) {
			return known.step
		}
	}
	return stepAgent
}

// Steps gives every step of the line by its name.
func Steps() (map[string]line.Step, error) {
	prompts, err := prompt.Load(promptFiles, "prompts")
	if err != nil {
		return nil, err
	}
	schemas, err := newSchemas()
	if err != nil {
		return nil, err
	}
	m := maker{prompts: prompts, schemas: schemas}
	return map[string]line.Step{
		stepFileCheck: fileCheck, stepBlueprint: validateBlueprint, stepPlan: m.verificationPlan, stepDraft: m.draft,
		stepCompliance: fastCompliance, stepValidation: m.fullValidation, stepFinal: finalOutput,
		stepScenarios: m.agents, stepIntegration: m.agents, stepAgent: m.agents,
	}, nil
}

// maker holds what the steps that ask a model need.
type maker struct {
	prompts *prompt.Set
	schemas schemas
}
