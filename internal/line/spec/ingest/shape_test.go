package ingest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/digest"
	"sluice/internal/fault"
)

// said lists what a result holds as "field: text" or "speaker> text".
func said(r Result) []string {
	var all []string
	for _, list := range [][]Piece{r.Pieces, r.Rest} {
		for _, p := range list {
			who := string(p.Field)
			if p.Speaker != "" {
				who += " " + p.Speaker
			}
			all = append(all, who+": "+p.Text)
		}
	}
	return all
}

func TestChatsOfManyPrograms(t *testing.T) {
	want := []string{"goal Ann: export with one click", "text Bob: when?"}
	for name, text := range map[string]string{
		"names":             "Ann: Goal: export with one click\nBob: when?\n",
		"wide colons":       "Ann：Goal: export with one click\nBob：when?",
		"bold names":        "**Ann:** Goal: export with one click\n\n**Bob**: when?",
		"angle brackets":    "<Ann> Goal: export with one click\n<Bob> when?",
		"time first":        "10:05 Ann: Goal: export with one click\n10:06 Bob: when?",
		"time in brackets":  "[10:05] Ann: Goal: export with one click\n[10:06] Bob: when?",
		"date and time":     "[2026-01-13T10:05:01Z] Ann: Goal: export with one click\n[2026-01-13T10:06:01Z] Bob: when?",
		"dashes":            "13.01.2026, 10:05 - Ann: Goal: export with one click\n13.01.2026, 10:06 - Bob: when?",
		"slashes, pm":       "[1/13/26, 10:05:01 PM] Ann: Goal: export with one click\r\n[1/13/26, 10:06:01 PM] Bob: when?\r\n",
		"time after a name": "Ann [10:05]: Goal: export with one click\nBob (10:06): when?",
		"own line":          "Ann  10:05 AM\nGoal: export with one click\n\nBob  10:06 AM\nwhen?",
		"own line, date":    "Ann, [13.01.2026 10:05]\nGoal: export with one click\n\nBob, [13.01.2026 10:06]\nwhen?",
		"Chinese date":      "Ann 2026年1月13日 10:05\nGoal: export with one click\nBob 2026年1月13日 10:06\nwhen?",
		"time above":        "2026-01-13 10:05:01 Ann\nGoal: export with one click\n2026-01-13 10:06:01 Bob\nwhen?",
		"irc":               "10:05 <Ann> Goal: export with one click\n10:06 <Bob> when?",
	} {
		t.Run(name, func(t *testing.T) {
			r := mustParse(t, Source{Name: "c", Body: []byte(text)})
			if r.Sources[0].Shape != Chat || r.Sources[0].Ref != "chat://c" {
				t.Errorf("shape %s, ref %s", r.Sources[0].Shape, r.Sources[0].Ref)
			}
			if diff := cmp.Diff(want, said(r)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDocumentsThatLookLikeChats(t *testing.T) {
	for name, text := range map[string]string{
		"properties":       "Owner: Ann\nDue: May\nPriority: high\nTeam: reports\n",
		"sections":         "## Goal\nAnn: export\nBob: import\n",
		"labels":           "Goal: export any report\nBackground: by hand today\n",
		"addresses":        "https://example.org/a\nhttps://example.org/b\n",
		"one colon":        "Please note: this is one sentence of somebody.",
		"numbered lines":   "AC-1: one\nAC-2: two\nAC-3: three",
		"list of sentence": "- Ann: does this\n- Bob: does that",
	} {
		t.Run(name, func(t *testing.T) {
			if r := mustParse(t, Source{Name: "d", Body: []byte(text)}); r.Sources[0].Shape == Chat {
				t.Errorf("a chat: %v", said(r))
			}
		})
	}
}

func TestLines(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"criterion without a section": {"words\n\nAC-1: a\nAC2. b\n**AC-3** c\n[AC-4] d", []string{
			"criterion: a", "criterion: b", "criterion: c", "criterion: d", "text: words"}},
		"numbers that are none":    {"## Acceptance criteria\n-5 degrees hold\n1.5 seconds are enough", []string{"criterion: -5 degrees hold\n1.5 seconds are enough"}},
		"label with a list after":  {"Non-goals:\n\n- a\n- b\n\nMore words.", []string{"non_goal: a", "non_goal: b", "text: More words."}},
		"label in bold":            {"**Goal:** make it so\n\n**Цель**: сделать", []string{"goal: make it so", "goal: сделать"}},
		"label as an item":         {"- Goal: make it so\n- Title: It", []string{"goal: make it so", "title: It"}},
		"heading with words":       {"# Feature: Export\n## Goal: one click", []string{"title: Export", "goal: one click"}},
		"two languages":            {"## Goal / 目标\na\n## 验收标准（AC）\n- b", []string{"goal: a", "criterion: b"}},
		"emphasis around headings": {"## **Цели**\nа\n## 🎯 Критерии приёмки:\n* б", []string{"goal: а", "criterion: б"}},
		"goal as a list stays one": {"## Goals\n- a\n- b\n\n## Else\nc", []string{"goal: - a\n- b", "text: ## Else\nc"}},
		"only the name":            {"## Goal\n\n## Acceptance criteria\n", []string{}},
		"a story in a list":        {"- As a user, I want a\n- other", []string{"story: As a user, I want a", "text: - other"}},
		"quoted criteria are not":  {"## Acceptance criteria\n> said before\n- a", []string{"criterion: a", "text: > said before"}},
		"a number without words":   {"AC-1:\n\nwords", []string{"text: words"}},
		"carriage returns":         {"# T\r\r## Goal\ra\rb", []string{"title: T", "goal: a\rb"}},
		"table of criteria":        {"| ID | Criterion |\n|---|---|\n| AC-1 | a word finds it |\n| AC-2 | none is told |", []string{"criterion: a word finds it", "criterion: none is told"}},
		"full table row missing":   {"## Tasks\n| Task | Type |\n|---|---|\n| a |\n||\n| b | dev |", []string{"task: a", "task: b"}},
		"code inside an item":      {"## Acceptance criteria\n- a\n  ```\n  ## Goal\n  ```\n- b", []string{"criterion: a\n  ```\n  ## Goal\n  ```", "criterion: b"}},
		"unclosed code":            {"words\n```\n## Goal\nx", []string{"text: words\n```\n## Goal\nx"}},
		"an outline of labels":     {"* Goal: x is done\n* Non-goals:\n  * a\n  * b\n* Acceptance criteria:\n  * c\n\nwords", []string{"goal: x is done", "non_goal: a", "non_goal: b", "criterion: c", "text: words"}},
		"bold headings":            {"**Background**\n\nText.\n\n**Acceptance Criteria**\n\n- a\n\n**Notes**\n\nother", []string{"background: Text.", "criterion: a", "text: **Notes**\n\nother"}},
		"nothing written yet":      {"## Goal\nTBD\n## Acceptance criteria\n- [ ] TODO\n- ...\n- 待定\n- a", []string{"criterion: a", "text: TBD", "text: TODO", "text: ...", "text: 待定"}},
		"a chat below its name":    {"general\nAnn  10:05 AM\nwe need it\nBob  10:06 AM\nwhen?", []string{"text: general", "text Ann: we need it", "text Bob: when?"}},
		"second title is text":     {"# A\n\n# B\nx", []string{"title: A", "text: # B\nx"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Parse([]Source{{Name: "d", Body: []byte(c.text)}})
			if err != nil && len(c.want) > 0 {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, append([]string{}, said(r)...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSeveralSources(t *testing.T) {
	sources := []Source{
		{Name: "text", Body: []byte("Make the export quick.")},
		{Name: "a.md", Body: []byte("# Export\n## Goal\nExport within ten seconds")},
		{Name: "a.md", Body: []byte("AC-1: one\n")},
		{Name: "c d#1.txt", Body: []byte("Ann: hello\nBob: hello")},
	}
	r := mustParse(t, sources...)
	checkSpans(t, r, sources...)
	want := []string{"title: Export", "goal: Export within ten seconds", "criterion: one", "text: Make the export quick.",
		"text Ann: hello", "text Bob: hello"}
	if diff := cmp.Diff(want, said(r)); diff != "" {
		t.Error(diff)
	}
	var refs []string
	for _, d := range r.Sources {
		refs = append(refs, d.Ref)
	}
	if diff := cmp.Diff([]string{"doc://text", "doc://a.md", "doc://a.md~2", "chat://c%20d%231.txt"}, refs); diff != "" {
		t.Error(diff)
	}
	if got := r.Pieces[2].Span; got.Ref != "doc://a.md~2#L1-L1" || got.Source != 2 || got.Digest != digest.Of([]byte("one")) {
		t.Errorf("span %+v", got)
	}
	if p, ok := r.First(Goal); !ok || p.Text != "Export within ten seconds" || len(r.All(Criterion)) != 1 {
		t.Errorf("first goal %+v", p)
	}
}

func wide(order binary.ByteOrder, text string) []byte {
	var b bytes.Buffer
	for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
		_ = binary.Write(&b, order, u)
	}
	return b.Bytes()
}

func TestEncodings(t *testing.T) {
	text := "# Экспорт 导出 😀\n\n## Цель\nодин клик"
	for encoding, body := range map[string][]byte{
		"utf-8": []byte("\ufeff" + text), "utf-16le": wide(binary.LittleEndian, text), "utf-16be": wide(binary.BigEndian, text),
	} {
		src := Source{Name: "d", Body: body}
		r := mustParse(t, src)
		checkSpans(t, r, src)
		if diff := cmp.Diff([]string{"title: Экспорт 导出 😀", "goal: один клик"}, said(r)); diff != "" || r.Sources[0].Encoding != encoding {
			t.Errorf("%s, read as %s: %s", encoding, r.Sources[0].Encoding, diff)
		}
	}
}

func TestWhatIsNoText(t *testing.T) {
	cp1251 := []byte{0xd6, 0xe5, 0xeb, 0xfc, 0x3a, 0x20, 0xfd, 0xea, 0xf1, 0xef, 0xee, 0xf0, 0xf2, 0x20, 0xee, 0xf2, 0xf7, 0xe5, 0xf2, 0xee, 0xe2}
	gbk := []byte{0xc4, 0xbf, 0xb1, 0xea, 0xa3, 0xba, 0xb5, 0xbc, 0xb3, 0xf6, 0xb1, 0xa8, 0xb1, 0xed, 0xb9, 0xa6, 0xc4, 0xdc}
	for name, c := range map[string]struct {
		body          []byte
		message, next string
	}{
		"nothing":           {nil, "nothing is written in what was given; a sentence is enough", `sluice spec new "TEXT"`},
		"spaces":            {[]byte(" \n\t\n"), "nothing is written in what was given; a sentence is enough", `sluice spec new "TEXT"`},
		"a NUL byte":        {[]byte("some words\nand\x00more"), "f holds a NUL byte at 14 (line 2); text has none", "tr -d '\\000' < FILE > FILE.txt"},
		"UTF-16, no mark":   {wide(binary.LittleEndian, "plain words of ours")[2:], "f looks like UTF-16 text without its byte order mark; UTF-8, or UTF-16 with its byte order mark, is needed", "iconv -f UTF-16LE -t UTF-8 FILE > FILE.utf8"},
		"UTF-16, cut":       {[]byte{0xff, 0xfe, 'a'}, "f is UTF-16LE text cut in the middle of a character", ""},
		"UTF-16, broken":    {[]byte{0xfe, 0xff, 0xd8, 0x00, 0x00, 'a'}, "f is broken UTF-16BE text: byte 2 is half of a character", ""},
		"UTF-32":            {[]byte{0xff, 0xfe, 0, 0, 'a', 0, 0, 0}, "f is UTF-32 text; UTF-8, or UTF-16 with its byte order mark, is needed", "iconv -f UTF-32 -t UTF-8 FILE > FILE.utf8"},
		"Windows-1251":      {cp1251, "f is not UTF-8 text: byte 0 (line 1) is 0xd6; UTF-8, or UTF-16 with its byte order mark, is needed", "iconv -f WINDOWS-1251 -t UTF-8 FILE > FILE.utf8"},
		"GBK":               {gbk, "f is not UTF-8 text: byte 2 (line 1) is 0xb1; UTF-8, or UTF-16 with its byte order mark, is needed", "iconv -f GB18030 -t UTF-8 FILE > FILE.utf8"},
		"broken UTF-8":      {[]byte("good words and a long text before it \xe4\xb8 cut"), "f is not UTF-8 text: byte 37 (line 1) is 0xe4; UTF-8, or UTF-16 with its byte order mark, is needed", ""},
		"a PDF":             {[]byte("%PDF-1.7\n"), "f is a PDF file; text is needed", ""},
		"a Word document":   {[]byte("PK\x03\x04rest"), "f is a zip archive (docx, xlsx and pptx are such); text is needed", ""},
		"too many pieces":   {[]byte("## Tasks\n" + strings.Repeat("- a\n", MaxPieces+1)), "f states 2001 separate requirements with those before it; at most 2000 are read", "sluice spec new -f PART"},
		"more than is read": {bytes.Repeat([]byte("a"), MaxBytes+1), "the sources hold 16777217 bytes together; at most 16777216 are read", "sluice spec new -f PART"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]Source{{Name: "f", Body: c.body}})
			f := fault.From(err)
			if f == nil || f.Code != fault.BadValue || f.Message != c.message {
				t.Fatalf("refusal: %v", err)
			}
			if len(f.Next) == 0 || f.Next[0].Command != c.next {
				t.Errorf("next: %+v, want %s", f.Next, c.next)
			}
		})
	}
}

func TestExcerpts(t *testing.T) {
	for _, n := range []int{1, 499, 500, 501, 5000} {
		got := excerpt(strings.Repeat("导", n))
		if runes := utf8.RuneCountInString(got); runes != min(n, 500) || n > 500 != strings.HasSuffix(got, "…") {
			t.Errorf("excerpt of %d characters has %d", n, runes)
		}
	}
}

func TestEveryWordCanBeFound(t *testing.T) {
	for _, words := range [][]string{slices.Collect(maps.Keys(sectionWords)), slices.Collect(maps.Keys(partWords))} {
		for _, w := range words {
			if plain(w) != w {
				t.Errorf("%q cannot be found: it is looked up as %q", w, plain(w))
			}
		}
	}
}

// TestTimeGrowsWithTheText reads hostile and large texts; each must be done in far less than the seconds that anything
// quadratic would need.
func TestTimeGrowsWithTheText(t *testing.T) {
	const size = 1 << 20
	fill := func(unit string, n int) string { return strings.Repeat(unit, n/len(unit)) }
	for name, text := range map[string]string{
		"document":        "# T\n## Goal\nexport\n## Notes\n" + fill("words of a long document, line by line\n", 5<<20),
		"one line":        fill("word ", 1<<20),
		"one line, bars":  "|a|b|\n|-|-|\n" + fill("|", 1<<20),
		"one item":        "## Acceptance criteria\n- a\n" + fill("  - nested\n", size),
		"hints":           "## Acceptance criteria\n- a\n" + fill("  test: x\n", size),
		"hints in items":  "## Acceptance criteria\n- a\n" + fill("  - test: x\n  - y\n", size),
		"stars":           fill("*", 1<<20) + "\n" + fill("**", 1<<20),
		"brackets":        "AC-1: " + fill("(test: ", 1<<20) + ")",
		"newlines":        "a" + fill("\n", size),
		"headings":        "a\n" + fill("# Goal\n", size),
		"speakers":        fill("Ann: a\nBob: b\n", size),
		"digits":          fill("1", 1<<20) + "\n" + fill("10:05 ", 1<<20),
		"colons":          fill(":", 1<<20),
		"underlined":      fill("a\n---\n", size),
		"fences":          fill("```\n", size),
		"comments":        fill("<!--\n", size),
		"front matter":    "---\n" + fill("title: a\n", size),
		"Chinese numbers": fill("一", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			src := Source{Name: "d", Body: []byte(text)}
			r, err := Parse([]Source{src})
			took := time.Since(began)
			if err == nil {
				checkExtents(t, r, text)
			}
			t.Logf("%d bytes, %v, %d pieces", len(text), took, len(r.Pieces))
			if took > 5*time.Second {
				t.Errorf("%d bytes took %v", len(text), took)
			}
		})
	}
}

func checkExtents(t *testing.T, r Result, text string) {
	t.Helper()
	for _, list := range [][]Piece{r.Pieces, r.Rest} {
		for _, p := range list {
			if text[p.Span.Start:p.Span.End] != p.Text {
				t.Fatalf("span %+v is not its text", p.Span)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"## Goal\na", "Ann: a\nBob: b", "| a | b |\n|-|-|\n| Goal | x |", "AC-1: a (test: b)", "---\ntitle: x\n---\n",
		"【目标】一\r\n作为用户，我希望", "- [ ] T-1：x\n  测试：y", "a\n===\nb\n---\n```\nx", "10:05 <Ann> Goal:\n10:06 <Ann> x"} {
		f.Add([]byte(seed), []byte("Goal: b"))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		sources := []Source{{Name: "a", Body: a}, {Name: "a", Body: b}}
		r, err := Parse(sources)
		if err != nil {
			if fault.CodeOf(err) != fault.BadValue {
				t.Fatal(err)
			}
			return
		}
		checkSpans(t, r, sources...)
		for _, p := range append(r.Pieces, r.Rest...) {
			s := p.Span
			if digest.Of([]byte(p.Text)) != s.Digest || utf8.RuneCountInString(s.Excerpt) > maxExcerpt || s.FirstLine < 1 ||
				s.LastLine < s.FirstLine || s.LastLine > r.Sources[s.Source].Lines {
				t.Fatalf("span %+v of %q", s, p.Text)
			}
			if !strings.HasSuffix(s.Ref, fmt.Sprintf("#L%d-L%d", s.FirstLine, s.LastLine)) {
				t.Fatalf("ref %s", s.Ref)
			}
		}
		again, err := Parse(sources)
		if diff := cmp.Diff(r, again); diff != "" || err != nil {
			t.Fatal(err, diff)
		}
	})
}
