package scene

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// given is what a step was given, read into the words of the line.
type given struct {
	in      line.In
	p       Params
	docs    []source // approved content of earlier stages, in their order
	subject *source
}

// source is content of one stage.
type source struct {
	stage   Params
	doc     line.Doc
	product Product
}

// artifact is a file that a stage handed over.
type artifact struct {
	Artifact
	body []byte
	by   kernel.Actor
}

func readGiven(in line.In) (given, error) {
	p, err := ParamsOf(in.Node)
	if err != nil {
		return given{}, err
	}
	g := given{in: in, p: p}
	for _, d := range in.Inputs {
		s, err := g.source(d)
		if err != nil {
			return given{}, err
		}
		g.docs = append(g.docs, s)
	}
	slices.SortStableFunc(g.docs, func(a, b source) int { return a.stage.Number - b.stage.Number })
	if in.Subject != nil {
		s, err := g.source(*in.Subject)
		if err != nil {
			return given{}, err
		}
		g.subject = &s
	}
	return g, nil
}

func (g given) source(d line.Doc) (source, error) {
	s := source{doc: d}
	if n, ok := g.in.Run.Node(d.Version.Node); ok {
		p, err := ParamsOf(n.Node())
		if err != nil {
			return s, err
		}
		s.stage = p
	}
	if err := json.Unmarshal(d.Body, &s.product); err != nil {
		return s, fault.Wrap(fault.StepFailed, string(d.Version.ID), err, "version %s is no list of artifacts", d.Version.ID)
	}
	return s, nil
}

func (s source) artifact(key string) (artifact, bool) {
	for _, a := range s.product.Artifacts {
		if a.Key == key {
			body, _ := s.doc.Part(a.Path)
			return artifact{Artifact: a, body: body, by: s.doc.Version.By}, true
		}
	}
	return artifact{}, false
}

// artifact finds an output of the nearest earlier stage that has it.
func (g given) artifact(key string) (artifact, bool) {
	for _, s := range slices.Backward(g.docs) {
		if a, ok := s.artifact(key); ok {
			return a, true
		}
	}
	return artifact{}, false
}

// draft is the text that a check judges, or that was approved.
func (g given) draft() (artifact, bool) {
	if g.subject != nil && g.in.Node.Kind == kernel.Check {
		if a, ok := g.subject.artifact("draft"); ok {
			return a, true
		}
	}
	return g.artifact("draft")
}

// stages gives the nodes of the workflow up to this one, in their order, with the parameters they carry.
func (g given) stages() []stageView {
	var out []stageView
	for v := range g.in.Run.Nodes() {
		if p, err := ParamsOf(v.Node()); err == nil && p.Number > 0 {
			out = append(out, stageView{Params: p, view: v})
		}
	}
	slices.SortStableFunc(out, func(a, b stageView) int { return a.Number - b.Number })
	return out
}

type stageView struct {
	Params
	view kernel.View
}

// making finds the stage that has an output.
func (g given) making(output string) (stageView, bool) {
	for _, s := range g.stages() {
		if slices.Contains(s.Outputs, output) {
			return s, true
		}
	}
	return stageView{}, false
}

// wish is what a person asked for when they approved a stage, or sent one back.
type wish struct {
	Stage string
	Key   string
	Text  string
	raw   json.RawMessage
}

// wishes gives the modifications that came with approvals of earlier stages, oldest first.
func (g given) wishes() []wish {
	var out []wish
	for _, s := range g.stages() {
		if s.Number >= g.p.Number || s.view.Approved() == nil {
			continue
		}
		for _, r := range s.view.Approved().Reviews() {
			if r.Verdict == kernel.ForIt && r.By.IsHuman() {
				out = append(out, wishesOf(s.Name, r.Edits)...)
			}
		}
	}
	return out
}

// wishesOf reads modifications: an object, key by key in the order of the keys.
func wishesOf(stage string, edits json.RawMessage) []wish {
	var object map[string]json.RawMessage
	if len(edits) == 0 || json.Unmarshal(edits, &object) != nil {
		if text := wishText(edits); text != "" {
			return []wish{{Stage: stage, Key: "modification", Text: text, raw: edits}}
		}
		return nil
	}
	var out []wish
	for _, key := range sortedNames(object) {
		out = append(out, wish{Stage: stage, Key: key, Text: wishText(object[key]), raw: object[key]})
	}
	return out
}

func sortedNames(m map[string]json.RawMessage) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// wishText is a value as a reader sees it.
func wishText(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	if list, ok := stringsOf(raw); ok {
		return strings.Join(list, ", ")
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return ""
	}
	return b.String()
}

// stringsOf reads a text, a number or a list of texts.
func stringsOf(raw json.RawMessage) ([]string, bool) {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}, true
	}
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		return list, true
	}
	return nil, false
}

// choice is the variant a person chose of what was offered, and in which stage.
func (g given) choice() (label string, stage stageView) {
	for _, s := range g.stages() {
		v := s.view.Approved()
		if v == nil || s.Number >= g.p.Number {
			continue
		}
		for _, r := range v.Reviews() {
			if r.Verdict == kernel.ForIt && r.Choice != "" && slices.Contains(v.Variants(), r.Choice) {
				label, stage = r.Choice, s
			}
		}
	}
	return label, stage
}

// corrections is what this attempt should heed: what checks and people held against the last one.
func (g given) corrections() []string {
	var out []string
	for _, r := range g.in.Reviews {
		for _, f := range r.Findings {
			out = append(out, strings.TrimSpace(f.Message+". "+f.Fix))
		}
		if r.Verdict == kernel.AgainstIt && r.By.IsHuman() {
			if r.Summary != "" {
				out = append(out, r.Summary)
			}
			for _, w := range wishesOf("", r.Edits) {
				out = append(out, w.Key+": "+w.Text)
			}
		}
	}
	return append(out, g.in.Attempt.Notes...)
}

// emphasis counts the attempts since the last fresh start, this one included.
func (g given) emphasis() int {
	n, ok := g.in.Run.Node(g.in.Node.ID)
	if !ok {
		return 1
	}
	return n.Used() + 1
}

// draftNumber counts the attempts that came to a result, this one included. It goes on over fresh starts, so that no
// draft takes the file of another.
func (g given) draftNumber() int {
	number := 1
	for _, a := range g.in.Run.AttemptsAt(g.in.Node.ID) {
		if a.Outcome == kernel.Delivered || a.Outcome == kernel.Unusable {
			number++
		}
	}
	return number
}

// asked tells whether a pattern was answered, and gives the files that fit it.
func (g given) asked(pattern string) (files []line.Found, done bool) {
	for _, f := range g.in.Files {
		if f.Pattern == pattern {
			done = true
			if f.Path != "" {
				files = append(files, f)
			}
		}
	}
	return files, done
}

// unread gives the patterns that were not asked for yet.
func (g given) unread(patterns []string) []string {
	var out []string
	for _, p := range patterns {
		if _, done := g.asked(p); !done {
			out = append(out, p)
		}
	}
	return out
}

// literal is the pattern that only this path fits.
func literal(p string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(p)
}

// work is a path in the working directory.
func (p Params) work(name string) string { return path.Join(p.WorkingDir, name) }

// story is a path in the story as documents name it: a session's copy is shown at the place it stands for.
func (p Params) story(name string) string {
	if p.Session == "" {
		return name
	}
	return line.GlobalPath(p.Session, name)
}

// productSchema names the shape of every version of this line.
const productSchema = "scene/product"

// output is one file that a step hands over.
type output struct {
	key  string
	path string
	body []byte
}

// finish makes the content of a step from its files and references to files of others.
func finish(result any, refs []Artifact, files ...output) (*line.Out, error) {
	p := Product{Artifacts: []Artifact{}}
	p.Artifacts = append(p.Artifacts, refs...)
	out := &line.Out{Schema: productSchema}
	for _, f := range files {
		p.Artifacts = append(p.Artifacts, Artifact{Key: f.key, Path: f.path, SHA256: digest.Of(f.body).Hex()})
		out.Parts = append(out.Parts, line.Part{Path: f.path, Body: f.body})
	}
	var err error
	if result != nil {
		if p.Result, err = json.Marshal(result); err != nil {
			return nil, err
		}
	}
	out.Body, err = pretty(p)
	return out, err
}

// ruling is the result of a step that can fail; the gate's rule reads it.
type ruling struct {
	Pass     bool             `json:"pass"`
	Findings []kernel.Finding `json:"findings"`
}

// pretty writes a document for people and for other programs.
func pretty(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
