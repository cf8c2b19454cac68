package bookfile

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	sceneBreak = "* * *"
	hanIndent  = "　　" // how a paragraph begins in Chinese and Japanese
)

// plainText is the book without any mark-up: blank lines between paragraphs, headings on lines of their own.
func plainText(b Book, t tongue) string {
	var out strings.Builder
	out.WriteString(b.Title + "\n")
	if b.Author != "" {
		out.WriteString(t.author + b.Author + "\n")
	}
	if label := b.label(t); label != "" {
		out.WriteString("\n[" + label + "]\n")
	}
	out.WriteString("\n\n" + t.contents + "\n\n")
	for _, c := range b.Chapters {
		out.WriteString(t.heading(c.ChapterNumber, c.ChapterTitle) + "\n")
	}
	indent := ""
	if t.isCJK {
		indent = hanIndent
	}
	for _, c := range b.Chapters {
		out.WriteString("\n\n" + t.heading(c.ChapterNumber, c.ChapterTitle) + "\n")
		if b.isRehearsed(c.ChapterNumber) {
			out.WriteString("\n[" + t.rehearsal + "]\n")
		}
		for _, p := range blocks(c) {
			if p.isBreak() {
				out.WriteString("\n" + sceneBreak + "\n")
			} else {
				out.WriteString("\n" + indent + p.text + "\n")
			}
		}
	}
	return out.String()
}

// markdown is the book in CommonMark, with the front matter that converters read.
func markdown(b Book, t tongue) string {
	var out strings.Builder
	out.WriteString("---\ntitle: " + quoted(b.Title) + "\n")
	if b.Author != "" {
		out.WriteString("author: " + quoted(b.Author) + "\n")
	}
	out.WriteString("lang: " + quoted(t.tag) + "\n")
	switch {
	case b.Rehearsal:
		out.WriteString("rehearsal: true\n")
	case len(b.Rehearsed) > 0:
		out.WriteString("rehearsal_chapters: [" + b.rehearsedList() + "]\n")
	}
	out.WriteString("---\n\n# " + escapeMark(b.Title) + "\n")
	if b.Author != "" {
		out.WriteString("\n" + escapeMark(t.author+b.Author) + "\n")
	}
	if label := b.label(t); label != "" {
		out.WriteString("\n> **" + escapeMark(label) + "**\n")
	}
	out.WriteString("\n## " + t.contents + "\n\n")
	for i, c := range b.Chapters {
		fmt.Fprintf(&out, "- [%s](#chapter-%d)\n", escapeMark(t.heading(c.ChapterNumber, c.ChapterTitle)), i+1)
	}
	for i, c := range b.Chapters {
		fmt.Fprintf(&out, "\n## <a id=\"chapter-%d\"></a>%s\n", i+1, escapeMark(t.heading(c.ChapterNumber, c.ChapterTitle)))
		if b.isRehearsed(c.ChapterNumber) {
			out.WriteString("\n> **" + escapeMark(t.rehearsal) + "**\n")
		}
		for _, p := range blocks(c) {
			if p.isBreak() {
				out.WriteString("\n" + sceneBreak + "\n")
			} else {
				out.WriteString("\n" + escapeMark(p.text) + "\n")
			}
		}
	}
	return out.String()
}

// quoted is a string that YAML and JSON read alike.
func quoted(s string) string {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil { // a string always encodes
		return `""`
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// escapeMark makes one line of prose mean itself in Markdown, HTML inside it included.
func escapeMark(s string) string {
	var out strings.Builder
	for i, r := range s {
		switch r {
		case '\\', '`', '*', '_', '[', ']', '<', '>', '~', '|':
			out.WriteByte('\\')
		case '&':
			if next, _ := utf8.DecodeRuneInString(s[i+1:]); next == '#' || unicode.IsLetter(next) {
				out.WriteByte('\\')
			}
		case '#', '-', '+', '=':
			if i == 0 {
				out.WriteByte('\\')
			}
		case '.', ')':
			if i > 0 && i <= 9 && strings.Trim(s[:i], "0123456789") == "" { // would begin a numbered list
				out.WriteByte('\\')
			}
		}
		out.WriteRune(r)
	}
	return out.String()
}
