package bookfile

import (
	"fmt"
	"strings"

	"sluice/internal/line/novel/story"
)

// maxPage is the size at which a chapter goes on in another file: old readers give up on larger ones.
const maxPage = 200 << 10

// page is one file of a chapter.
type page struct {
	id, file string
	title    string // the chapter's heading
	isFirst  bool   // the contents point here
	body     string // what stands inside body
}

// escape makes text mean itself in XML.
func escape(s string) string { return escaper.Replace(s) }

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// pagesOf writes a chapter. Files are named by where a chapter stands in the book, not by what it says of itself.
func pagesOf(at int, c story.GeneratedChapter, t tongue, isRehearsed bool) []page {
	heading := t.heading(c.ChapterNumber, c.ChapterTitle)
	var out []page
	var b strings.Builder
	begin := func() {
		b.Reset()
		b.WriteString("<section epub:type=\"chapter\">\n")
	}
	end := func() {
		id := fmt.Sprintf("chapter-%04d", at)
		if len(out) > 0 {
			id += fmt.Sprintf("-%d", len(out)+1)
		}
		b.WriteString("</section>\n")
		out = append(out, page{id: id, file: id + ".xhtml", title: heading, isFirst: len(out) == 0, body: b.String()})
	}
	begin()
	b.WriteString("<h1>" + escape(heading) + "</h1>\n")
	if isRehearsed {
		b.WriteString("<p class=\"rehearsal\">" + escape(t.rehearsal) + "</p>\n")
	}
	class := ` class="first"`
	for _, p := range blocks(c) {
		if p.isBreak() {
			b.WriteString("<hr class=\"scene\"/>\n")
			class = ` class="first"`
			continue
		}
		if b.Len() > maxPage {
			end()
			begin()
		}
		b.WriteString("<p" + class + ">" + escape(p.text) + "</p>\n")
		class = ""
	}
	end()
	return out
}

// xhtml is a whole content document around what stands in its body.
func (v volume) xhtml(title, bodyType, body string) string {
	tag, dir := escape(v.tag), ""
	if v.isRightward {
		dir = ` dir="rtl"`
	}
	if bodyType != "" {
		bodyType = ` epub:type="` + bodyType + `"`
	}
	return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" xml:lang="` + tag + `" lang="` + tag + `"` + dir + `>
<head>
<title>` + escape(title) + `</title>
<link rel="stylesheet" type="text/css" href="style.css"/>
</head>
<body` + bodyType + `>
` + body + `</body>
</html>
`
}

func (v volume) titlePage() string {
	var b strings.Builder
	b.WriteString("<section epub:type=\"titlepage\" class=\"title\">\n<h1>" + escape(v.Title) + "</h1>\n")
	if v.Author != "" {
		b.WriteString("<p class=\"author\">" + escape(v.vocabulary.author+v.Author) + "</p>\n")
	}
	if label := v.label(v.tongue); label != "" {
		b.WriteString("<p class=\"rehearsal\">" + escape(label) + "</p>\n")
	}
	b.WriteString("</section>\n")
	return v.xhtml(v.Title, "frontmatter", b.String())
}

func (v volume) coverPage() string {
	return v.xhtml(v.vocabulary.cover, "cover", fmt.Sprintf(
		"<div class=\"cover\"><img src=\"%s\" alt=\"%s\" width=\"%d\" height=\"%d\"/></div>\n",
		v.cover.file, escape(v.Title), v.cover.width, v.cover.height))
}

func (v volume) navigation() string {
	var b strings.Builder
	b.WriteString("<nav epub:type=\"toc\" id=\"toc\">\n<h1>" + escape(v.contents) + "</h1>\n<ol>\n")
	item := func(kind, file, text string) {
		b.WriteString("<li><a" + kind + " href=\"" + file + "\">" + escape(text) + "</a></li>\n")
	}
	item("", "title.xhtml", v.Title)
	for _, p := range v.firsts() {
		item("", p.file, p.title)
	}
	b.WriteString("</ol>\n</nav>\n<nav epub:type=\"landmarks\" hidden=\"hidden\">\n<h2>" + escape(v.contents) + "</h2>\n<ol>\n")
	if v.cover != nil {
		item(` epub:type="cover"`, "cover.xhtml", v.vocabulary.cover)
	}
	item(` epub:type="titlepage"`, "title.xhtml", v.vocabulary.titlePage)
	item(` epub:type="toc"`, "nav.xhtml", v.contents)
	item(` epub:type="bodymatter"`, v.pages[0].file, v.pages[0].title)
	b.WriteString("</ol>\n</nav>\n")
	return v.xhtml(v.contents, "", b.String())
}

// firsts are the pages with which chapters begin.
func (v volume) firsts() []page {
	var out []page
	for _, p := range v.pages {
		if p.isFirst {
			out = append(out, p)
		}
	}
	return out
}

// style is small on purpose: readers have their own. Chinese and Japanese paragraphs are indented by two characters.
func (v volume) style() string {
	indent, height, first := "1.5em", "1.4", "p.first { text-indent: 0; }\n"
	if v.isCJK {
		indent, height, first = "2em", "1.8", ""
	}
	return `body { margin: 5%; line-height: ` + height + `; }
h1 { font-size: 1.4em; text-align: center; margin: 2em 0 1.5em; page-break-after: avoid; }
p { margin: 0; text-indent: ` + indent + `; text-align: justify; widows: 2; orphans: 2; }
` + first + `hr.scene { width: 30%; margin: 1.5em auto; border: 0; border-top: 1px solid; }
section.title { text-align: center; margin-top: 25%; }
section.title p { text-indent: 0; text-align: center; margin-top: 1em; }
p.rehearsal { border: 1px solid; padding: 0.5em; }
div.cover { text-align: center; }
div.cover img { max-width: 100%; height: auto; }
nav ol { list-style-type: none; }
`
}
