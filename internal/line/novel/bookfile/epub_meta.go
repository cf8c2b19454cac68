package bookfile

import (
	"fmt"
	"strings"
)

// packageDocument is content.opf: what the book is, which files it has, in which order they are read.
func (v volume) packageDocument() string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="book-id" xml:lang="` + escape(v.tag) + `">
`)
	v.metadata(&b)
	v.manifest(&b)
	v.spine(&b)
	b.WriteString("</package>\n")
	return b.String()
}

func (v volume) metadata(b *strings.Builder) {
	b.WriteString("<metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n")
	b.WriteString("<dc:identifier id=\"book-id\">" + v.id + "</dc:identifier>\n")
	b.WriteString("<dc:title>" + escape(v.Title) + "</dc:title>\n")
	b.WriteString("<dc:language>" + escape(v.tag) + "</dc:language>\n")
	if v.Author != "" {
		b.WriteString("<dc:creator id=\"creator\">" + escape(v.Author) + "</dc:creator>\n")
		b.WriteString("<meta refines=\"#creator\" property=\"role\" scheme=\"marc:relators\">aut</meta>\n")
	}
	if label := v.label(v.tongue); label != "" {
		b.WriteString("<dc:description>" + escape(label) + "</dc:description>\n")
	}
	b.WriteString("<meta property=\"dcterms:modified\">" + zipTime(v.Modified).Format("2006-01-02T15:04:05Z") + "</meta>\n")
	for _, access := range [][2]string{{"accessMode", "textual"}, {"accessibilityFeature", "tableOfContents"},
		{"accessibilityFeature", "readingOrder"}, {"accessibilityHazard", "none"}} {
		b.WriteString("<meta property=\"schema:" + access[0] + "\">" + access[1] + "</meta>\n")
	}
	if v.cover != nil {
		b.WriteString("<meta name=\"cover\" content=\"cover-image\"/>\n")
	}
	b.WriteString("</metadata>\n")
}

func (v volume) manifest(b *strings.Builder) {
	const xhtml = "application/xhtml+xml"
	item := func(id, file, media, properties string) {
		if properties != "" {
			properties = ` properties="` + properties + `"`
		}
		fmt.Fprintf(b, "<item id=%q href=%q media-type=%q%s/>\n", id, file, media, properties)
	}
	b.WriteString("<manifest>\n")
	item("nav", "nav.xhtml", xhtml, "nav")
	item("ncx", "toc.ncx", "application/x-dtbncx+xml", "")
	item("style", "style.css", "text/css", "")
	if v.cover != nil {
		item("cover-image", v.cover.file, v.cover.media, "cover-image")
		item("cover", "cover.xhtml", xhtml, "")
	}
	item("title", "title.xhtml", xhtml, "")
	for _, p := range v.pages {
		item(p.id, p.file, xhtml, "")
	}
	b.WriteString("</manifest>\n")
}

func (v volume) spine(b *strings.Builder) {
	direction := ""
	if v.isRightward {
		direction = ` page-progression-direction="rtl"`
	}
	b.WriteString("<spine toc=\"ncx\"" + direction + ">\n")
	order := []string{"title", "nav"}
	if v.cover != nil {
		order = append([]string{"cover"}, order...)
	}
	for _, p := range v.pages {
		order = append(order, p.id)
	}
	for _, id := range order {
		b.WriteString("<itemref idref=\"" + id + "\"/>\n")
	}
	b.WriteString("</spine>\n")
}

// ncx is the table of contents for readers of EPUB 2.
func (v volume) ncx() string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1" xml:lang="` + escape(v.tag) + `">
<head>
<meta name="dtb:uid" content="` + v.id + `"/>
<meta name="dtb:depth" content="1"/>
<meta name="dtb:totalPageCount" content="0"/>
<meta name="dtb:maxPageNumber" content="0"/>
</head>
<docTitle><text>` + escape(v.Title) + `</text></docTitle>
<navMap>
`)
	point := func(order int, text, file string) {
		fmt.Fprintf(&b, "<navPoint id=\"point-%d\" playOrder=\"%d\"><navLabel><text>%s</text></navLabel><content src=\"%s\"/></navPoint>\n",
			order, order, escape(text), file)
	}
	point(1, v.Title, "title.xhtml")
	for i, p := range v.firsts() {
		point(i+2, p.title, p.file)
	}
	b.WriteString("</navMap>\n</ncx>\n")
	return b.String()
}
