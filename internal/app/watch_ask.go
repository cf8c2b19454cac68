package app

import (
	"slices"

	"sluice/internal/kernel"
	"sluice/internal/line/novel"
)

// askedVersions are the contents that an ask is about, and the one that the first of them is compared with.
func askedVersions(run *kernel.Run, ask *kernel.Ask) (about []*kernel.Version, against *kernel.Version) {
	if isRevision(run, ask) {
		return revisionVersions(run, ask)
	}
	if v, ok := run.Version(ask.Offer); ok { // someone's own version stands, another one is offered in its place
		against, _ = run.Version(ask.Version)
		return []*kernel.Version{v}, against
	}
	if v, ok := run.Version(ask.Version); ok {
		return []*kernel.Version{v}, seenAgainst(run, v)
	}
	n, ok := run.Node(ask.Node)
	if !ok {
		return nil, nil
	}
	for _, need := range n.Node().Needs {
		if v := run.Approved(need.Node); v != nil {
			about = append(about, v)
		}
	}
	if v := n.Newest(); v != nil {
		about = slices.Insert(about, 0, v)
		against = before(n, v)
	}
	return about, against
}

// seenAgainst is the version that a new one is seen against: the approved one, else the one before it.
func seenAgainst(run *kernel.Run, v *kernel.Version) *kernel.Version {
	n, ok := run.Node(v.Node)
	if !ok {
		return nil
	}
	if good := n.Approved(); good != nil && good.ID != v.ID {
		return good
	}
	return before(n, v)
}

// revisionVersions are the candidate of a chapter and the text that it would replace; without one, the text and the
// review that holds it up.
func revisionVersions(run *kernel.Run, ask *kernel.Ask) (about []*kernel.Version, against *kernel.Version) {
	chapter := novel.ChapterOf(ask.Node)
	text := run.Approved(novel.ChapterNode(chapter, novel.StepText))
	if c := newestCandidate(run, chapter); c != nil {
		return []*kernel.Version{c}, text
	}
	for _, id := range []kernel.NodeID{novel.ChapterNode(chapter, novel.StepLogic), novel.ChapterNode(chapter, novel.StepText)} {
		if v := run.Approved(id); v != nil {
			about = append(about, v)
		}
	}
	return about, nil
}

// newestCandidate is the newest revised text of a chapter; nil where there is none.
func newestCandidate(run *kernel.Run, chapter int) (newest *kernel.Version) {
	for k := 1; ; k++ {
		n, ok := run.Node(novel.CandidateNode(chapter, k))
		if !ok {
			return newest
		}
		if v := n.Newest(); v != nil {
			newest = v
		}
	}
}
