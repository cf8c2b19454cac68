package task

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"sluice/internal/line"
)

// maxFiles bounds how many files one deliverable has.
const maxFiles = 40

// slotFiles names the call by which a model says which files it will write. No file is called so.
const slotFiles = "?files"

// filesReply is what a model answers: the files that fit the patterns of a deliverable.
type filesReply struct {
	FileNames []string `json:"file_names"`
}

// patternsOf gives the patterns of a bundle, for which a model says what files there are; other names are what they are.
func patternsOf(s DeliverableSpec) (patterns, fixed []string) {
	if s.IsSingle() {
		return nil, nil
	}
	for _, f := range s.Files {
		if p := path.Join(s.OutputDir, f); strings.ContainsAny(f, "*?") {
			patterns = append(patterns, p)
		} else {
			fixed = append(fixed, p)
		}
	}
	return patterns, fixed
}

// filesCall asks which files a deliverable consists of, as far as its patterns leave that open.
func (s steps) filesCall(in line.In, t Node, patterns, fixed []string) (line.Call, error) {
	k, err := keptOf(in.Run)
	if err != nil {
		return line.Call{}, err
	}
	c := line.Call{Slot: slotFiles, Agent: AgentAction}
	if c.Schema, err = filesSchema(patterns); err != nil {
		return c, err
	}
	data := struct {
		Task            Node
		TopTask         string
		Patterns, Fixed []string
		Most            int
		Sources         []quoted
		Reviews, Notes  []string
		Last            []string
	}{Task: t, TopTask: k.TopTask, Patterns: patterns, Fixed: fixed, Most: maxFiles, Notes: in.Attempt.Notes}
	data.Sources, c.Sources = sources(in)
	if in.Subject != nil {
		for _, p := range in.Subject.Parts {
			data.Last = append(data.Last, p.Path)
		}
		c.Sources = append(c.Sources, in.Subject.Version.Digest)
	}
	for _, r := range in.Reviews {
		data.Reviews = append(data.Reviews, ReviewText(r, t.AcceptanceCriteria))
	}
	if c.System, c.Prompt, err = s.prompts.Render("files", data); err != nil {
		return c, err
	}
	c.Inputs, err = json.Marshal(given{TaskID: t.TaskID, Title: t.Title, Description: t.GoalStatement, AcceptanceCriteria: t.AcceptanceCriteria,
		Patterns: patterns, Attempt: in.Attempt.N, Take: in.Attempt.Take})
	return c, err
}

// filesSchema wants names that fit one of the patterns.
func filesSchema(patterns []string) (json.RawMessage, error) {
	var ways []string
	for _, p := range patterns {
		var b strings.Builder
		for _, r := range p {
			switch r {
			case '*':
				b.WriteString(`[A-Za-z0-9_-]{1,60}`)
			case '?':
				b.WriteString(`[A-Za-z0-9_-]`)
			default:
				b.WriteString(regexp.QuoteMeta(string(r)))
			}
		}
		ways = append(ways, b.String())
	}
	type item struct {
		Type    string `json:"type"`
		Pattern string `json:"pattern"`
	}
	type list struct {
		Type     string `json:"type"`
		MinItems int    `json:"minItems"`
		MaxItems int    `json:"maxItems"`
		Items    item   `json:"items"`
	}
	return json.Marshal(struct {
		Type       string          `json:"type"`
		Closed     bool            `json:"additionalProperties"`
		Required   []string        `json:"required"`
		Properties map[string]list `json:"properties"`
	}{"object", false, []string{"file_names"}, map[string]list{
		"file_names": {"array", 1, maxFiles, item{"string", "^(" + strings.Join(ways, "|") + ")$"}}}})
}

// bundleNames gives the files of a bundle: those that are named, those that a model says, and the plainest name for a
// pattern to which it said none. What a model says is taken only where it fits.
func bundleNames(t Node, reply string) []string {
	patterns, names := patternsOf(*t.DeliverableSpec)
	var said filesReply
	_ = json.Unmarshal([]byte(reply), &said) // a reply that says nothing leaves the plainest names
	seen := map[string]bool{}
	for _, n := range names {
		seen[strings.ToLower(n)] = true
	}
	for _, n := range said.FileNames {
		fits := slices.ContainsFunc(patterns, func(p string) bool { return matchesPath(p, n) })
		if fits && pathFlaw(n, false) == "" && !seen[strings.ToLower(n)] && len(names) < maxFiles {
			seen[strings.ToLower(n)] = true
			names = append(names, n)
		}
	}
	for _, n := range fileNames(t) {
		unmet := slices.ContainsFunc(patterns, func(p string) bool {
			return matchesPath(p, n) && !slices.ContainsFunc(names, func(have string) bool { return matchesPath(p, have) })
		})
		if unmet && !seen[strings.ToLower(n)] {
			names = append(names, n)
		}
	}
	return names
}

// matchesPath tells whether a pattern means a name. Only * and ? are special: report[1].md is a file.
func matchesPath(pattern, name string) bool {
	ok, err := path.Match(strings.ReplaceAll(pattern, "[", `\[`), name)
	return err == nil && ok
}
