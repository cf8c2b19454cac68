package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/spec/ingest"
)

// AnswersDocument is what a person answered in a clarify round.
type AnswersDocument struct {
	Answers []Answer `json:"answers"`
	By      string   `json:"by"`
}

// Answer is what one field should hold, in the person's words. A list is JSON, or one item per line.
type Answer struct {
	Path  string `json:"path"`
	Value string `json:"value"`
}

// apply gives the spec with the answers in it.
func (d AnswersDocument) apply(s CanonicalSpec) (CanonicalSpec, error) {
	s = s.copied()
	for _, a := range d.Answers {
		if err := s.set(a.Path, a.Value); err != nil {
			return s, err
		}
	}
	return s, nil
}

// copied gives a spec whose lists can be changed without changing this one's.
func (s CanonicalSpec) copied() CanonicalSpec {
	s.Spec.NonGoals = slices.Clone(s.Spec.NonGoals)
	s.Spec.AcceptanceCriteria = slices.Clone(s.Spec.AcceptanceCriteria)
	s.Planning.Tasks = slices.Clone(s.Planning.Tasks)
	s.Planning.VV = slices.Clone(s.Planning.VV)
	return s
}

// Check holds answers against the spec they are for: every one must fit its field, and close it if it was open.
func Check(s CanonicalSpec, answers []Answer) error {
	after, err := AnswersDocument{Answers: answers}.apply(s)
	if err != nil {
		return err
	}
	open := map[string]string{}
	for _, m := range Evaluate(after, StageReady).MissingFields {
		open[m.Path] = m.Reason
	}
	for _, a := range answers {
		reason, still := open[a.Path]
		if still && a.Path != "planning.vv" { // which may be answered task by task
			return misfit(a.Path, "%s", reason)
		}
	}
	return nil
}

// misfit refuses an answer with the rule of its field.
func misfit(path, format string, args ...any) error {
	message := fmt.Sprintf(format, args...)
	return fault.New(fault.BadValue, path, "the answer does not fit %s: %s; %s", path, message, RuleOf(path)).
		With(fault.Action{Action: "answer", Command: "sluice spec answer FEATURE -a " + shellQuoted(path+"=VALUE"), Why: RuleOf(path)})
}

func shellQuoted(s string) string {
	if strings.ContainsAny(s, "[]") {
		return "'" + s + "'"
	}
	return s
}

var pathForm = regexp.MustCompile(`^([a-z_]+(?:\.[a-z_]+)*)\[([0-9]{1,9})\](?:\.([a-z_]+))?$`)

// splitPath takes a path into a list apart: the list, the place in it, and the field of the item.
func splitPath(path string) (list string, at int, field string, ok bool) {
	m := pathForm.FindStringSubmatch(path)
	if m == nil {
		return path, 0, "", false
	}
	at, err := strconv.Atoi(m[2])
	return m[1], at, m[3], err == nil
}

// RuleOf says what the field at a path takes.
func RuleOf(path string) string {
	list, _, field, _ := splitPath(path)
	switch {
	case path == "spec.goal":
		return fmt.Sprintf("it takes %d to %d characters", MinGoal, MaxGoal)
	case path == "spec.acceptance_criteria":
		return "it takes at least one criterion: a JSON list, or one per line"
	case path == "planning.tasks":
		return "it takes at least one task: a JSON list of titles or of tasks, or one title per line"
	case path == "planning.vv":
		return `it takes a JSON list with task_id, procedure and expected_result, or lines such as "T-1: procedure => expected result"`
	case list == "planning.tasks" && field == "type":
		return "it takes one of " + listed(TaskTypes())
	case list == "planning.tasks" && field == "dependencies":
		return "it takes ids of other tasks, separated by commas, that lead in no circle; it may be empty"
	case list == "planning.tasks" && field == "estimate":
		return "it takes a number of hours or days above 0, such as 2 days"
	case list == "planning.vv" && field == "type":
		return "it takes one of " + listed(VVTypes())
	case list == "planning.vv" && field == "task_id":
		return "it takes the id of a task"
	case field == "id" || field == "task_id" || field == "vv_id":
		return "it takes an id that no other has"
	}
	return "it takes a text"
}

// set puts a person's words at a path. Words stay as they are but for the space around them.
func (s *CanonicalSpec) set(path, value string) error {
	text := strings.TrimSpace(value)
	switch path {
	case "feature.title":
		return setText(&s.Feature.Title, path, text)
	case "spec.goal":
		return setText(&s.Spec.Goal, path, text)
	case "spec.background":
		s.Spec.Background = text
		return nil
	case "spec.non_goals":
		return setList(&s.Spec.NonGoals, path, text)
	case "planning.known_assumptions":
		return setList(&s.Planning.KnownAssumptions, path, text)
	case "planning.constraints":
		return setList(&s.Planning.Constraints, path, text)
	case "spec.acceptance_criteria":
		return s.setCriteria(text)
	case "planning.tasks":
		return s.setTasks(text)
	case "planning.vv":
		return s.addVV(text)
	}
	list, at, field, ok := splitPath(path)
	switch {
	case ok && list == "spec.acceptance_criteria" && at < len(s.Spec.AcceptanceCriteria):
		return s.Spec.AcceptanceCriteria[at].set(path, field, text)
	case ok && list == "planning.tasks" && at < len(s.Planning.Tasks):
		return s.Planning.Tasks[at].set(path, field, text)
	case ok && list == "planning.vv" && at < len(s.Planning.VV):
		return s.Planning.VV[at].set(path, field, text)
	}
	return unknownPath(path)
}

func unknownPath(path string) error {
	return fault.New(fault.BadValue, path, "%q is no field that can be answered", path).
		With(fault.Action{Action: "questions", Command: "sluice spec questions FEATURE", Why: "it shows the paths that are open"})
}

func setText(to *string, path, text string) error {
	if isBlank(text) {
		return misfit(path, "it is empty")
	}
	*to = text
	return nil
}

func setList(to *[]string, path, text string) error {
	items, err := itemsOf(text)
	if err != nil {
		return misfit(path, "%v", err)
	}
	*to = nil
	for _, item := range items {
		var one string
		if err := json.Unmarshal(item, &one); err != nil {
			return misfit(path, "an item is no text")
		}
		*to = append(*to, one)
	}
	return nil
}

// itemsOf reads a list: JSON, or one item per line with or without bullets.
func itemsOf(text string) ([]json.RawMessage, error) {
	if strings.HasPrefix(text, "[") {
		var items []json.RawMessage
		if err := json.Unmarshal([]byte(text), &items); err != nil {
			return nil, fmt.Errorf("it begins like a JSON list and is none")
		}
		return items, nil
	}
	var items []json.RawMessage
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, bullet := range []string{"- ", "* ", "• "} {
			line = strings.TrimSpace(strings.TrimPrefix(line, bullet))
		}
		if line == "" {
			continue
		}
		item, err := json.Marshal(line)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

func (c *Criterion) set(path, field, text string) error {
	switch field {
	case "id":
		return setText(&c.ID, path, text)
	case "criteria", "":
		return setText(&c.Criteria, path, text)
	case "test_hint":
		return setText(&c.TestHint, path, text)
	}
	return unknownPath(path)
}

// setCriteria takes a list of texts, or of criteria. One that stood already keeps its id and its hint.
func (s *CanonicalSpec) setCriteria(text string) error {
	const path = "spec.acceptance_criteria"
	items, err := itemsOf(text)
	if err != nil {
		return misfit(path, "%v", err)
	}
	n, stood := numbering{prefix: "AC-", taken: map[string]bool{}}, map[string]Criterion{}
	for _, c := range s.Spec.AcceptanceCriteria {
		n.take(c.ID)
		stood[c.Criteria] = c
	}
	var all []Criterion
	for _, item := range items {
		var c Criterion
		if json.Unmarshal(item, &c.Criteria) != nil && decode(item, &c) != nil || isBlank(c.Criteria) {
			return misfit(path, "an item is neither a text nor a criterion")
		}
		if before, ok := stood[c.Criteria]; ok && c.TestHint == "" {
			c = before
		} else {
			c.ID = n.next(c.ID)
		}
		all = append(all, c)
	}
	s.Spec.AcceptanceCriteria = all
	return nil
}

// supply turns answers and decisions of people into the documents that their nodes take, whatever door they came by.
func supply(g line.Given) (*line.Out, error) {
	n, ok := g.Run.Node(g.Ask.Node)
	if !ok {
		return nil, nil
	}
	switch n.Node().Step {
	case answersStep:
		return supplyAnswers(g, n.Node())
	case string(StepReview):
		return supplyReview(g, n.Node())
	case inputStep:
		out, err := Wish{Sources: []ingest.Source{{Name: "text", Body: g.Content}}}.Input()
		return &out, err
	}
	return nil, nil
}

func supplyAnswers(g line.Given, n kernel.Node) (*line.Out, error) {
	p, err := ParamsOf(n)
	if err != nil {
		return nil, err
	}
	answers, err := readAnswers(g)
	if err != nil {
		return nil, err
	}
	v := g.Run.Approved(p.Source)
	if v == nil {
		return nil, fault.New(fault.MissingPrerequisite, string(n.ID), "there is no spec to answer about")
	}
	body, err := g.Body(v)
	if err != nil {
		return nil, err
	}
	s, err := Decode(body)
	if err != nil {
		return nil, err
	}
	if answers, err = placed(s, answers); err == nil {
		err = Check(s, answers)
	}
	if err != nil {
		return nil, named(err, p.FeatureID)
	}
	out, err := encode(AnswersDocument{Answers: answers, By: g.By.String()})
	return &line.Out{Body: out, Schema: AnswersSchema}, err
}

// placed gives answers with items by their places, as questions and evidence have them; people may name items by their ids,
// as diff and trace show them. A field that is answered twice is refused: one of the answers would be told and not hold.
func placed(s CanonicalSpec, answers []Answer) ([]Answer, error) {
	out := slices.Clone(answers)
	seen := map[string]bool{}
	for i, a := range out {
		if m := idForm.FindStringSubmatch(a.Path); m != nil {
			if at := s.placeOf(m[1], m[2]); at >= 0 {
				out[i].Path = fmt.Sprintf("%s[%d]%s", m[1], at, m[3])
			}
		}
		if path := out[i].Path; seen[path] {
			return nil, fault.New(fault.BadValue, path, "%s is answered twice", path).
				With(fault.Action{Action: "answer", Command: "sluice spec answer FEATURE -a " + shellQuoted(path+"=VALUE"), Why: RuleOf(path)})
		}
		seen[out[i].Path] = true
	}
	return out, nil
}

var idForm = regexp.MustCompile(`^([a-z_]+\.[a-z_]+)\[([A-Z]{1,10}-[0-9]{1,9})\]((?:\.[a-z_]+)?)$`)

// placeOf finds an item of a list by its id, or gives -1.
func (s CanonicalSpec) placeOf(list, id string) int {
	switch list {
	case "spec.acceptance_criteria":
		return slices.IndexFunc(s.Spec.AcceptanceCriteria, func(c Criterion) bool { return c.ID == id })
	case "planning.tasks":
		return slices.IndexFunc(s.Planning.Tasks, func(t Task) bool { return t.TaskID == id })
	case "planning.vv":
		return slices.IndexFunc(s.Planning.VV, func(v Verification) bool { return v.VVID == id })
	}
	return -1
}

// named puts the feature into the commands of a refusal.
func named(err error, feature string) error {
	f := *fault.From(err)
	f.Next = slices.Clone(f.Next)
	for i := range f.Next {
		f.Next[i].Command = strings.ReplaceAll(f.Next[i].Command, "FEATURE", feature)
	}
	return &f
}

// readAnswers takes answers by path or by the number of their question, from words or from a JSON object.
func readAnswers(g line.Given) ([]Answer, error) {
	given := map[string]string{}
	if len(g.Content) > 0 {
		var object map[string]json.RawMessage
		content := bytes.TrimPrefix(g.Content, []byte("\ufeff")) // some editors put a byte order mark before it
		if err := json.Unmarshal(content, &object); err != nil {
			return nil, fault.Wrap(fault.BadValue, string(g.Ask.ID), err, "the answers are no JSON object of paths and values")
		}
		for path, value := range object {
			text := string(value)
			var plain string
			if json.Unmarshal(value, &plain) == nil {
				text = plain
			}
			given[path] = text
		}
	}
	for path, value := range g.Set {
		given[path] = value
	}
	if len(given) == 0 {
		return nil, fault.New(fault.BadValue, string(g.Ask.ID), "there is no answer").
			With(fault.Action{Action: "answer", Command: "sluice spec answer " + string(g.Run.ID()) + " -a PATH=VALUE"})
	}
	var answers []Answer
	for _, q := range g.Ask.Questions { // in the order they were asked, then by path
		for _, key := range []string{q.Path, q.ID} {
			if value, ok := given[key]; ok {
				answers = append(answers, Answer{Path: q.Path, Value: value})
				delete(given, key)
			}
		}
	}
	rest := make([]string, 0, len(given))
	for path := range given {
		rest = append(rest, path)
	}
	slices.Sort(rest)
	for _, path := range rest {
		answers = append(answers, Answer{Path: path, Value: given[path]})
	}
	return answers, nil
}
