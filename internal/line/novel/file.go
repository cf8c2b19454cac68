package novel

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel/continuity"
	"sluice/internal/line/novel/story"
)

// files shows the newest version of a node at the path of its document, and every version before it beside.
func files(r *kernel.Run, n kernel.View) []line.File {
	node := n.Node()
	if node.Step == StepCandidate {
		return candidateFiles(r, n)
	}
	place, ok := placeOf(node)
	if !ok {
		return nil
	}
	at := place.File()
	newest := n.Newest()
	if node.Step == StepScene && isMerged(r, place.Chapter, newest) || n.Status() == kernel.StatusAbandoned {
		newest = nil // a chapter shows the scenes it took in; a revision that is over shows nothing
	}
	out := []line.File{{Path: pathOf(r, at), Version: newest, Role: journal.Working, Base: baseFile(r, newest)}}
	for _, v := range n.Versions() {
		if v != n.Newest() && !v.IsOffer() || v.IsAway() || newest == nil && node.Step == StepRevision {
			out = append(out, line.File{Path: pathOf(r, versionFile(at, v.N)), Version: v, Role: journal.Kept})
		}
	}
	if node.Step == StepText {
		for _, id := range sceneNodes(r, place.Chapter) {
			if s, ok := r.Node(id); ok && s.Newest() != nil {
				out = append(out, sceneFile(r, s, isMerged(r, place.Chapter, s.Newest())))
			}
		}
	}
	return out
}

func sceneFile(r *kernel.Run, s kernel.View, hidden bool) line.File {
	place, _ := placeOf(s.Node())
	f := line.File{Path: pathOf(r, place.File()), Version: s.Newest(), Role: journal.Working}
	if hidden || s.Status() == kernel.StatusAbandoned {
		f.Version = nil
	}
	return f
}

// versionFile is where an earlier version of a file is kept.
func versionFile(file string, n int) string {
	stem, ext := file, ""
	if i := strings.LastIndexByte(file, '.'); i > 0 {
		stem, ext = file[:i], file[i:]
	}
	return fmt.Sprintf("%s/%s.v%d%s", story.VersionsDir, stem, n, ext)
}

// candidateFiles shows how a candidate reads. It is a view: what counts is in the revision.
func candidateFiles(r *kernel.Run, n kernel.View) []line.File {
	p, err := paramsOf(n.Node())
	if err != nil || len(n.Versions()) == 0 {
		return nil
	}
	if last, ok := lastCandidate(r, p.Chapter); ok && last.ID() != n.ID() {
		return nil
	}
	// one that was rolled back has no newest version, and its view goes with it
	return []line.File{{Path: pathOf(r, story.RevisedFile(p.Chapter)), Version: n.Newest(), Part: PartReading, Role: journal.Kept}}
}

// isWritten tells whether a chapter's text stands and is not being made again.
func isWritten(r *kernel.Run, chapter int) bool {
	n, ok := r.Node(ChapterNode(chapter, StepText))
	return ok && n.Status() == kernel.StatusDone
}

// isMerged tells whether a chapter's text stands and is younger than a scene: one that was written again since is shown
// until the chapter takes it in.
func isMerged(r *kernel.Run, chapter int, scene *kernel.Version) bool {
	if scene == nil || !isWritten(r, chapter) {
		return false
	}
	return r.Approved(ChapterNode(chapter, StepText)).Seq > scene.Seq
}

// sceneNodes lists the scenes of a chapter, abandoned ones too, in order.
func sceneNodes(r *kernel.Run, chapter int) []kernel.NodeID {
	var all []kernel.NodeID
	for k := 1; ; k++ {
		id := SceneNode(chapter, k)
		if _, ok := r.Node(id); !ok {
			return all
		}
		all = append(all, id)
	}
}

// lastCandidate is the newest wish for a revised chapter.
func lastCandidate(r *kernel.Run, chapter int) (kernel.View, bool) {
	var last kernel.View
	found := false
	for k := 1; ; k++ {
		n, ok := r.Node(CandidateNode(chapter, k))
		if !ok {
			return last, found
		}
		last, found = n, true
	}
}

// state renders the two files that show all chapters at once. Their entries are the versions; the files are views.
func state(r *kernel.Run, body line.Body) ([]line.StateFile, error) {
	if ProjectOf(r) == "" {
		return nil, nil
	}
	chapters := Chapters(r)
	return []line.StateFile{ledger(r, body, chapters, StepMemory, story.MemoryFile),
		ledger(r, body, chapters, StepConsistency, story.ReportsFile)}, nil
}

// shows tells of the nodes that the ledgers show, and of those by which chapters are known.
func shows(id kernel.NodeID) bool {
	n := ChapterOf(id)
	return n > 0 && (id == ChapterNode(n, StepMemory) || id == ChapterNode(n, StepConsistency) || id == ChapterNode(n, StepPlan))
}

func ledger(r *kernel.Run, body line.Body, chapters []int, step, file string) line.StateFile {
	var shown []*kernel.Version
	var mark bytes.Buffer
	for _, n := range chapters {
		if v := r.Approved(ChapterNode(n, step)); v != nil {
			shown = append(shown, v)
			mark.WriteString(string(v.ID) + string(v.Digest) + "\n")
		}
	}
	out := line.StateFile{Path: pathOf(r, file)}
	if len(shown) == 0 {
		return out
	}
	out.Mark = digest.Of(mark.Bytes())
	out.Make = func() ([]byte, error) {
		var b bytes.Buffer
		b.WriteString("[")
		for i, v := range shown {
			entry, err := body(v)
			if err != nil {
				return nil, err
			}
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString("\n  ")
			b.Write(bytes.ReplaceAll(bytes.TrimSpace(entry), []byte("\n"), []byte("\n  "))) // a line end inside text is escaped
		}
		b.WriteString("\n]\n")
		return b.Bytes(), nil
	}
	return out
}

// adopt reads a file that a person changed. Counts are counted anew; what does not parse or breaks an order is refused
// with its place.
func adopt(e line.Edited) (line.Out, error) {
	place, ok := placeOf(e.Node)
	if !ok {
		return line.Out{}, fault.New(fault.BadValue, e.Path, "%s shows what the journal holds; it is not for writing", e.Path)
	}
	return Read(e.Path, place, DefaultsOf(e.Run), e.File)
}

// Read makes content of a document that stands in a file of a book.
func Read(file string, p story.Place, defaults story.Settings, body []byte) (line.Out, error) {
	switch p.Kind {
	case story.KindSettings:
		v, err := story.DecodeSettings(file, body, defaults)
		return content(v, SchemaSettings, err)
	case story.KindWorld:
		v, err := story.Decode[story.WorldSetting](file, body)
		return content(v, SchemaWorld, err)
	case story.KindTheme:
		v, err := story.Decode[story.ThemeConflict](file, body)
		return content(v, SchemaTheme, err)
	case story.KindCharacters:
		v, err := story.Decode[story.CharactersConfig](file, body)
		return content(v, SchemaCharacters, err)
	case story.KindOutline:
		v, err := story.Decode[story.Outline](file, body)
		if err == nil {
			err = continuity.RefuseOutline(file, v)
		}
		return content(v, SchemaOutline, err)
	case story.KindScene:
		v, err := story.Decode[story.GeneratedScene](file, body)
		v.SceneNumber = p.Scene
		return content(v, SchemaScene, err)
	}
	return readOfChapter(file, p, body)
}

func readOfChapter(file string, p story.Place, body []byte) (line.Out, error) {
	switch p.Kind {
	case story.KindPlan:
		v, err := story.Decode[story.ChapterPlan](file, body)
		return content(numbered(v), SchemaPlan, firstOf(err, sameChapter(file, p.Chapter, v.ChapterNumber)))
	case story.KindChapter:
		v, err := story.Decode[story.GeneratedChapter](file, body)
		return content(v, SchemaText, firstOf(err, sameChapter(file, p.Chapter, v.ChapterNumber)))
	case story.KindReview:
		v, err := story.Decode[story.LogicReviewReport](file, body)
		return content(v, SchemaLogic, firstOf(err, sameChapter(file, p.Chapter, v.ChapterNumber)))
	case story.KindRevision:
		v, err := story.Decode[story.RevisionStatus](file, body)
		if v.ChapterNumber == 0 {
			v.ChapterNumber = p.Chapter
		}
		return content(v, SchemaRevision, firstOf(err, sameChapter(file, p.Chapter, v.ChapterNumber)))
	}
	return line.Out{}, fault.New(fault.BadValue, file, "%s shows what the journal holds; it is not for writing", file)
}

func sameChapter(file string, want, got int) error {
	if want == got {
		return nil
	}
	return fault.New(fault.BadValue, file, "%s: chapter_number is %d, and the file is of chapter %d", file, got, want)
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func content[T any](v T, schemaName string, err error) (line.Out, error) {
	if err != nil {
		return line.Out{}, err
	}
	body, err := story.Encode(v)
	return line.Out{Body: body, Schema: schemaName}, err
}

func sorted(list []int) []int {
	slices.Sort(list)
	return list
}
