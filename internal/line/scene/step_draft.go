package scene

import (
	"fmt"
	"strings"

	"sluice/internal/digest"
	"sluice/internal/line"
)

// draft writes the scene. What was held against the last draft comes back with an emphasis that grows.
func (m maker) draft(in line.In) (line.Move, error) {
	g, err := readGiven(in)
	if err != nil {
		return line.Move{}, err
	}
	c, reads := g.constraints()
	around := g.storyPatterns()
	if reads = append(reads, g.unread(around)...); len(reads) > 0 {
		return line.Move{Reads: reads}, nil
	}
	if len(in.Replies) == 0 {
		call, err := m.draftCall(g, c, g.story(around))
		return line.Move{Calls: []line.Call{call}}, err
	}
	text := unfence(in.Replies[0].Content)
	if countWords(proseOf(text)) == 0 {
		return line.Move{}, line.Unusable{Reason: "the reply holds no prose"}
	}
	n := g.draftNumber()
	body := []byte(strings.TrimSpace(text) + "\n")
	draft := output{"draft", g.p.work(fmt.Sprintf("draft-attempt%d.md", n)), body}
	echo, err := pretty(complianceEcho{SceneID: c.SceneID, Attempt: n, Emphasis: min(g.emphasis(), maxEmphasis),
		Draft: Artifact{Key: draft.key, Path: draft.path, SHA256: digest.Of(body).Hex()}, Constraints: c,
		MustMention: c.mustMention(), MustNotMention: c.mustNotMention(), Violations: orEmpty(g.corrections()), Words: countWords(proseOf(text))})
	if err != nil {
		return line.Move{}, err
	}
	out, err := finish(nil, nil, draft, output{"compliance_echo", g.p.work("compliance-echo.json"), echo})
	return line.Move{Done: out}, err
}

// complianceEcho is compliance-echo.json: the constraints as they were given to the writer.
type complianceEcho struct {
	SceneID        string      `json:"scene_id"`
	Attempt        int         `json:"attempt"`
	Emphasis       int         `json:"emphasis"`
	Draft          Artifact    `json:"draft"`
	MustMention    []string    `json:"must_mention"`
	MustNotMention []string    `json:"must_not_mention"`
	Violations     []string    `json:"violations_addressed"`
	Words          int         `json:"words"`
	Constraints    Constraints `json:"constraints"`
}

// maxEmphasis is how loud a prompt becomes.
const maxEmphasis = 3

func (m maker) draftCall(g given, c Constraints, around []labelled) (line.Call, error) {
	data := struct {
		SceneID, Language string
		Emphasis          int
		Constraints       string
		Wishes            []string
		Plan              string
		Around            []labelled
		Earlier           string
		Violations        []string
		Checklist         []string
		Words             WordCount
		Unit              string
	}{SceneID: c.SceneID, Language: languageName(c.Language), Emphasis: min(g.emphasis(), maxEmphasis), Constraints: c.text(), Around: around,
		Violations: g.corrections(), Checklist: c.checklist(), Words: c.WordCount, Unit: "words"}
	if c.Language == "zh" {
		data.Unit = "Chinese characters"
	}
	if len(data.Violations) > 0 {
		data.Emphasis = max(2, data.Emphasis)
	}
	for _, w := range g.wishes() {
		data.Wishes = append(data.Wishes, w.Key+": "+w.Text)
	}
	if a, ok := g.artifact("verification_plan"); ok {
		data.Plan = string(a.body)
	}
	if g.subject != nil {
		if a, ok := g.subject.artifact("draft"); ok {
			data.Earlier = string(a.body)
		}
	}
	call := line.Call{Slot: "draft", Agent: g.p.Agents[0], Check: checkProse}
	var err error
	if call.System, call.Prompt, err = m.prompts.Render("draft", data); err != nil {
		return call, err
	}
	return call, g.sources(&call, writerInputs(c, g.corrections(), c.WordCount.Target))
}

// checkProse asks for a repair where a reply is no scene at all.
func checkProse(content string) []string {
	if countWords(proseOf(unfence(content))) == 0 {
		return []string{"the reply holds no prose; answer with the text of the scene alone"}
	}
	return nil
}

// checklist is what the writer ticks off, in capitals where the script has them.
func (c Constraints) checklist() []string {
	out := []string{"LOCATION, AND NO OTHER: " + strings.ToUpper(c.Location.Name)}
	for _, p := range c.RequiredCharacters {
		out = append(out, "MUST APPEAR BY NAME: "+strings.ToUpper(p.Name))
	}
	for _, p := range c.ForbiddenCharacters {
		out = append(out, "MUST NOT APPEAR OR BE NAMED: "+strings.ToUpper(p.Name))
	}
	for _, t := range c.Mechanics.Required {
		out = append(out, "MUST OCCUR BY THIS NAME: "+strings.ToUpper(t))
	}
	for _, t := range union(append([]string(nil), c.Mechanics.Forbidden...), c.Scope.ForbiddenTerms) {
		out = append(out, "MUST NOT OCCUR: "+strings.ToUpper(t))
	}
	for _, l := range c.Scope.Limits {
		out = append(out, "LIMIT: "+l)
	}
	return append(out, fmt.Sprintf("LENGTH: %d TO %d", c.WordCount.Min, c.WordCount.Max))
}

// unfence takes a single fence around a whole reply away.
func unfence(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if n := len(lines); n > 2 && fenceLine.MatchString(lines[0]) && fenceLine.MatchString(lines[n-1]) {
		inner := strings.Join(lines[1:n-1], "\n")
		if !strings.Contains(inner, "```") && !strings.Contains(inner, "~~~") {
			return inner
		}
	}
	return text
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
