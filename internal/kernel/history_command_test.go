package kernel

import (
	"encoding/json"
	"strings"

	"sluice/internal/digest"
)

// args are the words of a line: plain ones in order, and those with a key.
type args struct {
	plain []string
	keyed map[string]string
}

func (a args) at(i int) string {
	if i < len(a.plain) {
		return a.plain[i]
	}
	return ""
}

func parseArgs(words []string) args {
	a := args{keyed: map[string]string{}}
	for _, w := range words {
		if k, v, ok := strings.Cut(w, "="); ok {
			a.keyed[k] = v
		} else {
			a.plain = append(a.plain, w)
		}
	}
	return a
}

// sourcesOf reads from=a,b: what was used beside the needs.
func sourcesOf(a args) (all []VersionID) {
	for id := range strings.SplitSeq(a.keyed["from"], ",") {
		if id != "" {
			all = append(all, VersionID(id))
		}
	}
	return all
}

func content(text string) Content {
	return Content{Digest: digest.Of([]byte(text)), Size: int64(len(text)), Schema: "text"}
}

// command turns the words of a line into a command.
func (h *history) command(words []string) Command {
	h.t.Helper()
	var by Actor
	switch words[0] {
	case "client:":
		by, words = agent, words[1:]
	case "engine:":
		by, words = robot, words[1:]
	case "ada:":
		by, words = ada, words[1:]
	}
	verb, a := words[0], parseArgs(words[1:])
	if by.Kind == "" {
		by = ada
		switch verb {
		case "begin", "deliver", "fail", "release", "verdict", "unfold":
			by = robot
		}
	}
	s := h.stamp(by)
	if c := h.work(verb, s, a); c != nil {
		return c
	}
	if c := h.wish(verb, s, a); c != nil {
		return c
	}
	h.failf("no verb %s", verb)
	return nil
}

// work gives the commands of those who perform.
func (h *history) work(verb string, s Stamp, a args) Command {
	node := NodeID(a.at(0))
	var open AttemptID
	if n := h.run.nodes[node]; n != nil && n.open != nil {
		open = n.open.ID
	} else if n != nil && n.last != nil {
		open = n.last.ID
	}
	account := Account{Usage: Usage{Calls: 1}, Provider: a.keyed["provider"]}
	if e := a.keyed["evidence"]; e != "" {
		account.Evidence = []Evidence{{ID: e, Type: "doc", Ref: "brief"}}
	}
	switch verb {
	case "begin":
		return Begin{Stamp: s, Node: node, TakeOver: a.at(1) == "takeover", Provider: a.keyed["provider"], Switch: a.keyed["switch"] == "yes"}
	case "deliver":
		c := content(a.at(1))
		if v := a.keyed["variants"]; v != "" {
			c.Variants = strings.Split(v, ",")
		}
		c.ID = VersionID(a.keyed["id"])
		return Deliver{Stamp: s, Attempt: open, Content: c, Sources: sourcesOf(a), Rule: ruleFor(a), Account: account}
	case "fail":
		return Fail{Stamp: s, Attempt: open, Error: StepError{Code: "broken", Message: "it broke", Class: ErrorClass(a.at(1)), Final: true}, Account: account}
	case "release":
		return Release{Stamp: s, Attempt: open, Reason: "interrupted"}
	case "verdict":
		j := Judge{Stamp: s, Attempt: open, Verdict: verdictOf(a.at(1)), Sources: sourcesOf(a), Account: account}
		if text := a.at(2); text != "" {
			j.Review.Findings = []Finding{{Code: "found", Message: text}}
		}
		if text := a.keyed["report"]; text != "" {
			c := content(text)
			j.Report = &c
		}
		return j
	case "unfold":
		return h.unfold(s, a)
	}
	return nil
}

func (h *history) unfold(s Stamp, a args) Command {
	c := Unfold{Stamp: s}
	specs := a.plain
	if _, none := a.keyed["after"]; !none {
		c.After, specs = VersionID(a.at(0)), specs[1:]
	}
	for _, spec := range specs { // make:x:needs~y
		c.Nodes = append(c.Nodes, parseNode(h.t, strings.NewReplacer(":", " ", "~", "=").Replace(spec)))
	}
	if gone := a.keyed["abandon"]; gone != "" {
		for _, id := range strings.Split(gone, ",") {
			c.Abandon = append(c.Abandon, NodeID(id))
		}
	}
	return c
}

func ruleFor(a args) *RuleResult {
	switch a.keyed["rule"] {
	case "pass":
		return ruleOf[true]
	case "fail":
		return ruleOf[false]
	}
	return nil
}

func verdictOf(word string) Verdict {
	switch word {
	case "for":
		return ForIt
	case "against":
		return AgainstIt
	}
	return Verdict(word)
}

// wish gives the commands of people.
func (h *history) wish(verb string, s Stamp, a args) Command {
	node := NodeID(a.at(0))
	var nodes []NodeID
	for _, w := range a.plain {
		nodes = append(nodes, NodeID(w))
	}
	switch verb {
	case "submit":
		return Submit{Stamp: s, Node: node, Content: content(a.at(1)), Sources: sourcesOf(a), Rule: ruleFor(a), Note: a.keyed["note"]}
	case "judge":
		j := Judge{Stamp: s, Node: node, Verdict: verdictOf(a.at(1)), Version: VersionID(a.keyed["version"]), Review: Review{Check: NodeID(a.keyed["in"])}}
		if text := a.keyed["digest"]; text != "" {
			j.Digest = digest.Of([]byte(text))
		}
		return j
	case "answer":
		return h.answer(s, a)
	case "revise":
		return Revise{Stamp: s, Nodes: nodes, Note: a.keyed["note"]}
	case "rollback":
		return Rollback{Stamp: s, Nodes: nodes, Reason: "again"}
	case "undo":
		return Undo{Stamp: s}
	case "reopen":
		return Reopen{Stamp: s, Node: node, Reason: "again"}
	case "resume":
		return Resume{Stamp: s, From: node, Reason: "again"}
	case "abandon":
		return Abandon{Stamp: s, Node: node, Reason: "enough"}
	case "cancel":
		return Cancel{Stamp: s, Reason: "enough"}
	case "relabel":
		c := Relabel{Stamp: s, Set: map[string]string{}}
		for k, v := range a.keyed {
			c.Set[k] = v
		}
		c.Drop = append(c.Drop, a.plain...)
		return c
	case "record":
		return Record{Stamp: s, Evidence: []Evidence{{ID: a.at(0), Type: "log", Ref: "here"}}}
	}
	return nil
}

// answer means the node's first open ask, or the one whose reason stands after a slash, or the last closed one.
func (h *history) answer(s Stamp, a args) Command {
	id, reason, _ := strings.Cut(a.at(0), "/")
	c := Answer{Stamp: s, Choice: a.at(1), Text: a.keyed["text"], Rule: ruleFor(a)}
	n := h.run.nodes[NodeID(id)]
	if n == nil {
		return c
	}
	for _, ask := range n.asks {
		if c.Ask == "" && (reason == "" || string(ask.Reason) == reason) {
			c.Ask = ask.ID
		}
	}
	if c.Ask == "" {
		for _, e := range h.events() {
			if f, ok := e.Fact.(AskClosed); ok && f.Node == n.ID {
				c.Ask = f.Ask
			}
		}
	}
	if text := a.keyed["digest"]; text != "" {
		c.Digest = digest.Of([]byte(text))
	}
	if edits := a.keyed["edits"]; edits != "" {
		c.Edits = json.RawMessage(edits)
	}
	if text := a.keyed["content"]; text != "" {
		got := content(text)
		c.Content = &got
	}
	return c
}
