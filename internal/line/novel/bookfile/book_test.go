package bookfile

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/png"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/fault"
	"sluice/internal/golden"
	"sluice/internal/line/novel/story"
)

var modified = time.Date(2025, 3, 9, 17, 4, 5, 600, time.FixedZone("east", 3*3600))

func chapter(number int, title string, scenes ...string) story.GeneratedChapter {
	c := story.GeneratedChapter{ChapterNumber: number, ChapterTitle: title}
	for i, s := range scenes {
		c.Scenes = append(c.Scenes, story.GeneratedScene{SceneNumber: i + 1, Content: s, WordCount: story.Words(s)})
		c.TotalWords += story.Words(s)
	}
	return c
}

// books are whole small books in three languages.
func books(t *testing.T) map[string]Book {
	t.Helper()
	return map[string]Book{
		"zh": {Project: "归来", Title: "归来记", Author: "无名氏", Language: "zh-Hans", Modified: modified, Rehearsal: true, Chapters: []story.GeneratedChapter{
			chapter(110, "雪夜", "　　雪下了一整夜。\n\n林峰推开门，说：“走吧。”", "天亮了。"),
			chapter(1, "第一章：启程", "他出发了。\r\n路很长。"),
		}},
		"ru": {Project: "дом-у-моря", Author: "А. Н. Оним", Language: "ru", Modified: modified, Chapters: []story.GeneratedChapter{
			chapter(1, "Глава 1. Письмо", "— Пора, — сказала Анна.\n- Куда?\n1. Не счёт.", "Море молчало."),
			chapter(2, "", "***\nНочь.\n* * *\n* * *\nУтро.\n---"),
		}},
		"en": {Project: "the-tower", Title: "The Tower & <Other> \"Stories\"", Author: "N. O. Body", Language: "en-GB", Modified: modified, Cover: picture(t),
			Chapters: []story.GeneratedChapter{
				chapter(1, "Arrival", "It was late. _Very_ late.\n# Not a heading\n]]> <script>alert('x')</script> &amp; &#65; R&D\x00\x1b[31m\u202Egnitirw\u202C\uFEFF\uFFFE"),
				chapter(2, "1984", strings.Repeat("A very long paragraph that goes on and on. ", 60)+"\n"+strings.Repeat(strings.Repeat("Word after word. ", 30)+"\n", 500)),
			}},
	}
}

func picture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 60, 80))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func mustRender(t *testing.T, b Book, f Format) []byte {
	t.Helper()
	body, err := Render(b, f)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func TestTextAndMarkdown(t *testing.T) {
	for name, b := range books(t) {
		if name == "en" { // too long to read
			b.Chapters = b.Chapters[:1]
		}
		golden.Check(t, name+".txt", string(mustRender(t, b, Text)))
		golden.Check(t, name+".md", string(mustRender(t, b, Markdown)))
		golden.Check(t, name+".json", string(mustRender(t, b, JSON)))
	}
}

func TestSameBookSameBytes(t *testing.T) {
	for name, b := range books(t) {
		for _, f := range Formats() {
			if !bytes.Equal(mustRender(t, b, f), mustRender(t, b, f)) {
				t.Errorf("%s as %s differs from itself", name, f)
			}
		}
	}
}

// unzip gives the files of an EPUB and proves that its XML is well formed.
func unzip(t *testing.T, body []byte) (names []string, files map[string]string) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	files = make(map[string]string)
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		names, files[f.Name] = append(names, f.Name), string(text)
		if strings.HasSuffix(f.Name, "html") || strings.HasSuffix(f.Name, ".opf") || strings.HasSuffix(f.Name, ".ncx") {
			mustParse(t, f.Name, text)
		}
	}
	return names, files
}

func mustParse(t *testing.T, name string, text []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}

func TestEPUB(t *testing.T) {
	b := books(t)["en"]
	body := mustRender(t, b, EPUB)
	if got := string(body[30:58]); got != "mimetype"+mimetype {
		t.Errorf("the archive begins with %q", got)
	}
	names, files := unzip(t, body)
	want := []string{"mimetype", "META-INF/container.xml", "OEBPS/content.opf", "OEBPS/nav.xhtml", "OEBPS/toc.ncx", "OEBPS/style.css",
		"OEBPS/cover.png", "OEBPS/cover.xhtml", "OEBPS/title.xhtml", "OEBPS/chapter-0001.xhtml", "OEBPS/chapter-0002.xhtml", "OEBPS/chapter-0002-2.xhtml"}
	if diff := cmp.Diff(want, names[:len(want)]); diff != "" {
		t.Error(diff)
	}
	for file, parts := range map[string][]string{
		"OEBPS/content.opf": {`<dc:language>en-GB</dc:language>`, `>2025-03-09T14:04:05Z<`, `<dc:title>The Tower &amp; &lt;Other&gt; &quot;Stories&quot;</dc:title>`, `properties="cover-image"`},
		"OEBPS/chapter-0001.xhtml": {`<h1>Chapter 1: Arrival</h1>`, `xml:lang="en-GB"`,
			`<p>]]&gt; &lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp;amp; &amp;#65; R&amp;D[31mgnitirw</p>`},
		"OEBPS/chapter-0002.xhtml": {`<h1>Chapter 2: 1984</h1>`},
		"OEBPS/nav.xhtml":          {`<a href="chapter-0002.xhtml">Chapter 2: 1984</a>`},
	} {
		for _, part := range parts {
			if !strings.Contains(files[file], part) {
				t.Errorf("%s lacks %s", file, part)
			}
		}
	}
	if strings.Contains(files["OEBPS/nav.xhtml"], "chapter-0002-2") {
		t.Error("the contents point into the middle of a chapter")
	}
	for name, text := range files {
		if len(text) > maxPage+maxPage/2 {
			t.Errorf("%s has %d bytes", name, len(text))
		}
	}
}

func TestRightToLeft(t *testing.T) {
	_, files := unzip(t, mustRender(t, Book{Project: "bayit", Title: "הבית", Language: "he", Chapters: []story.GeneratedChapter{chapter(1, "לילה", "היה לילה.")}}, EPUB))
	for file, part := range map[string]string{"OEBPS/content.opf": `<spine toc="ncx" page-progression-direction="rtl">`, "OEBPS/chapter-0001.xhtml": `lang="he" dir="rtl">`} {
		if !strings.Contains(files[file], part) {
			t.Errorf("%s lacks %s:\n%s", file, part, files[file])
		}
	}
}

func TestIdentifierStaysWithTheProject(t *testing.T) {
	if a, b := identifier("Мой-Дом"), identifier("мой-дом"); a != b || len(a) != len("urn:uuid:")+36 || a[len("urn:uuid:")+14] != '5' {
		t.Errorf("identifiers %s and %s", a, b)
	}
	if identifier("a") == identifier("b") {
		t.Error("two projects share an identifier")
	}
}

func TestRefusals(t *testing.T) {
	one := []story.GeneratedChapter{chapter(1, "x", "y")}
	for name, tc := range map[string]struct {
		book Book
		f    Format
		code fault.Code
	}{
		"no chapters":     {Book{Project: "p"}, Text, fault.MissingPrerequisite},
		"unknown format":  {Book{Project: "p", Chapters: one}, "pdf", fault.BadValue},
		"cover is a GIF":  {Book{Project: "p", Chapters: one, Cover: []byte("GIF89a")}, EPUB, fault.BadValue},
		"cover is broken": {Book{Project: "p", Chapters: one, Cover: []byte("\x89PNG\r\n\x1a\nxx")}, EPUB, fault.BadValue},
	} {
		if _, err := Render(tc.book, tc.f); fault.CodeOf(err) != tc.code {
			t.Errorf("%s: got %v, want %s", name, err, tc.code)
		}
	}
	if _, err := ParseFormat("doc"); fault.CodeOf(err) != fault.BadValue {
		t.Errorf("format doc: %v", err)
	}
}

func TestRenderLeavesTheBookAlone(t *testing.T) {
	b := books(t)["zh"]
	before := append([]story.GeneratedChapter(nil), b.Chapters...)
	for _, f := range Formats() {
		mustRender(t, b, f)
	}
	if diff := cmp.Diff(before, b.Chapters); diff != "" {
		t.Error(diff)
	}
}

func FuzzRender(f *testing.F) {
	f.Add("t", "a", "en", 1, "one\ntwo")
	f.Add("]]>", "<b>", "zh-Hant", 110, "\x00\u202e*\n---\n</p>")
	f.Add("", "", "x y", -1, "")
	f.Fuzz(func(t *testing.T, title, author, tag string, number int, text string) {
		b := Book{Project: "p", Title: title, Author: author, Language: tag, Rehearsal: true, Chapters: []story.GeneratedChapter{chapter(number, title, text, text)}}
		unzip(t, mustRender(t, b, EPUB))
		for _, format := range []Format{Text, Markdown} {
			if out := mustRender(t, b, format); !utf8.Valid(out) || bytes.ContainsAny(out, "\x00\x1b\r\u202e") {
				t.Errorf("%s holds what it must not: %q", format, out)
			}
		}
	})
}
