package scene

import (
	"fmt"
	"strings"

	"sluice/internal/kernel"
	"sluice/internal/line"
)

// wanted is what one call of an agent should bring.
type wanted string

const (
	wantText     wanted = "text"
	wantOffers   wanted = "variants" // the ways to choose from
	wantComments wanted = "comments" // on each of those ways
	wantPlan     wanted = "plan"     // the plan itself, as data
)

// task is one call of an agent.
type task struct {
	agent  string
	want   wanted
	output string // of a step with several: which one
}

func (t task) slot() string {
	if t.output == "" {
		return t.agent
	}
	return t.agent + "/" + t.output
}

// agents performs a step or phase by its agents: in their order, each knowing what those before said, or side by side.
func (m maker) agents(in line.In) (line.Move, error) {
	g, err := readGiven(in)
	if err != nil {
		return line.Move{}, err
	}
	around := g.around()
	if reads := g.unread(around); len(reads) > 0 {
		return line.Move{Reads: reads}, nil
	}
	if in.Node.Kind == kernel.Check {
		return m.judge(g)
	}
	rounds := g.rounds()
	var before []task
	for _, round := range rounds {
		if len(before) < len(in.Replies) {
			before = append(before, round...)
			continue
		}
		var move line.Move
		for _, t := range round {
			call, err := m.agentCall(g, t, before, around)
			if err != nil {
				return line.Move{}, err
			}
			move.Calls = append(move.Calls, call)
		}
		return move, nil
	}
	return g.deliver(before)
}

// around are the documents of the story that planning looks at. A workflow of another kind has its inputs only.
func (g given) around() []string {
	if g.p.Level == "" {
		return nil
	}
	return g.storyPatterns()
}

// rounds divides the work into calls made side by side. What others speak about comes first.
func (g given) rounds() [][]task {
	first := wantText
	rest := wantText
	switch {
	case g.in.Node.Step == stepScenarios || g.in.Node.Ask != nil && g.in.Node.Ask.Kind == kernel.AskChoose:
		first, rest = wantOffers, wantComments
	case g.in.Node.Step == stepIntegration && g.p.Level != "":
		first = wantPlan
	}
	var rounds [][]task
	for i, agent := range g.p.Agents {
		t := task{agent: agent, want: rest}
		if i == 0 {
			t.want = first
		}
		tasks := []task{t}
		if t.want == wantText && len(g.p.Outputs) > 1 {
			tasks = g.perOutput(i, agent)
		}
		if n := len(rounds); g.p.Parallel && n > 0 && (first == wantText || n > 1) {
			rounds[n-1] = append(rounds[n-1], tasks...)
			continue
		}
		rounds = append(rounds, tasks)
	}
	return rounds
}

// perOutput gives the agent its output where there are as many of both; else the last agent writes them all.
func (g given) perOutput(i int, agent string) []task {
	switch {
	case len(g.p.Agents) == len(g.p.Outputs):
		return []task{{agent: agent, want: wantText, output: g.p.Outputs[i]}}
	case i < len(g.p.Agents)-1:
		return []task{{agent: agent, want: wantText}}
	}
	var out []task
	for _, o := range g.p.Outputs {
		out = append(out, task{agent: agent, want: wantText, output: o})
	}
	return out
}

// agentData is what the prompt of an agent shows.
type agentData struct {
	Role, Language, About string
	Stage, Description    string
	Output                string
	Want                  wanted
	Level                 string
	Variants              int
	Story, Approved       []labelled
	Before                []labelled
	Chosen                string
	Wishes, Corrections   []string
	Earlier               []labelled
}

// agentInputs are what a call of an agent is given, under names that a script can match.
type agentInputs struct {
	Workflow    string            `json:"workflow"`
	Stage       string            `json:"stage"`
	Level       string            `json:"level,omitempty"`
	Act         int               `json:"act,omitempty"`
	Chapter     int               `json:"chapter_number,omitempty"`
	Scene       int               `json:"scene_number,omitempty"`
	SceneID     string            `json:"scene_id,omitempty"`
	Language    string            `json:"language"`
	Output      string            `json:"output,omitempty"`
	Variant     string            `json:"selected_variant,omitempty"`
	Wishes      map[string]string `json:"modifications,omitempty"`
	Corrections []string          `json:"corrections,omitempty"`
	// A plan says nothing of its own in these.
	Absent      []string `json:"characters_absent,omitzero"`
	Limits      []string `json:"limits,omitzero"`
	MustMention []string `json:"required_mechanics,omitzero"`
	NotMention  []string `json:"forbidden_mechanics,omitzero"`
}

func (m maker) agentCall(g given, t task, before []task, around []string) (line.Call, error) {
	story, approved := g.story(around), g.approved()
	lang := g.language(story, approved)
	chosen, label := g.chosen()
	if chosen == "" && label != "" {
		chosen = "variant " + label
	}
	data := agentData{Role: roleText(t.agent, g.p.Description), Language: languageName(lang), About: g.about(), Stage: g.p.Name, Description: g.p.Description,
		Output: strings.ReplaceAll(t.output, "_", " "), Want: t.want, Level: g.p.Level, Variants: variantCount, Story: story, Approved: approved,
		Chosen: chosen, Corrections: g.corrections(), Earlier: g.earlier()}
	inputs := agentInputs{Workflow: g.p.Workflow, Stage: g.p.Name, Level: g.p.Level, Act: g.p.Act, Chapter: g.p.Chapter, Scene: g.p.Scene, SceneID: g.p.SceneID,
		Language: lang, Output: t.output, Variant: label, Corrections: data.Corrections}
	for _, w := range g.wishes() {
		data.Wishes = append(data.Wishes, w.Stage+", "+w.Key+": "+w.Text)
		if inputs.Wishes == nil {
			inputs.Wishes = map[string]string{}
		}
		inputs.Wishes[w.Key] = w.Text
	}
	for i, b := range before {
		data.Before = append(data.Before, labelled{b.agent + ", earlier in this step", g.said(i, b)})
	}
	call := line.Call{Slot: t.slot(), Agent: t.agent}
	switch t.want {
	case wantOffers:
		call.Schema = m.schemas.offers
	case wantComments:
		call.Schema = m.schemas.comments
	case wantPlan:
		call.Schema = m.schemas.storyPlan
		if g.p.Level == "scene" {
			call.Schema = m.schemas.scenePlan
			inputs.Absent, inputs.Limits, inputs.MustMention, inputs.NotMention = []string{}, []string{}, []string{}, []string{}
		}
	case wantText:
	}
	var err error
	if call.System, call.Prompt, err = m.prompts.Render("agent", data); err != nil {
		return call, err
	}
	return call, g.sources(&call, inputs)
}

// about says what the work is about.
func (g given) about() string {
	switch {
	case g.p.Level == "act":
		return fmt.Sprintf("act %d", g.p.Act)
	case g.p.Level == "chapter":
		return fmt.Sprintf("chapter %d of act %d", g.p.Chapter, g.p.Act)
	case g.p.Level == "scene":
		return fmt.Sprintf("scene %d of chapter %d of act %d (scene %s)", g.p.Scene, g.p.Chapter, g.p.Act, g.p.SceneID)
	case g.p.SceneID != "":
		return "scene " + g.p.SceneID
	}
	return g.p.Workflow
}

// approved gives every file that earlier stages handed over. Of a stage where a person chose, the choice speaks alone.
func (g given) approved() []labelled {
	var out []labelled
	decided := 0
	if text, _ := g.chosen(); text != "" {
		_, stage := g.choice()
		decided = stage.Number
	}
	for _, s := range g.docs {
		if s.stage.Number == decided {
			continue
		}
		for _, a := range s.product.Artifacts {
			if body, ok := s.doc.Part(a.Path); ok {
				out = append(out, labelled{fmt.Sprintf("approved: %s (%s)", strings.ReplaceAll(a.Key, "_", " "), s.stage.Name), string(body)})
			}
		}
	}
	return out
}

// earlier gives what this stage handed over before and is to improve.
func (g given) earlier() []labelled {
	if g.subject == nil {
		return nil
	}
	var out []labelled
	for _, p := range g.subject.doc.Parts {
		out = append(out, labelled{"your earlier version", string(p.Body)})
	}
	return out
}

// language is the one that what is given is written in.
func (g given) language(groups ...[]labelled) string {
	var b strings.Builder
	for _, group := range groups {
		for _, d := range group {
			b.WriteString(d.Text)
		}
	}
	for _, w := range g.wishes() {
		b.WriteString(w.Text)
	}
	return languageOf(b.String())
}

// said is a reply as later agents read it.
func (g given) said(i int, t task) string {
	if i >= len(g.in.Replies) {
		return ""
	}
	content := g.in.Replies[i].Content
	if t.want == wantOffers {
		if o, err := readOffers(content); err == nil {
			d := &document{lang: "en"}
			writeOffers(d, o)
			return string(d.bytes())
		}
	}
	return content
}

// deliver writes the files of a step from what its agents said.
func (g given) deliver(tasks []task) (line.Move, error) {
	for i, t := range tasks {
		if strings.TrimSpace(g.in.Replies[i].Content) == "" {
			return line.Move{}, line.Unusable{Reason: "the reply of " + t.agent + " is empty"}
		}
	}
	switch tasks[0].want {
	case wantOffers:
		return g.deliverOffers(tasks)
	case wantPlan:
		return g.deliverPlan(tasks)
	case wantText, wantComments:
	}
	var files []output
	for _, key := range g.p.Outputs {
		d := &document{lang: "en"}
		d.heading(1, g.p.Name)
		g.sections(d, tasks, key)
		files = append(files, output{key, g.p.work(fileOf(key)), d.bytes()})
	}
	out, err := finish(nil, nil, files...)
	return line.Move{Done: out}, err
}

// fileOf is the name of the file for an output.
func fileOf(key string) string { return strings.ReplaceAll(key, "_", "-") + ".md" }

// sections writes what agents said in words: for an output with its own task that alone, else everything.
func (g given) sections(d *document, tasks []task, key string) {
	own := false
	for _, t := range tasks {
		own = own || t.output == key
	}
	for i, t := range tasks {
		if t.want != wantText || own && t.output != key {
			continue
		}
		if !own || len(g.p.Agents) > 1 {
			d.heading(2, strings.ReplaceAll(t.agent, "-", " "))
		}
		d.text(lowered(unfence(g.in.Replies[i].Content), 3))
	}
}

// lowered moves the headings of a text down so that none stands above a level.
func lowered(text string, top int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	highest := 7
	for _, l := range lines {
		if level, _ := headingOf(strings.TrimSpace(l)); level > 0 && strings.HasPrefix(l, "#") {
			highest = min(highest, level)
		}
	}
	if highest >= top {
		return strings.Join(lines, "\n")
	}
	for i, l := range lines {
		if level, title := headingOf(strings.TrimSpace(l)); level > 0 && strings.HasPrefix(l, "#") {
			lines[i] = strings.Repeat("#", min(6, level+top-highest)) + " " + title
		}
	}
	return strings.Join(lines, "\n")
}
