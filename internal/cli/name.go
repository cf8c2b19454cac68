package cli

import (
	"fmt"

	"sluice/internal/app"
	"sluice/internal/kernel"
	"sluice/internal/termtext"
)

// called is what people call a node, and the number of the version if the id was that of one.
type called struct {
	node, title string
	n           int
}

func (c called) String() string {
	text := termtext.ShortID(c.node)
	if c.title != "" {
		text += ` "` + cut(clean(c.title), maxTitle) + `"`
	}
	return text
}

// maxTitle is how much of a title stands in a line about what happened.
const maxTitle = 60

// withNames puts what people say in the place of ids that say nothing. What a line is about has its title, others are short.
func withNames(text string, find func(id string) (called, bool)) string {
	isFirst := true
	return termtext.NameIDs(text, func(id string) string {
		c, ok := find(id)
		if !ok {
			return id
		}
		if !isFirst {
			c.title = ""
		}
		isFirst = false
		if c.n > 0 {
			return fmt.Sprintf("%s v%d", c, c.n)
		}
		return c.String()
	})
}

// namesOf finds what the nodes and versions of a run are called.
func namesOf(r *kernel.Run) func(id string) (called, bool) {
	return func(id string) (called, bool) {
		c := called{node: id}
		if v, ok := r.Version(kernel.VersionID(id)); ok {
			c.node, c.n = string(v.Node), v.N
		}
		n, ok := r.Node(kernel.NodeID(c.node))
		if ok {
			c.title = n.Node().Title
		}
		return c, ok
	}
}

// telling words the news of one run that is watched. It knows versions that it was told of, and of others only the node.
type telling struct {
	titles   map[string]string
	versions map[string]called
}

func newTelling() *telling {
	return &telling{titles: map[string]string{}, versions: map[string]called{}}
}

// news words each event of a look; an empty text is one that others tell better.
func (t *telling) news(d app.WatchDoc) []string {
	if len(d.News) == 0 {
		return nil
	}
	for _, n := range d.Nodes {
		if termtext.IsRandomID(n.Node) {
			t.titles[n.Node] = n.Title
		}
	}
	texts := make([]string, len(d.News))
	for i, e := range d.News {
		fact, ok := factOf(e)
		if ok {
			t.learn(fact)
		}
		texts[i] = withNames(what(e), t.find)
	}
	return texts
}

func (t *telling) learn(f kernel.Fact) {
	keep := func(v kernel.VersionID, node kernel.NodeID, n int) {
		if had := t.versions[string(v)]; had.n == 0 && termtext.IsRandomID(string(v)) {
			t.versions[string(v)] = called{node: string(node), n: n}
		}
	}
	switch f := f.(type) {
	case kernel.VersionStored:
		keep(f.Version.ID, f.Version.Node, f.Version.N)
	case kernel.ReviewRecorded:
		keep(f.Review.Version, f.Review.Node, 0)
	case kernel.VersionApproved:
		keep(f.Version, f.Node, 0)
	case kernel.VersionRejected:
		keep(f.Version, f.Node, 0)
	}
}

func (t *telling) find(id string) (called, bool) {
	c, isVersion := t.versions[id]
	if !isVersion {
		c = called{node: id}
	}
	title, isNode := t.titles[c.node]
	c.title = title
	return c, isVersion || isNode
}
