package spec

import (
	"fmt"

	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/spec/ingest"
)

// IngestResult is the structured input of a pass: what ingest found, where, and the evidence of each piece.
type IngestResult struct {
	Title       string        `json:"title,omitempty"` // as a person gave it beside the input
	Found       ingest.Result `json:"found"`
	Paths       []string      `json:"paths"`        // beside the pieces: the field of the spec that each became
	EvidenceIDs []string      `json:"evidence_ids"` // beside the pieces, then beside the sources
}

// stepIngest reads what was given, without a model.
func stepIngest(in line.In) (line.Move, error) {
	w, err := read(in)
	if err != nil {
		return line.Move{}, err
	}
	given, ok := in.Input(w.place().Input())
	if err := w.needs(ok, "input"); err != nil {
		return line.Move{}, err
	}
	wish, err := readInput(given)
	if err != nil {
		return line.Move{}, err
	}
	found, err := ingest.Parse(wish.Sources)
	if err != nil {
		return line.Move{}, err
	}
	var base CanonicalSpec
	if w.base != nil {
		base = *w.base
	}
	doc := IngestResult{Title: clean(wish.Title), Found: found}
	base.Feature.Title = doc.title(base)
	_, doc.Paths = lay(base, found)
	r := doc.result()
	if want := w.numbers(false, len(r.evidence)); len(in.Numbers) < len(want) {
		return line.Move{Numbers: want[len(in.Numbers):]}, nil
	}
	for i := range r.evidence {
		doc.EvidenceIDs = append(doc.EvidenceIDs, ID(SeriesEvidence, in.Numbers[i]))
	}
	body, err := encode(doc)
	if err != nil {
		return line.Move{}, err
	}
	return w.done(IngestSchema, body, r, 0)
}

// title is the one a person gave, or the one that stands.
func (d IngestResult) title(base CanonicalSpec) string {
	if d.Title != "" {
		return d.Title
	}
	return base.Feature.Title
}

// result is the evidence of every piece that was kept, and of every source as a whole.
func (d IngestResult) result() result {
	r := result{decisions: []kernel.Decision{{Decision: "compile", NextStep: string(StepCompile),
		Reason: fmt.Sprintf("%d pieces found in %d sources", len(d.Found.Pieces), len(d.Found.Sources))}}}
	for i, p := range d.Found.Pieces {
		e := kernel.Evidence{Type: string(Quote), Ref: p.Span.Ref, Hash: p.Span.Digest, Excerpt: p.Span.Excerpt, Note: "written as " + string(p.Field)}
		if d.Paths[i] != "" {
			e.LinkedTo = append(e.LinkedTo, link(d.Paths[i]))
		}
		e.LinkedTo = append(e.LinkedTo, linkStep(StepIngest))
		r.evidence = append(r.evidence, e)
	}
	for _, s := range d.Found.Sources {
		r.evidence = append(r.evidence, kernel.Evidence{Type: string(FromDoc), Ref: s.Ref, Hash: s.Digest, Note: "the whole source",
			Excerpt: excerpt(fmt.Sprintf("%s: %d lines, %d bytes, %s", s.Name, s.Lines, s.Bytes, s.Encoding)), LinkedTo: []string{linkStep(StepIngest)}})
	}
	return r
}

// links are the evidence that a compile stands on.
func (d IngestResult) links() []EvidenceLink {
	var all []EvidenceLink
	for i, id := range d.EvidenceIDs {
		kind := Quote
		if i >= len(d.Found.Pieces) {
			kind = FromDoc
		}
		all = append(all, EvidenceLink{Type: kind, EvidenceID: id})
	}
	return all
}

// Material is what was written, for a model to read: pieces as they were recognised, then the rest, as far as it fits.
type Material struct {
	Language string   `json:"language"`
	Pieces   []Bit    `json:"pieces,omitempty"`
	Rest     []string `json:"rest,omitempty"`
	Cut      int      `json:"cut,omitempty"` // characters that did not fit
}

// Bit is one piece of it.
type Bit struct {
	Field string `json:"field"`
	Text  string `json:"text"`
}

// maxMaterial bounds what a model is shown of the input; what was recognised is in the spec in any case.
const maxMaterial = 60_000

func (d IngestResult) material() Material {
	m := Material{Language: string(d.Found.Language)}
	left := maxMaterial
	fits := func(text string) string {
		if len(text) > left {
			shown := cut(text, left)
			m.Cut += len(text) - len(shown)
			text = shown
		}
		left -= len(text)
		return text
	}
	for _, p := range d.Found.Pieces {
		if text := fits(p.Text); text != "" {
			m.Pieces = append(m.Pieces, Bit{string(p.Field), text})
		}
	}
	for _, p := range d.Found.Rest {
		if text := fits(p.Text); text != "" {
			m.Rest = append(m.Rest, text)
		}
	}
	return m
}
