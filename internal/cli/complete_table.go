package cli

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line/novel"
	"sluice/internal/line/novel/bookfile"
	"sluice/internal/line/novel/story"
	"sluice/internal/line/scene"
	"sluice/internal/line/task"
)

// free is text of a person's own.
var free = completer{isFree: true}

// argumentTable says what completes an argument, by the word that Use has for it. A word that means different things is
// entered with its group or its command. A test fails for a word that is not here.
var argumentTable = map[string]completer{
	"RUN": {list: runsOf("")}, "PLAN": {list: runsOf(task.Name)}, "WORKFLOW": {list: runsOf(scene.Name)},
	"replay RUN": {list: runsOf("")}, "spec RUN": {list: features}, "FEATURE": {list: features},
	"NODE": {list: nodes}, "diff NODE": {list: nodesAndVersions}, "TASK": {list: tasks},
	"ASK": {list: asks}, "CHOICE": {list: choicesOf}, "VARIANT": {list: choicesOf}, "scene VARIANT": {words: []string{"A", "B", "C"}},
	"novel NAME": {list: books}, "novel new NAME": free, "STEP": {words: novel.Steps()}, "KEY=VALUE": {words: suffixed(story.SettingKeys(), "="), isOpen: true},
	"CHAPTER": {list: chapters}, "CHAPTERS": {list: chapters}, "SCENE": {list: scenes}, "SCENE_ID": free,
	"session NAME": {list: sessions}, "session new NAME": free,
	"FROM": {list: specVersions}, "TO": {list: specVersions}, "PATH": {words: specPaths, isOpen: true},
	"FILE": {isFile: true}, "DIR": {isDir: true}, "TEXT": free, "COMMAND": {begun: commands},
}

// flagTable says what completes the value of a flag, by its name, with its command where it means different things.
var flagTable = map[string]completer{
	"status --status": {words: runStatuses()}, "--line": {list: lines}, "--label": {list: labels}, "--event": {words: app.EventTypes()},
	"spec list --status":    {words: []string{"draft", "clarifying", "executable_ready", "published", "hold", "drop"}},
	"scene list --status":   {words: []string{"in_progress", "waiting_approval", "failed", "completed", "cancelled"}},
	"scene update --status": {words: []string{"in_progress", "waiting_approval", "completed", "failed"}},
	"--level":               {words: []string{"scene", "chapter", "act"}}, "--type": {words: []string{"generation", "planning"}},
	"--provider": {words: []string{"rehearsal\toffline, without a key", "openai", "anthropic", "gemini", "ollama"}}, "--profile": {words: []string{"operator", "agent"}}, "--target": {words: []string{"file", "webhook", "feishu"}},
	"--stage": {words: []string{"spec", "ready"}}, "--session": {list: sessions}, "task graph --format": {words: task.Formats()},
	"novel export --format": {words: formats()}, "--revision-policy": {words: []string{"none", "auto_apply", "manual_confirm"}},
	"--logic-review": {words: []string{"off", "blocking"}}, "--language": {words: []string{"en\tEnglish", "ru\tRussian", "zh\tChinese"}},
	"task review --version": free, "--version": {list: specVersions}, "--run": {list: runsOf("")},
	"answer --answer": {list: questionsOf, isOpen: true}, "spec answer --answer": {words: suffixed(specPaths, "="), isOpen: true},
	"--digest": free,
}

// valueTable says what completes the value of a flag by the word that its usage has for it.
var valueTable = map[string]completer{
	"FILE": {isFile: true}, "DIR": {isDir: true}, "NODE": {list: nodes}, "STEP": {words: novel.Steps()}, "LIST": {list: chapters},
	"TEXT": free, "TITLE": free, "TIME": free, "ID": free, "WHO": free, "MARK": free, "N.M": free, "LABEL": free, "C-NN": free, "HOST:PORT": free,
	"NAME=VALUE": free, "KEY=PATH": free, "ID=pass|fail[:EVIDENCE]": free, "N": free, "DOLLARS": free,
}

// specPaths are the fields of a spec that are asked about and traced.
var specPaths = []string{"spec.goal", "spec.background", "spec.non_goals", "spec.acceptance_criteria", "planning.tasks", "planning.vv",
	"planning.constraints", "planning.known_assumptions", "decision"}

func suffixed(words []string, end string) []string {
	var all []string
	for _, w := range words {
		all = append(all, w+end)
	}
	return all
}

func runStatuses() []string {
	var all []string
	for _, s := range statuses {
		all = append(all, string(s))
	}
	return all
}

func formats() []string {
	var all []string
	for _, f := range bookfile.Formats() {
		all = append(all, string(f))
	}
	return all
}

// runsOf offers runs of a line, or of all, newest first.
func runsOf(line string) func(*Kit, *cobra.Command, *app.App, []string) []string {
	return func(_ *Kit, c *cobra.Command, a *app.App, args []string) []string {
		d, err := a.Overview(c.Context(), journal.Filter{Line: line, Limit: maxPage})
		if err != nil {
			return nil
		}
		var found []string
		for _, r := range d.Runs {
			found = append(found, r.Run+"\t"+r.Status+", "+r.Title)
		}
		return found
	}
}

func lines(_ *Kit, _ *cobra.Command, a *app.App, _ []string) []string { return a.Lines() }

// labels offers the labels that runs carry.
func labels(_ *Kit, c *cobra.Command, a *app.App, _ []string) []string {
	d, err := a.Overview(c.Context(), journal.Filter{Limit: maxPage})
	if err != nil {
		return nil
	}
	seen := map[string]bool{}
	for _, r := range d.Runs {
		for name, value := range r.Labels {
			seen[name+"="+value] = true
		}
	}
	return sorted(seen)
}

func sorted(set map[string]bool) []string {
	all := make([]string, 0, len(set))
	for w := range set {
		all = append(all, w)
	}
	sort.Strings(all)
	return all
}

// nodes offers the nodes of the run that the first argument names.
func nodes(_ *Kit, c *cobra.Command, a *app.App, args []string) []string {
	if len(args) == 0 {
		return nil
	}
	d, err := a.Peek(c.Context(), args[0])
	if err != nil {
		return nil
	}
	var found []string
	for _, n := range d.Nodes {
		found = append(found, n.Node+"\t"+n.Status+", "+n.Title)
	}
	return found
}

// nodesAndVersions offers nodes, and their versions as NODE@N.
func nodesAndVersions(k *Kit, c *cobra.Command, a *app.App, args []string) []string {
	found := nodes(k, c, a, args)
	if len(args) == 0 {
		return nil
	}
	versions, err := a.PeekVersions(c.Context(), args[0])
	if err != nil {
		return found
	}
	return append(found, versions...)
}

// tasks offers the tasks of a plan, not the nodes that plan them.
func tasks(_ *Kit, c *cobra.Command, a *app.App, args []string) []string {
	if len(args) == 0 {
		return nil
	}
	d, err := a.Peek(c.Context(), args[0])
	if err != nil {
		return nil
	}
	const uuid = 36
	var found []string
	for _, n := range d.Nodes {
		if len(n.Node) == uuid && strings.Count(n.Node, "-") == 4 {
			found = append(found, n.Node+"\t"+n.Kind+" "+n.Status+", "+n.Title)
		}
	}
	return found
}

func asks(_ *Kit, c *cobra.Command, a *app.App, _ []string) []string {
	d, err := a.Inbox(c.Context(), "")
	if err != nil {
		return nil
	}
	var found []string
	for _, ask := range d.Asks {
		found = append(found, ask.Ask+"\t"+ask.Kind+": "+ask.Title)
	}
	return found
}

// askOfArgs finds the ask that the first argument names.
func askOfArgs(c *cobra.Command, a *app.App, args []string) (app.AskText, bool) {
	if len(args) == 0 {
		return app.AskText{}, false
	}
	d, err := a.ShowAsk(c.Context(), args[0])
	return d, err == nil
}

// choicesOf offers the choices of an ask that can be given in a word.
func choicesOf(_ *Kit, c *cobra.Command, a *app.App, args []string) []string {
	d, _ := askOfArgs(c, a, args)
	var found []string
	for _, o := range d.Choices {
		found = append(found, strings.TrimSuffix(o.Value+"\t"+o.Label, "\t"))
	}
	return found
}

// questionsOf offers the questions of an ask.
func questionsOf(_ *Kit, c *cobra.Command, a *app.App, args []string) []string {
	d, _ := askOfArgs(c, a, args)
	var found []string
	for _, q := range d.Ask.Questions {
		found = append(found, q.ID+"=\t"+q.Text)
	}
	return found
}

func books(_ *Kit, c *cobra.Command, a *app.App, _ []string) []string {
	d, err := a.ListNovels(c.Context(), maxPage, "")
	if err != nil {
		return nil
	}
	var found []string
	for _, r := range d.Projects {
		found = append(found, r.Project+"\t"+r.Status)
	}
	return found
}

// chapters offers the chapters of the book that the first argument names, as far as they are planned.
func chapters(_ *Kit, c *cobra.Command, a *app.App, args []string) []string {
	return chapterNodes(c, a, args, func(id kernel.NodeID) (int, bool) { n := novel.ChapterOf(id); return n, n > 0 }, "chapter")
}

// scenes offers the scenes of a chapter.
func scenes(_ *Kit, c *cobra.Command, a *app.App, args []string) []string {
	if len(args) < 2 {
		return nil
	}
	chapter, err := strconv.Atoi(args[1])
	if err != nil {
		return nil
	}
	byNode := map[kernel.NodeID]int{}
	for n := 1; n <= 200; n++ {
		byNode[novel.SceneNode(chapter, n)] = n
	}
	return chapterNodes(c, a, args, func(id kernel.NodeID) (int, bool) { n, ok := byNode[id]; return n, ok }, "scene")
}

func chapterNodes(c *cobra.Command, a *app.App, args []string, number func(kernel.NodeID) (int, bool), noun string) []string {
	if len(args) == 0 {
		return nil
	}
	d, err := a.PeekBook(c.Context(), args[0])
	if err != nil {
		return nil
	}
	seen := map[int]bool{}
	most := 0
	for _, n := range d.Nodes {
		if at, ok := number(kernel.NodeID(n.Node)); ok {
			seen[at], most = true, max(most, at)
		}
	}
	var found []string
	for at := 1; at <= most; at++ {
		if seen[at] {
			found = append(found, fmt.Sprintf("%d\t%s %d", at, noun, at))
		}
	}
	return found
}

func features(_ *Kit, c *cobra.Command, a *app.App, _ []string) []string {
	d, err := a.ListSpecs(c.Context(), "", maxPage, "")
	if err != nil {
		return nil
	}
	var found []string
	for _, f := range d.Features {
		found = append(found, f.FeatureID+"\t"+string(f.Status)+", "+f.Title)
	}
	return found
}

// specVersions offers the versions of the feature that the first argument names.
func specVersions(_ *Kit, c *cobra.Command, a *app.App, args []string) []string {
	if len(args) == 0 {
		return nil
	}
	d, err := a.SpecVersions(c.Context(), args[0])
	if err != nil {
		return nil
	}
	var found []string
	for _, v := range d.Versions {
		found = append(found, v.SpecVersion+"\t"+string(v.Step))
	}
	return found
}

func sessions(_ *Kit, c *cobra.Command, a *app.App, _ []string) []string {
	d, err := a.Sessions(c.Context())
	if err != nil {
		return nil
	}
	var found []string
	for _, s := range d.Sessions {
		found = append(found, s.SessionName+"\t"+s.Status)
	}
	return found
}

// commands offers the commands below those that are typed, for help.
func commands(_ *Kit, c *cobra.Command, args []string, _ string) []string {
	at, rest, err := c.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return nil
	}
	var found []string
	for _, sub := range at.Commands() {
		if !sub.Hidden {
			found = append(found, sub.Name()+"\t"+sub.Short)
		}
	}
	return found
}
