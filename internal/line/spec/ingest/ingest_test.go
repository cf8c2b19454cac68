package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/internal/golden"
)

func mustParse(t *testing.T, sources ...Source) Result {
	t.Helper()
	r, err := Parse(sources)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// render prints a result as a person reads it.
func render(r Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "language %s\n", r.Language)
	for _, d := range r.Sources {
		fmt.Fprintf(&b, "source %s %s %s %d lines %d bytes\n", d.Ref, d.Shape, d.Encoding, d.Lines, d.Bytes)
	}
	show := func(p Piece) {
		fmt.Fprintf(&b, "%-10s L%d-L%d", p.Field, p.Span.FirstLine, p.Span.LastLine)
		if p.Label != "" {
			fmt.Fprintf(&b, " [%s]", p.Label)
		}
		if p.Speaker != "" {
			fmt.Fprintf(&b, " <%s>", p.Speaker)
		}
		if p.Implied {
			b.WriteString(" implied")
		}
		fmt.Fprintf(&b, " %q\n", p.Text)
		for _, part := range p.Parts {
			fmt.Fprintf(&b, "    %s L%d-L%d %q\n", part.Name, part.Span.FirstLine, part.Span.LastLine, part.Text)
		}
	}
	for _, p := range r.Pieces {
		show(p)
	}
	for _, p := range r.Rest {
		show(p)
	}
	return b.String()
}

func TestInputsAsPeopleWriteThem(t *testing.T) {
	files, err := filepath.Glob("testdata/in/*")
	if err != nil || len(files) == 0 {
		t.Fatal(err, len(files))
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			src := Source{Name: name, Body: body}
			r := mustParse(t, src)
			checkSpans(t, r, src)
			golden.Check(t, name+".golden", render(r))
		})
	}
}

// checkSpans holds every piece to its source.
func checkSpans(t *testing.T, r Result, sources ...Source) {
	t.Helper()
	check := func(text string, s Span) {
		whole, _, err := Decode(sources[s.Source])
		if err != nil {
			t.Fatal(err)
		}
		if s.Start < 0 || s.End > len(whole) || s.Start >= s.End || whole[s.Start:s.End] != text {
			t.Fatalf("span %d-%d of %s is not %q", s.Start, s.End, s.Ref, text)
		}
	}
	for _, list := range [][]Piece{r.Pieces, r.Rest} {
		for _, p := range list {
			check(p.Text, p.Span)
			for _, part := range p.Parts {
				check(part.Text, part.Span)
			}
		}
	}
}
