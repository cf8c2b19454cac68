package scene

import (
	"encoding/json"

	"sluice/internal/fault"
	"sluice/internal/kernel"
)

// Name of the line, and of its two types of workflow.
const (
	Name       = "scene"
	Generation = "generation"
	Planning   = "planning"
)

// Params are what every node of a workflow carries: its place in the definition, and what the workflow is about. They
// are recorded with the node, so a run keeps the definition it began with.
type Params struct {
	Workflow    string   `json:"workflow"` // generation or planning
	Number      int      `json:"number"`   // of the step or phase, from 1
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Agents      []string `json:"agents"` // one for a step; those of a phase in their order
	Parallel    bool     `json:"parallel,omitempty"`
	Outputs     []string `json:"outputs"` // keys of the artifacts
	MaxAttempts int      `json:"max_attempts,omitempty"`

	ParallelAgents int `json:"parallel_agents,omitempty"` // how many agents work side by side inside the step

	SceneID    string `json:"scene_id,omitempty"` // CCSS, of a generation or of planning at the level of a scene
	Level      string `json:"level,omitempty"`    // of planning: scene, chapter, act
	Act        int    `json:"act,omitempty"`
	Chapter    int    `json:"chapter,omitempty"`
	Scene      int    `json:"scene,omitempty"`
	WorkingDir string `json:"working_dir"` // relative to the workspace, with the session's directory if there is one
	Session    string `json:"session,omitempty"`
}

// ParamsOf reads the parameters of a node.
func ParamsOf(n kernel.Node) (Params, error) {
	var p Params
	if err := json.Unmarshal(n.Params, &p); err != nil {
		return p, fault.Wrap(fault.BadNode, string(n.ID), err, "the parameters of node %s do not parse", n.ID)
	}
	return p, nil
}

// Product is the content of a step's version: its artifacts by key. The files themselves are the version's parts, under
// the same paths. A reference without a digest is a file that was named and never seen.
type Product struct {
	Artifacts []Artifact      `json:"artifacts"`
	Result    json.RawMessage `json:"result,omitempty"` // what the next steps need to know and no file shows
}

// Artifact is one named output.
type Artifact struct {
	Key    string `json:"key"`
	Path   string `json:"path"` // relative to the workspace
	SHA256 string `json:"sha256,omitempty"`
}

// ParseProduct reads the content of a step's version.
func ParseProduct(body []byte) (Product, error) {
	var p Product
	if err := json.Unmarshal(body, &p); err != nil {
		return p, fault.Wrap(fault.BadValue, "product", err, "the content of a step does not parse")
	}
	return p, nil
}

// Encode renders a product as the content of a version.
func (p Product) Encode() ([]byte, error) {
	if p.Artifacts == nil {
		p.Artifacts = []Artifact{}
	}
	return json.Marshal(p)
}
