package sample

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/prompt"
)

// Name of the line.
const Name = "sample"

//go:embed prompts
var prompts embed.FS

//go:embed demo.json
var demo []byte

// Demo is the definition that `sluice demo` runs.
func Demo() []byte { return bytes.Clone(demo) }

// Definition is a run given as data: its nodes, with the parameters of their steps inside.
type Definition struct {
	Title    string        `json:"title"`
	Language string        `json:"language,omitempty"`
	Nodes    []kernel.Node `json:"nodes"`
}

// Params are what a node of this line says about its step.
type Params struct {
	Agent    string        `json:"agent,omitempty"`
	Task     string        `json:"task,omitempty"`      // what to write or to judge, in the user's words
	Text     string        `json:"text,omitempty"`      // of a fixed text
	Words    int           `json:"words,omitempty"`     // length asked for, or the least a rule accepts
	Contains string        `json:"contains,omitempty"`  // what a code check wants to find
	MinScore float64       `json:"min_score,omitempty"` // what a judge must give at least; 0 means 75
	Calls    int           `json:"calls,omitempty"`     // how many texts are written side by side; 0 means 1
	Path     string        `json:"path,omitempty"`      // where the newest version is checked out
	Each     []kernel.Node `json:"each,omitempty"`      // what follows each line of the approved version; {item} and {n}
}

// ParseDefinition reads a definition strictly; an error names the place.
func ParseDefinition(raw []byte) (Definition, error) {
	var d Definition
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		return Definition{}, fault.Wrap(fault.BadValue, "definition", err, "the definition does not parse near %s", place(raw, dec.InputOffset()))
	}
	if rest := bytes.TrimLeft(raw[dec.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return Definition{}, fault.New(fault.BadValue, "definition", "something stands behind the definition, at %s",
			place(raw, int64(len(raw)-len(rest))))
	}
	if d.Title == "" || len(d.Nodes) == 0 {
		return Definition{}, fault.New(fault.BadValue, "definition", "the definition has no title or no nodes")
	}
	for _, n := range d.Nodes {
		if _, err := paramsOf(n); err != nil {
			return Definition{}, err
		}
	}
	return d, nil
}

func place(raw []byte, offset int64) string {
	before := raw[:min(offset, int64(len(raw)))]
	return fmt.Sprintf("line %d, byte %d", bytes.Count(before, []byte("\n"))+1, offset)
}

// Open is the command that begins a run of a definition.
func Open(id kernel.RunID, d Definition) (kernel.Open, error) {
	settings, err := json.Marshal(struct {
		Language string `json:"language,omitempty"`
	}{d.Language})
	if err != nil {
		return kernel.Open{}, err
	}
	return kernel.Open{Run: id, Line: Name, Title: d.Title, Settings: settings, Nodes: d.Nodes}, nil
}

// New is the line.
func New() (*line.Line, error) {
	set, err := prompt.Load(prompts, "prompts")
	if err != nil {
		return nil, err
	}
	s := steps{set}
	return &line.Line{
		Name:       Name,
		Definition: []byte(`{"line":"sample","revision":1,"steps":["text","write","variants","judge","contains","assemble"]}`),
		Steps: map[string]line.Step{
			"text": fixedText, "write": s.write, "variants": s.variants, "judge": s.judge, "contains": contains, "assemble": assemble,
		},
		Rule:   rule,
		Unfold: unfold,
		Files:  files,
		State:  state,
		Adopt:  adopt,
		Export: exported,
	}, nil
}

func paramsOf(n kernel.Node) (Params, error) {
	var p Params
	if len(n.Params) == 0 {
		return p, nil
	}
	dec := json.NewDecoder(bytes.NewReader(n.Params))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return p, fault.Wrap(fault.BadNode, string(n.ID), err, "the parameters of node %s do not parse", n.ID)
	}
	return p, nil
}

// rule knows one rule, min_words: the content has at least so many words.
func rule(n kernel.Node, body []byte) (kernel.RuleResult, error) {
	p, err := paramsOf(n)
	if err != nil {
		return kernel.RuleResult{}, err
	}
	if n.Gate.Rule != "min_words" {
		return kernel.RuleResult{}, fault.New(fault.BadNode, string(n.ID), "line %s has no rule %q; it has min_words", Name, n.Gate.Rule)
	}
	words := len(bytes.Fields(body))
	res := kernel.RuleResult{Rule: n.Gate.Rule, Revision: n.Gate.Revision, Pass: words >= p.Words}
	if !res.Pass {
		res.Findings = []kernel.Finding{{Code: "too_short", Severity: "high",
			Message: fmt.Sprintf("%d words, and at least %d are wanted", words, p.Words), Fix: "write more"}}
	}
	return res, nil
}

// unfold makes the nodes of Params.Each for every line of the approved text.
func unfold(in line.Unfolding) (line.Followers, error) {
	p, err := paramsOf(in.Node)
	if err != nil {
		return line.Followers{}, err
	}
	var follow line.Followers
	n := 0
	for item := range strings.Lines(string(in.Body)) {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		n++
		for _, spec := range p.Each {
			made, err := fill(spec, item, n)
			if err != nil {
				return line.Followers{}, err
			}
			follow.Nodes = append(follow.Nodes, made)
		}
	}
	return follow, nil
}

// fill puts an item into a copy of a node.
func fill(spec kernel.Node, item string, n int) (kernel.Node, error) {
	raw, err := json.Marshal(spec)
	if err != nil {
		return kernel.Node{}, err
	}
	quoted, err := json.Marshal(item)
	if err != nil {
		return kernel.Node{}, err
	}
	text := strings.ReplaceAll(string(raw), "{n}", fmt.Sprintf("%03d", n))
	text = strings.ReplaceAll(text, "{item}", string(quoted[1:len(quoted)-1]))
	var out kernel.Node
	return out, json.Unmarshal([]byte(text), &out)
}

// files shows the newest version of a node that names a path.
func files(r *kernel.Run, n kernel.View) []line.File {
	p, err := paramsOf(n.Node())
	if err != nil || p.Path == "" {
		return nil
	}
	return []line.File{{Path: path.Join("sample", string(r.ID()), p.Path), Version: n.Newest(), Role: journal.Working}}
}

// exported is every node that has a file.
func exported(r *kernel.Run) []line.Exported {
	var out []line.Exported
	for n := range r.Nodes() {
		if p, err := paramsOf(n.Node()); err == nil && p.Path != "" && n.Status() != kernel.StatusAbandoned {
			out = append(out, line.Exported{Node: n.ID(), Path: p.Path})
		}
	}
	return out
}

// state shows where every node stands.
func state(r *kernel.Run, _ line.Body) ([]line.StateFile, error) {
	type row struct {
		Node     kernel.NodeID    `json:"node"`
		Status   kernel.Status    `json:"status"`
		Approved kernel.VersionID `json:"approved,omitempty"`
	}
	doc := struct {
		Run    kernel.RunID     `json:"run"`
		Status kernel.RunStatus `json:"status"`
		Nodes  []row            `json:"nodes"`
	}{Run: r.ID(), Status: r.Status()}
	for n := range r.Nodes() {
		item := row{Node: n.ID(), Status: n.Status()}
		if v := n.Approved(); v != nil {
			item.Approved = v.ID
		}
		doc.Nodes = append(doc.Nodes, item)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return nil, err
	}
	return []line.StateFile{{Path: path.Join("sample", string(r.ID()), "state.json"), Body: out.Bytes()}}, nil
}

// adopt takes any text a person wrote but an empty one. Variants must stay variants: there is nothing to choose from
// otherwise.
func adopt(e line.Edited) (line.Out, error) {
	if len(bytes.TrimSpace(e.File)) == 0 {
		return line.Out{}, fmt.Errorf("line 1: the text is empty")
	}
	out := line.Out{Body: e.File, Schema: e.Newest.Version.Schema}
	if out.Schema != variantsName {
		return out, nil
	}
	var v Variants
	if err := json.Unmarshal(e.File, &v); err != nil {
		return line.Out{}, err
	}
	for i, variant := range v.Variants {
		if variant.Label != label(i) || strings.TrimSpace(variant.Text) == "" {
			return line.Out{}, fmt.Errorf("variant %d has the label %q and needs %q, with a text", i+1, variant.Label, label(i))
		}
		out.Variants = append(out.Variants, variant.Label)
	}
	if len(out.Variants) < 2 {
		return line.Out{}, fmt.Errorf("%d variants leave nothing to choose", len(out.Variants))
	}
	return out, nil
}

// label is how a variant is called, by its place.
func label(i int) string { return string(rune('A' + i)) }
