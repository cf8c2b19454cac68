package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/internal/line/spec/ingest"
)

// laying puts what a person wrote into a spec, word for word, and remembers where each piece went.
type laying struct {
	spec       CanonicalSpec
	paths      []string // beside the pieces; empty: it changed nothing
	background []string
	texts      map[string]string // what stands in a list, by list and text: its path
	labels     map[string]int    // tasks, by the number their writer gave them
	criteria   numbering
	tasks      numbering
}

// lay puts the pieces that ingest found into a spec. The paths say where each piece went, which is what its evidence
// supports. What stands in the spec already stays: an amendment adds, and replaces only a goal that it names as such.
func lay(s CanonicalSpec, r ingest.Result) (CanonicalSpec, []string) {
	l := newLaying(s, r)
	l.goals(r)
	for i, p := range r.Pieces {
		switch p.Field {
		case ingest.Title:
			if l.spec.Feature.Title == "" {
				l.spec.Feature.Title, l.paths[i] = p.Text, "feature.title"
			}
		case ingest.Background:
			l.back(i, p.Text)
		case ingest.NonGoal:
			l.add(i, &l.spec.Spec.NonGoals, "spec.non_goals", p.Text)
		case ingest.Constraint:
			l.add(i, &l.spec.Planning.Constraints, "planning.constraints", p.Text)
		case ingest.Assumption:
			l.add(i, &l.spec.Planning.KnownAssumptions, "planning.known_assumptions", p.Text)
		case ingest.Criterion:
			l.criterion(i, p)
		case ingest.Task:
			l.task(i, p)
		}
	}
	l.dependencies(r)
	l.spec.Spec.Background = strings.Join(l.background, "\n\n")
	return l.spec, l.paths
}

func newLaying(s CanonicalSpec, r ingest.Result) *laying {
	l := &laying{spec: s, paths: make([]string, len(r.Pieces)), texts: map[string]string{}, labels: map[string]int{},
		criteria: newNumbering("AC-", r), tasks: newNumbering("T-", r)}
	l.spec.Spec.NonGoals = slices.Clone(s.Spec.NonGoals)
	l.spec.Spec.AcceptanceCriteria = slices.Clone(s.Spec.AcceptanceCriteria)
	l.spec.Planning.Tasks = slices.Clone(s.Planning.Tasks)
	l.spec.Planning.Constraints = slices.Clone(s.Planning.Constraints)
	l.spec.Planning.KnownAssumptions = slices.Clone(s.Planning.KnownAssumptions)
	for _, list := range []struct {
		path  string
		items []string
	}{{"spec.non_goals", s.Spec.NonGoals}, {"planning.constraints", s.Planning.Constraints}, {"planning.known_assumptions", s.Planning.KnownAssumptions}} {
		for i, text := range list.items {
			l.stands(list.path, text, i)
		}
	}
	for i, c := range s.Spec.AcceptanceCriteria {
		l.criteria.take(c.ID)
		l.stands("spec.acceptance_criteria", c.Criteria, i)
	}
	for i, t := range s.Planning.Tasks {
		l.tasks.take(t.TaskID)
		l.stands("planning.tasks", t.Title, i)
	}
	if s.Spec.Background != "" {
		l.background = []string{s.Spec.Background}
		l.texts["spec.background\x00"+s.Spec.Background] = "spec.background"
	}
	return l
}

// stands remembers that a list holds a text, and where.
func (l *laying) stands(list, text string, at int) string {
	path := fmt.Sprintf("%s[%d]", list, at)
	l.texts[list+"\x00"+text] = path
	return path
}

func (l *laying) where(list, text string) string { return l.texts[list+"\x00"+text] }

// goals come first, since what is no goal any more goes elsewhere: a user story stands for a goal that nobody wrote.
func (l *laying) goals(r ingest.Result) {
	var goals []string
	old := l.spec.Spec.Goal
	for i, p := range r.Pieces {
		if p.Field == ingest.Goal && (!p.Implied || old == "") {
			goals, l.paths[i] = append(goals, p.Text), "spec.goal"
		}
	}
	if len(goals) > 0 {
		l.spec.Spec.Goal = strings.Join(goals, "\n")
	}
	for i, p := range r.Pieces {
		switch {
		case p.Field == ingest.Goal && l.paths[i] == "":
			l.back(i, p.Text)
		case p.Field == ingest.Story && l.spec.Spec.Goal == "":
			l.spec.Spec.Goal, l.paths[i] = p.Text, "spec.goal"
		case p.Field == ingest.Story:
			l.back(i, p.Text)
		}
	}
}

// back adds to the background what does not stand there yet.
func (l *laying) back(i int, text string) {
	l.paths[i] = "spec.background"
	if l.where("spec.background", text) == "" {
		l.texts["spec.background\x00"+text] = "spec.background"
		l.background = append(l.background, text)
	}
}

func (l *laying) add(i int, list *[]string, path, text string) {
	if l.paths[i] = l.where(path, text); l.paths[i] == "" {
		l.paths[i] = l.stands(path, text, len(*list))
		*list = append(*list, text)
	}
}

func (l *laying) criterion(i int, p ingest.Piece) {
	const path = "spec.acceptance_criteria"
	if l.paths[i] = l.where(path, p.Text); l.paths[i] != "" {
		return
	}
	all := &l.spec.Spec.AcceptanceCriteria
	l.paths[i] = l.stands(path, p.Text, len(*all))
	*all = append(*all, Criterion{ID: l.criteria.next(p.Label), Criteria: p.Text, TestHint: p.Part(ingest.PartHint)})
}

func (l *laying) task(i int, p ingest.Piece) {
	const path = "planning.tasks"
	all := &l.spec.Planning.Tasks
	if l.paths[i] = l.where(path, p.Text); l.paths[i] != "" {
		return
	}
	l.paths[i] = l.stands(path, p.Text, len(*all))
	if p.Label != "" {
		l.labels[p.Label] = len(*all)
	}
	t := Task{TaskID: l.tasks.next(p.Label), Title: p.Text, Scope: p.Part(ingest.PartScope), OwnerRole: p.Part(ingest.PartOwner),
		Deliverables: listOf(p.Part(ingest.PartDeliverables)), Estimate: parseEstimate(p.Part(ingest.PartEstimate))}
	if kind := TaskType(strings.ToLower(strings.TrimSpace(p.Part(ingest.PartType)))); slices.Contains(TaskTypes(), kind) {
		t.Type = kind
	}
	*all = append(*all, t)
}

// dependencies are read once every task has its id: they may name one that is written further down.
func (l *laying) dependencies(r ingest.Result) {
	for i, p := range r.Pieces {
		if p.Field != ingest.Task {
			continue
		}
		var at int
		if _, err := fmt.Sscanf(l.paths[i], "planning.tasks[%d]", &at); err != nil || len(l.spec.Planning.Tasks[at].Dependencies) > 0 {
			continue
		}
		for _, name := range listOf(p.Part(ingest.PartDependencies)) {
			if j, ok := l.labels[name]; ok {
				name = l.spec.Planning.Tasks[j].TaskID
			}
			l.spec.Planning.Tasks[at].Dependencies = append(l.spec.Planning.Tasks[at].Dependencies, name) // an unknown one is the gate's to say
		}
	}
}

// numbering gives ids: the writer's own number where it has the form and is free, else the next one.
type numbering struct {
	prefix string
	taken  map[string]bool
	top    int
}

// newNumbering keeps the numbers that writers gave for those who have them.
func newNumbering(prefix string, r ingest.Result) numbering {
	n := numbering{prefix: prefix, taken: map[string]bool{}}
	for _, p := range r.Pieces {
		n.top = max(n.top, numberOf(prefix, p.Label))
	}
	return n
}

func (n *numbering) take(id string) {
	n.taken[id] = true
	n.top = max(n.top, numberOf(n.prefix, id))
}

func (n *numbering) next(label string) string {
	if at := numberOf(n.prefix, label); at == 0 || n.taken[label] || label != n.prefix+strconv.Itoa(at) {
		n.top++
		label = n.prefix + strconv.Itoa(n.top)
	}
	n.taken[label] = true
	return label
}

// listOf reads what a person lists in one line or in several.
func listOf(text string) []string {
	var out []string
	for _, item := range strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(",;\n，；、", c) }) {
		if item = strings.TrimSpace(item); item != "" {
			out = append(out, item)
		}
	}
	return out
}

var estimateForm = regexp.MustCompile(`(?i)^\s*(\d{1,6}(?:[.,]\d{1,3})?)\s*(h|hours?|小时|час(?:а|ов)?|d|days?|天|人天|日|день|дня|дней)\s*$`)

// parseEstimate reads an estimate where it is written plainly; otherwise there is none.
func parseEstimate(text string) *Estimate {
	m := estimateForm.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	value, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", "."), 64)
	if err != nil || value <= 0 {
		return nil
	}
	unit := Unit("day")
	if word := strings.ToLower(m[2]); strings.HasPrefix(word, "h") || strings.HasPrefix(word, "час") || word == "小时" {
		unit = "hour"
	}
	return &Estimate{Unit: unit, Value: value}
}
