package kernel

import "slices"

// command draws the next command: mostly what is at hand, sometimes anything.
func (w *walker) command() Command {
	c := w.c
	switch c.below(20) {
	case 0, 1, 2, 3, 4, 5, 6, 7:
		if d := w.duty(); d != nil {
			return d
		}
	case 8, 9, 10, 11:
		if a := w.answer(); a != nil {
			return a
		}
	case 12, 13, 14:
		return w.work()
	}
	return w.wish()
}

// duty does what Pending gives first, or one of the next.
func (w *walker) duty() Command {
	skip := w.c.below(3)
	for d := range Pending(w.r) {
		if skip--; skip >= 0 {
			continue
		}
		switch d := d.(type) {
		case UnfoldNodes:
			return w.unfold(d.Version)
		case PerformStep:
			return w.perhapsBegin(d.Node, d.Attempt)
		case RunCheck:
			return w.perhapsBegin(d.Node, d.Attempt)
		}
	}
	return nil
}

func (w *walker) perhapsBegin(n NodeID, a AttemptID) Command {
	if a == "" {
		return Begin{Stamp: w.stamp(robot), Node: n}
	}
	return w.end(n, a, robot)
}

// end closes an attempt in one of the ways that fit its node.
func (w *walker) end(id NodeID, a AttemptID, by Actor) Command {
	s := w.stamp(by)
	n := w.r.nodes[id]
	switch w.c.below(8) {
	case 0:
		return Fail{Stamp: s, Attempt: a, Error: StepError{Code: "broken", Message: "it broke", Final: true,
			Class: oneOf(w.c, Retryable, Permanent, BadReply, NoBudget)}, Account: w.account()}
	case 1:
		return Release{Stamp: s, Attempt: a, Reason: "stopped"}
	}
	if n != nil && n.Kind == Check {
		j := Judge{Stamp: s, Attempt: a, Verdict: oneOf(w.c, ForIt, ForIt, AgainstIt), Account: w.account()}
		if w.c.below(3) == 0 {
			report := w.text()
			j.Report = &report
		}
		if w.c.below(3) == 0 {
			score := float64(w.c.below(3))
			j.Review.Score = &score
		}
		return j
	}
	return Deliver{Stamp: s, Attempt: a, Content: w.text(), Rule: w.rule(n), Account: w.account()}
}

func (w *walker) rule(n *node) *RuleResult {
	if n == nil || n.Gate.Rule == "" {
		return nil
	}
	return ruleOf[w.c.below(3) > 0]
}

func (w *walker) unfold(after VersionID) Command {
	u := Unfold{Stamp: w.stamp(robot), After: after}
	existing := ids(w.r.order)
	if len(w.r.order) < 16 {
		u.Nodes = w.graph("u"+string(rune('a'+len(w.r.order))), w.c.below(4), existing)
	}
	for range w.c.below(3) { // nodes that are there already are left as they are, or come back
		n := oneOf(w.c, w.r.order...)
		if !slices.ContainsFunc(u.Nodes, func(o Node) bool { return o.ID == n.ID }) {
			u.Nodes = append(u.Nodes, n.Node)
		}
	}
	if w.c.below(3) == 0 {
		u.Abandon = []NodeID{oneOf(w.c, existing...)}
	}
	return u
}

func (w *walker) answer() Command {
	if w.r.open.len() == 0 {
		return nil
	}
	a := oneOf(w.c, slices.Collect(w.r.OpenAsks())...)
	c := Answer{Stamp: w.stamp(ada), Ask: a.ID, Text: oneOf(w.c, "", "because")}
	if len(a.Options) > 0 {
		o := oneOf(w.c, a.Options...)
		if o.Effect == Drop && w.c.below(4) > 0 {
			o = a.Options[0]
		}
		c.Choice = o.Value
		if o.Effect == SupplyIt || (o.Effect == Approve && w.c.below(4) == 0) {
			text := w.text()
			c.Content, c.Rule = &text, w.rule(w.r.nodes[a.Node])
		}
	}
	if w.c.below(3) == 0 {
		c.Digest = a.Digest
	}
	return c
}

// work is what an outside client or a person does to a node by themselves.
func (w *walker) work() Command {
	n := oneOf(w.c, w.r.order...)
	by := oneOf(w.c, robot, agent, ada)
	switch w.c.below(4) {
	case 0:
		return Begin{Stamp: w.stamp(by), Node: n.ID, TakeOver: w.c.below(2) == 0, Provider: oneOf(w.c, "", ProviderReal, ProviderRehearsal)}
	case 1:
		if n.open != nil {
			return w.end(n.ID, n.open.ID, by)
		}
		if n.last != nil {
			return w.end(n.ID, n.last.ID, by)
		}
	}
	return Submit{Stamp: w.stamp(oneOf(w.c, ada, Actor{Kind: File, Name: "a.txt"})), Node: n.ID, Content: w.text(), Rule: w.rule(n)}
}

func (w *walker) wish() Command {
	n := oneOf(w.c, w.r.order...)
	s := w.stamp(oneOf(w.c, ada, ada, ada, agent, robot))
	switch w.c.below(16) {
	case 0, 1, 2:
		j := Judge{Stamp: s, Node: n.ID, Verdict: oneOf(w.c, ForIt, AgainstIt)}
		if len(n.versions) > 0 && w.c.below(2) == 0 {
			j.Version = oneOf(w.c, n.versions...).ID
		}
		if len(n.checks) > 0 && w.c.below(2) == 0 {
			j.Review.Check = n.checks[0].ID
		}
		return j
	case 3, 4:
		return Revise{Stamp: s, Nodes: []NodeID{n.ID, oneOf(w.c, w.r.order...).ID}, Note: oneOf(w.c, "", "better")}
	case 5:
		return Rollback{Stamp: s, Nodes: []NodeID{n.ID}}
	case 6:
		return Undo{Stamp: s}
	case 7, 8, 9:
		return Reopen{Stamp: s, Node: n.ID}
	case 10, 11:
		return Resume{Stamp: s, From: oneOf(w.c, "", "", n.ID)}
	case 12:
		return Abandon{Stamp: s, Node: n.ID}
	case 13:
		if w.c.below(3) == 0 {
			return Cancel{Stamp: s, Reason: "enough"}
		}
		if w.c.below(3) == 0 {
			return Relabel{Stamp: s, Set: map[string]string{"session": oneOf(w.c, "s", "t")}, Drop: []string{oneOf(w.c, "title", "other")}}
		}
		return Record{Stamp: s, Evidence: []Evidence{{ID: "E-2", Type: "log", Ref: "y"}}}
	case 14:
		return w.unfold("")
	}
	// an ask that is closed, mostly, or that never was
	return Answer{Stamp: s, Ask: askID(w.r.id, w.c.below(w.r.askCount+1)), Choice: "approve"}
}
