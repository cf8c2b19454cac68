package kernel

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"encoding/json"
	"slices"
	"time"

	"sluice/internal/digest"
	"sluice/internal/fault"
)

// FoldRevision names the meaning of an Image. It changes whenever Evolve or the shape of the image does: an image of
// another revision is dropped and the journal is folded again.
const FoldRevision = "kernel-3"

// image is a Run without what can be derived: facts per node, and the order of the sets, since the order in which
// things are listed is part of the law. gob keeps it several times faster to load than the events it stands for.
type image struct {
	Revision   string
	ID         RunID
	Line       string
	Definition digest.Digest
	Title      string
	Labels     []imageLabel
	Settings   json.RawMessage
	Opened     time.Time
	Updated    time.Time
	Seq        int64
	Closing    Closing
	Provider   string
	AskCount   int
	Usage      Usage
	Evidence   []Evidence

	Nodes     []imageNode
	Attempts  []imageAttempt
	Asks      []imageAsk
	Rollbacks []imageRollback

	Working, Outside, Failed, Asking, Unfolding []int
	Open                                        []AskID
}

type imageLabel struct{ Key, Value string }

type imageNode struct {
	Node      Node
	Attempts  int
	Used      int
	Allowed   int
	Take      int
	Open      AttemptID
	Last      AttemptID
	Versions  []imageVersion
	Newest    VersionID
	Approved  VersionID
	Offer     VersionID
	Redo      bool
	Notes     []string
	Failure   *StepError
	WantsHelp bool
	Held      bool
	Abandoned bool
	Reason    string
	Unfolded  VersionID
	Asks      []AskID
}

type imageVersion struct {
	Version  Version
	State    standing
	Variants []string
	Offered  bool
	SentBack bool
	Away     bool
	Rank     int64
	Reviews  []imageReview
}

// imageReview keeps a score of zero apart from no score, which gob does not.
type imageReview struct {
	Review Review
	Zero   bool
}

type imageAttempt struct {
	Attempt Attempt
	Seq     int64
}

type imageAsk struct {
	Ask     Ask
	Closed  bool
	Closing AskClosed
	Closer  Actor
	At      time.Time
}

type imageRollback struct {
	N      int
	Undone bool
	Saved  []imageSaved
}

type imageSaved struct {
	Node                    int
	Newest, Approved, Offer VersionID
	Live                    []VersionID
	Redo, Held, WantsHelp   bool
	Failure                 *StepError
	Used                    int
}

// Image renders the folded state for a cache. The same journal gives the same image.
func (r *Run) Image() ([]byte, error) {
	var out bytes.Buffer
	if err := gob.NewEncoder(&out).Encode(r.picture()); err != nil {
		return nil, fault.Wrap(fault.Unexpected, string(r.id), err, "the folded state of run %s cannot be encoded", r.id)
	}
	return out.Bytes(), nil
}

func (r *Run) picture() *image {
	im := &image{Revision: FoldRevision, ID: r.id, Line: r.line, Definition: r.definition, Title: r.title,
		Settings: r.settings, Opened: r.opened, Updated: r.updated, Seq: r.seq, Closing: r.closing, Provider: r.provider,
		AskCount: r.askCount, Usage: r.usage, Evidence: r.evidence,
		Working: places(&r.working), Outside: places(&r.outside), Failed: places(&r.failed), Asking: places(&r.asking),
		Unfolding: places(&r.unfolding)}
	for k, v := range r.labels {
		im.Labels = append(im.Labels, imageLabel{k, v})
	}
	slices.SortFunc(im.Labels, func(a, b imageLabel) int { return cmp.Compare(a.Key, b.Key) })
	im.Nodes = make([]imageNode, len(r.order))
	for i, n := range r.order {
		im.Nodes[i] = n.picture()
	}
	im.Attempts = make([]imageAttempt, 0, len(r.attempts))
	for _, a := range r.attempts {
		im.Attempts = append(im.Attempts, imageAttempt{*a, a.seq})
	}
	slices.SortFunc(im.Attempts, func(a, b imageAttempt) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, a := range r.asks {
		im.Asks = append(im.Asks, imageAsk{Ask: *a, Closed: a.closed, Closing: a.closing, Closer: a.closer, At: a.at})
	}
	slices.SortFunc(im.Asks, func(a, b imageAsk) int { return cmp.Compare(a.Ask.ID, b.Ask.ID) })
	for a := range r.open.all() {
		im.Open = append(im.Open, a.ID)
	}
	for _, back := range r.rollbacks {
		im.Rollbacks = append(im.Rollbacks, back.picture())
	}
	return im
}

func places(s *orderedSet[*node]) []int {
	var at []int
	for n := range s.all() {
		at = append(at, n.index)
	}
	return at
}

func (n *node) picture() imageNode {
	im := imageNode{Node: n.Node, Attempts: n.attempts, Used: n.used, Allowed: n.allowed, Take: n.take,
		Newest: nameOf(n.newest), Approved: nameOf(n.approved), Offer: nameOf(n.offer), Redo: n.redo, Notes: n.notes,
		Failure: n.failure, WantsHelp: n.wantsHelp, Held: n.held, Abandoned: n.abandoned, Reason: n.reason, Unfolded: n.unfolded}
	if n.open != nil {
		im.Open = n.open.ID
	}
	if n.last != nil {
		im.Last = n.last.ID
	}
	for _, v := range n.versions {
		iv := imageVersion{Version: *v, State: v.state, Variants: v.variants, Offered: v.offered,
			SentBack: v.sentBack, Away: v.away, Rank: v.rank}
		for _, review := range v.reviews {
			iv.Reviews = append(iv.Reviews, imageReview{*review, review.Score != nil && *review.Score == 0})
		}
		im.Versions = append(im.Versions, iv)
	}
	for _, a := range n.asks {
		im.Asks = append(im.Asks, a.ID)
	}
	return im
}

func (b rollback) picture() imageRollback {
	im := imageRollback{N: b.n, Undone: b.undone}
	for _, s := range b.saved {
		is := imageSaved{Node: s.node.index, Newest: nameOf(s.newest), Approved: nameOf(s.approved), Offer: nameOf(s.offer),
			Redo: s.redo, Held: s.held, WantsHelp: s.wantsHelp, Failure: s.failure, Used: s.used}
		for _, v := range s.live {
			is.Live = append(is.Live, v.ID)
		}
		im.Saved = append(im.Saved, is)
	}
	return im
}

func nameOf(v *Version) VersionID {
	if v == nil {
		return ""
	}
	return v.ID
}
