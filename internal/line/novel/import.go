package novel

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line/novel/story"
)

// Found is a file of a project that the journal does not know.
type Found struct {
	Place story.Place
	Path  string // in the workspace
	Body  []byte
}

// Flaw is a file that could not be taken over, or an entry of one.
type Flaw struct {
	Path string
	Err  error
	// Broken: the file as a whole cannot be read. Its bytes must be kept elsewhere before anything is put in its place.
	Broken bool
}

// order in which files are taken over: what others stand on comes first.
var importOrder = []story.Kind{story.KindSettings, story.KindWorld, story.KindTheme, story.KindCharacters, story.KindOutline, story.KindPlan,
	story.KindScene, story.KindChapter, story.KindMemory, story.KindReports, story.KindReview, story.KindRevision}

// Import takes files over that people put into a project, or a whole project without a journal: content as human versions,
// pendings as pendings. A node that has content keeps it. The run may be one that was just opened.
func Import(r *kernel.Run, s kernel.Stamp, found []Found) ([]Deed, []Flaw) {
	im := importer{run: r, stamp: s, defaults: DefaultsOf(r), texts: map[int]bool{}}
	found = slices.Clone(found)
	slices.SortStableFunc(found, func(a, b Found) int {
		return cmp.Or(cmp.Compare(slices.Index(importOrder, a.Place.Kind), slices.Index(importOrder, b.Place.Kind)),
			cmp.Compare(a.Place.Chapter, b.Place.Chapter), cmp.Compare(a.Place.Scene, b.Place.Scene))
	})
	for _, f := range found {
		im.take(f)
	}
	return im.deeds, im.flaws
}

type importer struct {
	run      *kernel.Run
	stamp    kernel.Stamp
	defaults story.Settings
	texts    map[int]bool // chapters whose text is taken over
	deeds    []Deed
	flaws    []Flaw
}

func (im *importer) take(f Found) {
	switch f.Place.Kind {
	case story.KindMemory:
		takeList(im, f, memoryNode, SchemaMemory, func(e story.ChapterMemoryEntry) int { return e.ChapterNumber })
		return
	case story.KindReports:
		takeList(im, f, func(n int) kernel.Node { return reportNode(n, StepConsistency) }, SchemaConsistency,
			func(e story.ConsistencyReport) int { return e.ChapterNumber })
		return
	}
	id, ok := NodeOf(f.Place)
	if !ok || im.has(id) {
		return
	}
	out, err := Read(f.Path, f.Place, im.defaults, f.Body)
	if err != nil {
		if f.Place.Kind != story.KindRevision {
			im.flaws = append(im.flaws, Flaw{Path: f.Path, Err: err, Broken: true})
			return
		}
		out.Body, out.Schema = f.Body, SchemaUnreadable // it may say pending, so it counts as that
		im.flaws = append(im.flaws, Flaw{Path: f.Path, Err: fault.Wrap(fault.RevisionUnreadable, f.Path, err, "%s; it counts as pending", fault.From(err).Message)})
	} else if isPlain(f.Body) {
		out.Body = f.Body // as it stands: nobody's file is rewritten for nothing
	}
	im.submit(id, nodesFor(f.Place), f, out.Schema, out.Body)
	if f.Place.Kind == story.KindChapter {
		im.texts[f.Place.Chapter] = true
	}
}

// isPlain tells whether the bytes can be kept as they are: JSON as others read it too.
func isPlain(body []byte) bool { return json.Valid(body) }

func (im *importer) has(id kernel.NodeID) bool {
	n, ok := im.run.Node(id)
	return ok && n.Newest() != nil && n.Status() != kernel.StatusAbandoned
}

// submit records the nodes that content stands on, then the content, by the file it came from.
func (im *importer) submit(id kernel.NodeID, nodes []kernel.Node, f Found, schemaName string, body []byte) {
	s := im.stamp
	s.By = kernel.Actor{Kind: kernel.File, Name: f.Path, Via: "file"}
	if len(nodes) > 0 {
		im.deeds = append(im.deeds, Deed{Command: kernel.Unfold{Stamp: s, Nodes: nodes}})
	}
	d := submit(s, id, schemaName, body, takenFrom+string(digest.Of(f.Body)))
	c := d.Command.(kernel.Submit)
	if strings.HasSuffix(string(id), "/"+StepRevision) {
		if found, err := rule(revisionNode(f.Place.Chapter), body); err == nil {
			c.Rule = &found
		}
	}
	d.Command = c
	im.deeds = append(im.deeds, d)
}

// takeList takes the entries of a file that shows all chapters, each for itself. The last of several for one chapter counts.
func takeList[T any](im *importer, f Found, node func(int) kernel.Node, schemaName string, chapter func(T) int) {
	list, flaws, err := story.DecodeList[T](f.Path, f.Body)
	if err != nil {
		im.flaws = append(im.flaws, Flaw{Path: f.Path, Err: err, Broken: true})
		return
	}
	for _, flaw := range flaws {
		im.flaws = append(im.flaws, Flaw{Path: f.Path, Err: flaw})
	}
	last := map[int]T{}
	for _, e := range list {
		last[chapter(e)] = e
	}
	for _, e := range list {
		n := chapter(e)
		e, ok := last[n]
		delete(last, n)
		if !ok || !im.texts[n] && im.run.Approved(ChapterNode(n, StepText)) == nil || im.has(node(n).ID) {
			continue
		}
		body, err := story.Encode(e)
		if err != nil {
			im.flaws = append(im.flaws, Flaw{Path: f.Path, Err: err})
			continue
		}
		im.submit(node(n).ID, []kernel.Node{node(n)}, f, schemaName, body)
	}
}

// takenFrom begins the note of content that came from a file; the digest of that file follows. What stands there may be
// replaced by ours.
const takenFrom = "taken over from a file, "

// baseFile is what a path showed when its content was taken over.
func baseFile(r *kernel.Run, v *kernel.Version) digest.Digest {
	if v == nil {
		return ""
	}
	a, ok := r.Attempt(v.Attempt)
	if !ok {
		return ""
	}
	for _, note := range a.Notes {
		if d, ok := strings.CutPrefix(note, takenFrom); ok {
			return digest.Digest(d)
		}
	}
	return ""
}
