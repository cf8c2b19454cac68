package kernel

import "slices"

// Status is derived from facts and never stored. The zero value is invalid.
type Status string

const (
	// StatusWaiting: something it needs is not done. Moves when that is.
	StatusWaiting Status = "waiting"
	// StatusBlocked: something it needs was abandoned. A person reopens that, or abandons this too.
	StatusBlocked Status = "blocked"
	// StatusReady: it can begin; the engine does, or a client.
	StatusReady Status = "ready"
	// StatusRework: it has content that was rejected or thrown away, and can begin again with what was found.
	StatusRework Status = "rework"
	// StatusRunning: an attempt is open. Its performer closes it, or someone takes it over.
	StatusRunning Status = "running"
	// StatusChecking: its newest version waits for its checks.
	StatusChecking Status = "checking"
	// StatusAsking: a person must answer an open ask.
	StatusAsking Status = "asking"
	// StatusDone: the newest version is approved; a check has judged it; a group's children are done.
	StatusDone Status = "done"
	// StatusFailed: the outside world gave up, or a rejection is final. A person reopens it.
	StatusFailed Status = "failed"
	// StatusHeld: a person put it aside. A person reopens it.
	StatusHeld Status = "held"
	// StatusAbandoned: out of every rule. A person may reopen it.
	StatusAbandoned Status = "abandoned"
)

// Statuses lists every status of a node in the order of life.
func Statuses() []Status {
	return []Status{StatusWaiting, StatusBlocked, StatusReady, StatusRework, StatusRunning, StatusChecking,
		StatusAsking, StatusDone, StatusFailed, StatusHeld, StatusAbandoned}
}

// RunStatus is the status of a whole run, derived too.
type RunStatus string

const (
	RunActive    RunStatus = "active"    // there are duties
	RunParked    RunStatus = "parked"    // nothing to do until a person or a client acts
	RunFailed    RunStatus = "failed"    // nothing to do, and something failed: resume tries it again
	RunHeld      RunStatus = "held"      // nothing to do, and a person put something aside
	RunDone      RunStatus = "done"      // every node that is not abandoned is done
	RunCancelled RunStatus = "cancelled" // ended by a person; resume lets it go on
	RunDropped   RunStatus = "dropped"   // ended by a decision
)

// Status of the run, from counters alone.
func (r *Run) Status() RunStatus {
	switch {
	case r.closing == Cancelled:
		return RunCancelled
	case r.closing == Dropped:
		return RunDropped
	case r.hasDuties():
		return RunActive
	case r.open.len() > 0 || r.outside.len() > 0:
		return RunParked
	case r.count[StatusFailed] > 0:
		return RunFailed
	case r.count[StatusHeld] > 0:
		return RunHeld
	case r.count[StatusWaiting] == 0 && len(r.order) > 0:
		return RunDone
	}
	return RunParked
}

// derive computes the status of a node from its facts. It costs the number of its checks at most.
func (n *node) derive() Status {
	switch {
	case n.abandoned:
		return StatusAbandoned
	case n.Kind == Group:
		return n.deriveGroup()
	case n.open != nil:
		return StatusRunning
	case n.Kind == Check && n.moot():
		return StatusDone
	case n.held:
		return StatusHeld
	case n.failure != nil && !n.wantsHelp:
		return StatusFailed
	case n.Kind == Check:
		return n.deriveCheck()
	}
	return n.deriveMake()
}

func (n *node) deriveGroup() Status {
	switch {
	case n.kids == 0:
		return StatusWaiting
	case n.kids == n.goneKids:
		return StatusAbandoned // else what needs it would wait for ever without anyone being asked
	case n.Any && n.doneKids > 0, n.doneKids == n.kids-n.goneKids:
		return StatusDone
	case n.failKids > 0 && (!n.Any || n.failKids == n.kids-n.goneKids):
		return StatusFailed
	}
	return StatusWaiting
}

func (n *node) deriveMake() Status {
	again := n.redo
	if n.newest != nil && !n.redo {
		switch n.newest.state {
		case undecided:
			if n.awaitsChecks() {
				return StatusChecking
			}
			return StatusAsking
		case approved:
			if !n.Refresh || n.staleBy == 0 {
				return StatusDone
			}
		}
		again = true
	}
	return n.toBeMade(again)
}

// moot tells whether a check is settled because its target was approved: then neither a hold nor a failure of it counts.
func (n *node) moot() bool {
	return !n.redo && n.target != nil && n.target.newest != nil && n.target.newest.state == approved
}

func (n *node) deriveCheck() Status {
	if n.target == nil { // a damaged journal
		return StatusAbandoned
	}
	v := n.target.newest
	switch {
	case v == nil, n.redo && n.target.redo:
		return StatusWaiting
	case n.redo:
		return n.toBeMade(true)
	case n.reviewed[v.ID] != nil:
		return StatusDone
	case v.state == rejected || n.target.redo: // what it would judge is about to be replaced
		return StatusWaiting
	}
	return n.toBeMade(false)
}

// toBeMade is the status of a node that has to be performed, for the first time or again.
func (n *node) toBeMade(again bool) Status {
	switch {
	case n.dead > 0:
		return StatusBlocked
	case n.unmet > 0:
		return StatusWaiting
	case n.wantsHelp, n.Performer == Person, n.exhausted():
		return StatusAsking
	case again:
		return StatusRework
	}
	return StatusReady
}

func (n *node) exhausted() bool { return n.used >= n.allowed }

// awaitsChecks tells whether a check has yet to speak on the newest version.
func (n *node) awaitsChecks() bool {
	if !n.Gate.Checks {
		return false
	}
	for _, c := range n.checks {
		if !c.abandoned && c.reviewed[n.newest.ID] == nil {
			return true
		}
	}
	return false
}

// met tells whether a need on a node with this status is fulfilled, and whether it never can be as things stand.
func (need Need) met(s Status) (met, dead bool) {
	if need.Settled {
		return s == StatusDone || s == StatusFailed || s == StatusAbandoned, false
	}
	return s == StatusDone, s == StatusAbandoned
}

// refresh recomputes what is derived for a node and carries a change on to those it matters to.
func (r *Run) refresh(n *node) {
	before := n.status
	n.status = n.derive()
	r.touch(n)
	startable := n.Performer == Engine && (n.status == StatusReady || n.status == StatusRework)
	r.ready.place(n, startable)
	r.unfolding.set(n, n.Unfolds && !n.abandoned && n.approved != nil && n.unfolded != n.approved.ID)
	r.asking.set(n, n.status == StatusAsking || n.status == StatusBlocked || n.offer != nil)
	if n.status == before {
		return
	}
	if n.Kind != Group {
		if before != "" {
			r.count[before]--
		}
		r.count[n.status]++
		r.failed.set(n, n.status == StatusFailed)
	}
	for _, e := range n.dependants {
		if e.to.recount(e.need, before, n.status) {
			r.refresh(e.to)
		}
	}
	if n.countsForParent() {
		n.parent.countKid(before, -1)
		n.parent.countKid(n.status, +1)
		r.refresh(n.parent)
	}
}

// recount changes the counts of unmet and dead needs by what one of them became, and tells whether they changed.
func (n *node) recount(need Need, before, after Status) bool {
	wasMet, wasDead := need.met(before)
	isMet, isDead := need.met(after)
	n.unmet += step(wasMet, isMet)
	n.dead -= step(wasDead, isDead)
	return wasMet != isMet || wasDead != isDead
}

// step is -1 when a fact came true, +1 when it ceased to be.
func step(was, is bool) int {
	switch {
	case was == is:
		return 0
	case is:
		return -1
	}
	return +1
}

// approve moves the approved pointer and with it the staleness of what was made from the version before.
func (r *Run) approve(n *node, v *Version) {
	before := n.approved
	n.approved = v
	n.usedInputs, n.staleBy = r.inputsOf(n)
	for _, e := range n.dependants {
		used := e.to.usedInput(e.at)
		if used == "" || replaced(before, used) == replaced(v, used) {
			continue
		}
		e.to.staleBy -= step(replaced(before, used), replaced(v, used))
		r.refresh(e.to)
	}
}

// usedInput gives the version of a need from which the approved version was made, if it was.
func (n *node) usedInput(need int) VersionID {
	if need >= len(n.usedInputs) {
		return ""
	}
	return n.usedInputs[need]
}

// inputsOf gives what the approved version of a node was made from, and how many of those were replaced since. Parents
// stand in the order of the needs, as they were taken. What a check judged is a parent of its report, and no input.
func (r *Run) inputsOf(n *node) (used []VersionID, staleBy int) {
	if n.approved == nil || len(n.approved.Parents) == 0 || len(n.needs) == 0 {
		return nil, 0
	}
	used = make([]VersionID, len(n.needs))
	next := 0
	for _, p := range n.approved.Parents {
		parent := r.versions[p]
		if parent == nil {
			continue
		}
		from := r.nodes[parent.Node]
		at := slices.Index(n.needs[next:], from)
		if at < 0 {
			continue
		}
		used[next+at] = p
		next += at + 1
		if replaced(from.approved, p) {
			staleBy++
		}
	}
	return used, staleBy
}

// replaced tells whether another version than the used one is approved now.
func replaced(now *Version, used VersionID) bool { return now != nil && now.ID != used }

// countsForParent tells whether a node is one of those its group waits for. A check in the same group as its target is
// not: the target is done only when the check has spoken, and an OR group must not be done by a check alone.
func (n *node) countsForParent() bool {
	return n.parent != nil && (n.target == nil || n.target.parent != n.parent)
}

func (n *node) countKid(s Status, by int) {
	switch s {
	case StatusDone:
		n.doneKids += by
	case StatusFailed:
		n.failKids += by
	case StatusAbandoned:
		n.goneKids += by
	}
}

func (r *Run) touch(n *node) {
	if !n.dirty {
		n.dirty = true
		r.touched = append(r.touched, n)
	}
}
