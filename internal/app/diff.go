package app

import (
	"bytes"
	"context"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/textdiff"
)

// Comparison says what is to be compared. With a run alone, every file that does not show what is recorded.
type Comparison struct {
	Run     string
	From    string // a node, or a version of one: NODE@2
	To      string // likewise; empty: the newest version, or the one before it and the newest
	File    bool   // the other side is what the disk shows
	Context int    // lines around a change
}

// TextDiffDoc says how texts differ.
type TextDiffDoc struct {
	Run   string         `json:"run"`
	Same  bool           `json:"same"`
	Texts []TextDelta    `json:"texts"`
	Next  []fault.Action `json:"next_actions,omitempty"`
}

// TextDelta is how one text differs. A side that is not there has no digest.
type TextDelta struct {
	Name          string          `json:"name"` // of the node, its part or the file
	From          string          `json:"from"`
	To            string          `json:"to"`
	FromDigest    digest.Digest   `json:"from_digest,omitempty"`
	ToDigest      digest.Digest   `json:"to_digest,omitempty"`
	Same          bool            `json:"same"`
	Binary        bool            `json:"binary,omitempty"` // it is no text: only its digests are compared
	WordsDeleted  int             `json:"words_deleted"`
	WordsInserted int             `json:"words_inserted"`
	Hunks         []textdiff.Hunk `json:"hunks"`
}

// side is one of two texts.
type side struct {
	name  string
	body  []byte
	there bool
}

// Diff compares versions of a node with each other or with what the disk shows. It takes nothing over and changes nothing.
func (a *App) Diff(ctx context.Context, c Comparison) (TextDiffDoc, error) {
	id, err := a.resolve(ctx, c.Run)
	if err != nil {
		return TextDiffDoc{}, err
	}
	run, err := a.Engine.Load(ctx, id)
	if err != nil {
		return TextDiffDoc{}, err
	}
	d := TextDiffDoc{Run: string(id), Same: true, Texts: []TextDelta{}}
	switch {
	case c.From == "":
		err = a.diffEdits(ctx, run, c, &d)
	case c.File:
		err = a.diffFiles(ctx, run, c, &d)
	default:
		err = a.diffVersions(ctx, run, c, &d)
	}
	for _, t := range d.Texts {
		d.Same = d.Same && t.Same
	}
	return d, err
}

// diffEdits compares every file of a run that people changed.
func (a *App) diffEdits(ctx context.Context, run *kernel.Run, c Comparison, d *TextDiffDoc) error {
	edits, err := a.Engine.Files.Scan(ctx, string(run.ID()))
	if err != nil {
		return err
	}
	for _, e := range edits {
		was, err := a.recordedSide(ctx, e.Row)
		if err != nil {
			return err
		}
		d.Texts = append(d.Texts, delta(e.Row.Path, was, side{name: "the file on disk", body: e.Body, there: e.Digest != ""}, c.Context))
	}
	if len(edits) > 0 {
		d.Next = []fault.Action{{Action: "status", Command: "sluice status " + string(run.ID()), Why: "edits of working files are taken over as versions"}}
	}
	return nil
}

// recordedSide is what a path should show.
func (a *App) recordedSide(ctx context.Context, row journal.Checkout) (side, error) {
	if row.Removed {
		return side{name: "nothing"}, nil
	}
	body, err := a.Engine.Journal.Blob(ctx, row.Run, row.Seq, row.Digest)
	name := row.Version
	if name == "" {
		name = "the recorded state"
	}
	return side{name: name, body: body, there: true}, err
}

// diffFiles compares the files of one node with a version of it, or with what they should show.
func (a *App) diffFiles(ctx context.Context, run *kernel.Run, c Comparison, d *TextDiffDoc) error {
	if c.To != "" {
		return fault.New(fault.Usage, "--file", "--file compares one version with the disk; two are named").
			With(fault.Action{Action: "one version", Command: "sluice diff " + c.Run + " " + c.From + " --file"})
	}
	n, v, err := meantVersion(run, c.From)
	if err != nil {
		return err
	}
	l := a.lineOf(run)
	if l == nil || l.Files == nil {
		return noFiles(run, n)
	}
	for _, f := range l.Files(run, n) {
		if f.Loose || f.Version == nil {
			continue
		}
		t, ok, err := a.fileDelta(ctx, run, f, v, strings.Contains(c.From, "@"), c.Context)
		if err != nil {
			return err
		}
		if ok {
			d.Texts = append(d.Texts, t)
		}
	}
	if len(d.Texts) == 0 {
		return noFiles(run, n)
	}
	return nil
}

func noFiles(run *kernel.Run, n kernel.View) error {
	return fault.New(fault.NotFound, string(n.ID()), "node %s of run %s shows no file", n.ID(), run.ID()).
		With(fault.Action{Action: "versions", Command: "sluice diff " + string(run.ID()) + " " + string(n.ID()), Why: "it compares its versions"})
}

func (a *App) fileDelta(ctx context.Context, run *kernel.Run, f line.File, v *kernel.Version, exact bool, around int) (TextDelta, bool, error) {
	row, ok, err := a.Engine.Files.Checkout(ctx, f.Path)
	if err != nil || !ok || row.Removed || row.Run != string(run.ID()) {
		return TextDelta{}, false, err
	}
	was, err := a.recordedSide(ctx, row)
	if err == nil && exact && row.Version != string(v.ID) {
		was, err = a.versionSide(ctx, run, v, f.Part)
	}
	if err != nil {
		return TextDelta{}, false, err
	}
	shows := side{name: "the file on disk", there: true}
	if shows.body, err = a.Space.Read(f.Path); fault.CodeOf(err) == fault.NotFound {
		shows.there, err = false, nil
	}
	return delta(f.Path, was, shows, around), true, err
}

// diffVersions compares two versions, part by part where they are bundles.
func (a *App) diffVersions(ctx context.Context, run *kernel.Run, c Comparison, d *TextDiffDoc) error {
	n, to, err := meantVersion(run, c.From)
	if err != nil {
		return err
	}
	from := to
	switch {
	case c.To != "":
		if _, to, err = meantVersion(run, c.To); err != nil {
			return err
		}
	case strings.Contains(c.From, "@"):
		to = n.Newest()
	default:
		if from = before(n, to); from == nil {
			return fault.New(fault.UnknownVersion, string(n.ID()), "node %s has one version; there is nothing before it", n.ID()).
				With(fault.Action{Action: "file", Command: "sluice diff " + c.Run + " " + string(n.ID()) + " --file", Why: "it compares with the file on disk"})
		}
	}
	for _, part := range partsOf(from, to) {
		was, err := a.versionSide(ctx, run, from, part)
		if err != nil {
			return err
		}
		is, err := a.versionSide(ctx, run, to, part)
		if err != nil {
			return err
		}
		name := string(to.Node)
		if part != "" {
			name = path.Join(name, part)
		}
		if t := delta(name, was, is, c.Context); part == "" || !t.Same {
			d.Texts = append(d.Texts, t)
		}
	}
	return nil
}

// before is the version that came before another.
func before(n kernel.View, v *kernel.Version) *kernel.Version {
	var last *kernel.Version
	for _, o := range n.Versions() {
		if o.N < v.N && (last == nil || o.N > last.N) {
			last = o
		}
	}
	return last
}

// partsOf names what is to be compared: the parts of both bundles, or the content as a whole, which is "".
func partsOf(from, to *kernel.Version) []string {
	if len(from.Parts) == 0 || len(to.Parts) == 0 {
		return []string{""}
	}
	var all []string
	seen := map[string]bool{}
	for _, v := range []*kernel.Version{from, to} {
		for _, p := range v.Parts {
			if !seen[p.Path] {
				seen[p.Path] = true
				all = append(all, p.Path)
			}
		}
	}
	return all
}

// versionSide is the content of a version, or of one part of it.
func (a *App) versionSide(ctx context.Context, run *kernel.Run, v *kernel.Version, part string) (side, error) {
	d := v.Digest
	if part != "" {
		d = ""
		for _, p := range v.Parts {
			if p.Path == part {
				d = p.Digest
			}
		}
	}
	if d == "" {
		return side{name: string(v.ID)}, nil
	}
	body, err := a.Engine.Journal.Blob(ctx, string(run.ID()), v.Seq, d)
	return side{name: string(v.ID), body: body, there: true}, err
}

// meantVersion reads NODE, which is its newest version, or NODE@N.
func meantVersion(run *kernel.Run, name string) (kernel.View, *kernel.Version, error) {
	id, number, exact := name, "", false
	if i := strings.LastIndexByte(name, '@'); i >= 0 {
		id, number, exact = name[:i], name[i+1:], true
	}
	status := fault.Action{Action: "status", Command: "sluice status " + string(run.ID()), Why: "it lists nodes and versions"}
	n, ok := run.Node(kernel.NodeID(id))
	if !ok {
		return n, nil, fault.New(fault.UnknownNode, id, "run %s has no node %s", run.ID(), id).With(status)
	}
	if !exact {
		if v := n.Newest(); v != nil {
			return n, v, nil
		}
		return n, nil, fault.New(fault.UnknownVersion, id, "node %s has no version yet", id).With(status)
	}
	want, err := strconv.Atoi(strings.TrimPrefix(number, "v"))
	for _, v := range n.Versions() {
		if err == nil && v.N == want {
			return n, v, nil
		}
	}
	return n, nil, fault.New(fault.UnknownVersion, name, "node %s has no version %s; it has %d", id, number, len(n.Versions())).With(status)
}

// delta compares two sides.
func delta(name string, from, to side, around int) TextDelta {
	t := TextDelta{Name: name, From: from.name, To: to.name, Hunks: []textdiff.Hunk{}}
	if from.there {
		t.FromDigest = digest.Of(from.body)
	}
	if to.there {
		t.ToDigest = digest.Of(to.body)
	}
	t.Same = from.there == to.there && t.FromDigest == t.ToDigest
	t.Binary = isBinary(from.body) || isBinary(to.body)
	if t.Same || t.Binary {
		return t
	}
	edits := textdiff.Words(string(from.body), string(to.body))
	t.WordsDeleted, t.WordsInserted = textdiff.Changed(edits)
	if h := textdiff.Hunks(edits, around); h != nil {
		t.Hunks = h
	}
	return t
}

func isBinary(body []byte) bool { return bytes.IndexByte(body, 0) >= 0 || !utf8.Valid(body) }
