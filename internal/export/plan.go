package export

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/kernel"
)

// Selection says which nodes go out, in which order and where to.
type Selection struct {
	At time.Time // of the export, for the manifest
	// Wanted are the nodes in their order. Empty: every make that is not abandoned, in the order of recording.
	Wanted []Wanted
	// Path gives the place of a node that Wanted gives none: of its file, or of the directory of a bundle. Nil: by
	// the node's id.
	Path func(n kernel.Node, v *kernel.Version) string
	// IncludeCandidates adds the newest version of each wanted node that is not approved, below the directory
	// candidates, and marks it in the manifest.
	IncludeCandidates bool
}

// Wanted is one node of a selection.
type Wanted struct {
	Node kernel.NodeID
	Path string // relative to the bundle, with slashes; empty: by Selection.Path
}

// Item is one file to write, with the place where its bytes are found.
type Item struct {
	Path    string
	Run     kernel.RunID
	Version kernel.VersionID
	Seq     int64
	Digest  digest.Digest
	Size    int64
}

// Plan decides what a bundle holds. It is pure: the same run and selection give the same plan.
func Plan(r *kernel.Run, sel Selection) (Manifest, []Item, error) {
	p := planning{run: r, sel: sel, taken: places{}, m: Manifest{Format: format, Run: string(r.ID()), Line: r.Line(), Title: r.Title(),
		ExportedAt: sel.At.UTC().Truncate(time.Second)}}
	if r.Provider() == kernel.ProviderRehearsal {
		p.m.Rehearsal, p.m.Label = true, rehearsalLabel
	}
	wanted := sel.Wanted
	if len(wanted) == 0 {
		for n := range r.Nodes() {
			if n.Node().Kind == kernel.Make && n.Status() != kernel.StatusAbandoned {
				wanted = append(wanted, Wanted{Node: n.ID()})
			}
		}
	}
	for _, w := range wanted {
		if err := p.node(w); err != nil {
			return Manifest{}, nil, err
		}
	}
	if len(p.m.Entries) == 0 {
		return Manifest{}, nil, nothingApproved(r, wanted)
	}
	return p.m, p.items, nil
}

// planning is a plan in the making.
type planning struct {
	run   *kernel.Run
	sel   Selection
	taken places
	m     Manifest
	items []Item
}

func (p *planning) node(w Wanted) error {
	n, ok := p.run.Node(w.Node)
	if !ok {
		return fault.New(fault.UnknownNode, string(w.Node), "run %s has no node %q", p.run.ID(), w.Node)
	}
	candidate := n.Newest()
	if !p.sel.IncludeCandidates || candidate != nil && candidate.IsApproved() {
		candidate = nil
	}
	if v := n.Approved(); v != nil {
		if err := p.entry(n, v, w, ""); err != nil {
			return err
		}
		if candidate == v {
			candidate = nil
		}
	} else if candidate == nil {
		p.m.LeftOut = append(p.m.LeftOut, Absent{Node: string(n.ID()), Title: n.Node().Title, Status: string(n.Status())})
	}
	if candidate == nil {
		return nil
	}
	return p.entry(n, candidate, w, "candidates/v"+strconv.Itoa(candidate.N))
}

// entry adds one version: its file, or the files of its bundle.
func (p *planning) entry(n kernel.View, v *kernel.Version, w Wanted, below string) error {
	spec := n.Node()
	e := Entry{Node: string(spec.ID), Title: spec.Title, Version: string(v.ID), Digest: v.Digest,
		Approved: below == "", Candidate: below != "", By: grounds(v)}
	place := w.Path
	switch {
	case place != "":
	case p.sel.Path != nil:
		place = p.sel.Path(spec, v)
	default:
		place = p.taken.free(below, nodePath(spec, v))
	}
	place = path.Join(below, place)
	add := func(at, part string, d digest.Digest, size int64) error {
		if err := p.taken.take(at, spec.ID); err != nil {
			return err
		}
		e.Files = append(e.Files, File{Path: at, SHA256: d.Hex(), Size: size, Version: string(v.ID), Part: part})
		p.items = append(p.items, Item{Path: at, Run: p.run.ID(), Version: v.ID, Seq: v.Seq, Digest: d, Size: size})
		return nil
	}
	if len(v.Parts) == 0 {
		if err := add(place, "", v.Digest, v.Size); err != nil {
			return err
		}
	}
	for _, part := range v.Parts {
		if !fs.ValidPath(part.Path) {
			return fault.New(fault.BadPath, string(spec.ID), "version %s has a part at %q, which is no path inside a bundle", v.ID, part.Path)
		}
		if err := add(path.Join(place, part.Path), part.Path, part.Digest, part.Size); err != nil {
			return err
		}
	}
	p.m.Entries = append(p.m.Entries, e)
	return nil
}

// grounds gives all that was said about a version. Where no person spoke, the rule that stands behind it is named.
func grounds(v *kernel.Version) Grounds {
	var g Grounds
	rule, human := "", false
	for _, r := range v.Reviews() {
		g.Reviews = append(g.Reviews, Review{ID: string(r.ID), Verdict: string(r.Verdict), Score: r.Score, Check: string(r.Check),
			By: r.By.String(), Confirmed: r.By.Confirmed, At: r.At.UTC()})
		human = human || r.By.IsHuman()
		if r.By.Kind == kernel.Rule {
			rule = r.By.Name
		}
	}
	switch {
	case human:
	case rule != "":
		g.Rule = rule
	case len(g.Reviews) == 0 && v.IsApproved():
		g.Rule = "none"
	}
	return g
}

// nothingApproved refuses an empty bundle, with what would make it one.
func nothingApproved(r *kernel.Run, wanted []Wanted) error {
	err := fault.New(fault.NothingApproved, string(r.ID()), "run %s has nothing approved to export", r.ID())
	for a := range r.OpenAsks() {
		err = err.With(fault.Action{Action: "answer", Command: "sluice inbox " + string(r.ID()), Why: "ask " + string(a.ID) + " waits for an answer"})
		break
	}
	switch r.Status() {
	case kernel.RunActive:
		err = err.With(fault.Action{Action: "run", Why: "the run goes on by itself from here"})
	case kernel.RunFailed, kernel.RunCancelled, kernel.RunDropped:
		err = err.With(fault.Action{Action: "resume", Why: "the run is " + string(r.Status())})
	}
	hasCandidate := func(w Wanted) bool {
		n, ok := r.Node(w.Node)
		return ok && n.Newest() != nil
	}
	if slices.ContainsFunc(wanted, hasCandidate) {
		err = err.With(fault.Action{Action: "include candidates", Why: "versions that are not approved can be exported, marked as such"})
	}
	return err
}

// places are the paths of a bundle that are taken, folded, so that no file system takes two of them for one.
type places map[string]place

type place struct {
	node kernel.NodeID
	dir  bool
}

// take gives a path to a node.
func (p places) take(at string, id kernel.NodeID) error {
	switch {
	case !fs.ValidPath(at) || at == ".":
		return fault.New(fault.BadPath, string(id), "node %s would be exported to %q, which is no path inside a bundle", id, at)
	case fold(at) == ManifestName:
		return fault.New(fault.BadPath, string(id), "node %s would be exported to %s, which is the manifest's place", id, at)
	}
	if other, ok := p[fold(at)]; ok {
		return clash(id, at, other.node)
	}
	for dir := path.Dir(at); dir != "."; dir = path.Dir(dir) {
		if other, ok := p[fold(dir)]; ok && !other.dir {
			return clash(id, at, other.node)
		}
		p[fold(dir)] = place{id, true}
	}
	p[fold(at)] = place{id, false}
	return nil
}

func clash(id kernel.NodeID, at string, other kernel.NodeID) error {
	return fault.New(fault.BadPath, string(id), "nodes %s and %s would both be exported to %s", other, id, at)
}

// free gives a path that nothing has taken yet: the one wished for, or one with a number.
func (p places) free(below, at string) string {
	ext := path.Ext(at)
	for i, wish := 2, at; ; i++ {
		if _, taken := p[fold(path.Join(below, wish))]; !taken && fold(wish) != ManifestName {
			return wish
		}
		wish = strings.TrimSuffix(at, ext) + "_" + strconv.Itoa(i) + ext
	}
}

func fold(p string) string { return strings.ToLower(p) }

// nodePath makes a file name from a node's id: letters and digits of any script stay.
func nodePath(n kernel.Node, v *kernel.Version) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, string(n.ID))
	name = cmp.Or(strings.Trim(name, "."), "node")
	if len(v.Parts) > 0 {
		return name
	}
	switch v.Schema {
	case "text/markdown":
		return name + ".md"
	case "text/html":
		return name + ".html"
	case "text/plain":
		return name + ".txt"
	case "application/json":
		return name + ".json"
	}
	return name
}
