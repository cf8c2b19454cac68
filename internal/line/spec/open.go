package spec

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/spec/ingest"
)

// Wish is what a person gives to begin or to amend a feature.
type Wish struct {
	Title   string // empty: it is found or made
	Sources []ingest.Source
}

// settings are what a feature keeps for its life.
type settings struct {
	Context *ProjectContextRef `json:"project_context_ref,omitempty"`
}

// LabelFeature and the R-… of each pass are the labels by which a feature is found. The value of an R-… is always LabelRun.
const (
	LabelFeature = "feature"
	LabelRun     = "run"
)

// Open is the command that begins a feature, with the ids that were reserved for it and its first pass.
func Open(feature, run string, w Wish, context *ProjectContextRef) (kernel.Open, error) {
	nodes, err := passNodes(Params{FeatureID: feature, RunID: run, Pass: 1}, "")
	if err != nil {
		return kernel.Open{}, err
	}
	kept, err := json.Marshal(settings{context})
	if err != nil {
		return kernel.Open{}, err
	}
	return kernel.Open{Run: kernel.RunID(feature), Line: Name, Title: w.label(feature), Settings: kept, Nodes: nodes,
		Labels: map[string]string{LabelFeature: feature, run: LabelRun}}, nil
}

// label is how a feature is called in lists before it has a title of its own.
func (w Wish) label(feature string) string {
	text := w.Title
	for _, s := range w.Sources {
		for one := range strings.Lines(strings.ToValidUTF8(string(s.Body[:min(len(s.Body), 4096)]), "")) {
			if text == "" {
				text = strings.Trim(clean(one), "#*- \t")
			}
		}
	}
	text = strings.Join(strings.Fields(text), " ")
	if text = cut(clean(text), 80); text == "" {
		return feature
	}
	return text
}

// Amend gives the nodes of the next pass of a feature that is published or dropped, and the label of its R-….
func Amend(r *kernel.Run, run string) ([]kernel.Node, map[string]string, error) {
	if s := StatusOf(r); s != Published && s != Dropped {
		return nil, nil, fault.New(fault.IllegalStep, string(r.ID()), "feature %s is %s; it is amended once it is published or dropped", r.ID(), s).
			With(NextActions(r)...)
	}
	pass := Current(r).Pass + 1
	_, base := Newest(r)
	nodes, err := passNodes(Params{FeatureID: string(r.ID()), RunID: run, Pass: pass}, base)
	return nodes, map[string]string{run: LabelRun}, err
}

// Reopen gives the nodes that lead a feature on hold back into its clarify loop: anything may be answered there.
func Reopen(r *kernel.Run) ([]kernel.Node, error) {
	if s := StatusOf(r); s != OnHold {
		return nil, fault.New(fault.IllegalStep, string(r.ID()), "feature %s is %s, not on hold; there is nothing to reopen", r.ID(), s).
			With(NextActions(r)...)
	}
	at := Current(r)
	n, _ := r.Node(at.Node(partVV))
	p, err := ParamsOf(n.Node())
	if err != nil {
		return nil, err
	}
	p.Source, p.Asked = n.ID(), nil
	return answerNodes(p, nil)
}

// Input is what was given, as a version: the list of sources, and their bytes as parts.
func (w Wish) Input() (line.Out, error) {
	if len(w.Sources) == 0 {
		return line.Out{}, fault.New(fault.BadValue, "input", "there is no input").
			With(fault.Action{Action: "new", Command: "sluice spec new TEXT", Why: "any text will do: a sentence, a chat, a document"})
	}
	d := inputDocument{Title: w.Title}
	out := line.Out{Schema: InputSchema}
	for i, s := range w.Sources {
		part := strconv.Itoa(i + 1)
		d.Sources = append(d.Sources, inputSource{Name: s.Name, Part: part})
		out.Parts = append(out.Parts, line.Part{Path: part, Body: s.Body})
	}
	var err error
	out.Body, err = encode(d)
	return out, err
}

type inputDocument struct {
	Title   string        `json:"title,omitempty"`
	Sources []inputSource `json:"sources"`
}

type inputSource struct {
	Name string `json:"name"`
	Part string `json:"part"`
}

func readInput(d line.Doc) (Wish, error) {
	var doc inputDocument
	if err := decode(d.Body, &doc); err != nil {
		return Wish{}, err
	}
	w := Wish{Title: doc.Title}
	for _, s := range doc.Sources {
		body, ok := d.Part(s.Part)
		if !ok {
			return w, fault.New(fault.StoreCorrupt, string(d.Version.ID), "input %s has no part %s", d.Version.ID, s.Part)
		}
		w.Sources = append(w.Sources, ingest.Source{Name: s.Name, Body: body})
	}
	return w, nil
}

// IsUnreadable tells of a feature whose input ingest could not read, so that other input may take its place.
func IsUnreadable(r *kernel.Run) bool {
	n, ok := r.Node(Current(r).Ingest())
	return ok && n.Status() == kernel.StatusFailed
}

// NextActions are what can be done about a feature as it stands.
func NextActions(r *kernel.Run) []fault.Action {
	id := string(r.ID())
	if isCancelled(r) {
		return []fault.Action{{Action: "resume", Command: "sluice resume " + id, Why: "a closed run goes on only when it is resumed"}}
	}
	if IsUnreadable(r) {
		return []fault.Action{{Action: "amend", Command: "sluice spec amend " + id + " -f FILE", Why: "input that can be read takes the place of what was given"}}
	}
	switch StatusOf(r) {
	case Published, Dropped:
		return []fault.Action{{Action: "amend", Command: "sluice spec amend " + id + " TEXT", Why: "new input opens a new version of the same feature"}}
	case OnHold:
		return []fault.Action{{Action: "reopen", Command: "sluice spec reopen " + id, Why: "it goes back to its questions"},
			{Action: "review", Command: "sluice spec review " + id + " go --reason TEXT", Why: "what is on hold may go after all"}}
	case ExecutableReady:
		if n, ok := r.Node(Current(r).Review()); ok && DecisionOf(n) == Go {
			return []fault.Action{{Action: "publish", Command: "sluice spec publish " + id + " --target file", Why: "it was decided to go"}}
		}
		return []fault.Action{{Action: "review", Command: "sluice spec review " + id + " go --reason TEXT", Why: "every gate passes; go, hold or drop is a person's to say"}}
	case Clarifying:
		if WaitingFor(r) == "answers" {
			return []fault.Action{{Action: "answer", Command: "sluice spec answer " + id + " -a " + shellQuoted(firstOpen(r)+"=VALUE"),
				Why: "questions are open; without -a each is asked at the terminal"}}
		}
	}
	return []fault.Action{{Action: "run", Command: "sluice spec run " + id, Why: "it goes on by itself from here"}}
}

// firstOpen is the path of the first open question, or PATH where anything may be answered.
func firstOpen(r *kernel.Run) string {
	for a := range r.OpenAsks() {
		if len(a.Questions) > 0 {
			return a.Questions[0].Path
		}
	}
	return "PATH"
}

var contextForm = regexp.MustCompile(`^C-[0-9]{2,}$`)

// Validate checks a project context that came from outside. None is fine.
func (c *ProjectContextRef) Validate() error {
	switch {
	case c == nil:
		return nil
	case c.ProjectID == "":
		return fault.New(fault.BadValue, "project", "a context of a project needs the project's id").
			With(fault.Action{Action: "new", Command: "sluice spec new TEXT --project ID --context C-01"})
	case !contextForm.MatchString(c.ContextVersion):
		return fault.New(fault.BadValue, "context", "the context version is %q, which has not the form C-NN", c.ContextVersion).
			With(fault.Action{Action: "new", Command: "sluice spec new TEXT --project ID --context C-01"})
	}
	return nil
}
