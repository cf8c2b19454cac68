package bookfile

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"sluice/internal/line/novel/story"
)

// ReadingView is a chapter for reading and comparing: a line per sentence, a blank line between paragraphs, every scene
// under its number. Two views of one chapter differ only in the sentences that differ, so any diff program shows what a
// revision changed. Notes, if any, stand at the top as lines that begin with "#".
func ReadingView(tag string, c story.GeneratedChapter, notes string) string {
	t := tongueOf(tag)
	var out strings.Builder
	out.WriteString(t.heading(c.ChapterNumber, c.ChapterTitle) + "\n")
	for note := range strings.SplitSeq(clean(notes), "\n") {
		if note = strings.TrimSpace(note); note != "" {
			out.WriteString("# " + note + "\n")
		}
	}
	for _, s := range c.Scenes {
		fmt.Fprintf(&out, "\n[%s%d]\n", t.vocabulary.scene, s.SceneNumber)
		for paragraph := range strings.SplitSeq(clean(s.Content), "\n") {
			if paragraph = strings.TrimSpace(paragraph); paragraph == "" {
				continue
			}
			out.WriteString("\n")
			for _, sentence := range Sentences(paragraph) {
				out.WriteString(sentence + "\n")
			}
		}
	}
	return out.String()
}

// Sentences cuts a paragraph where sentences end, closing quotes included. Which dot ends one cannot always be told; the
// same text is always cut alike, which is what comparing needs.
func Sentences(paragraph string) []string {
	var out []string
	from := 0
	for i := 0; i < len(paragraph); {
		r, size := utf8.DecodeRuneInString(paragraph[i:])
		i += size
		isWide := strings.ContainsRune("。！？｡", r)
		if !isWide && !strings.ContainsRune(".!?…", r) {
			continue
		}
		i = skip(paragraph, i, "。！？｡.!?…\"'”’»」』）)]")
		next, _ := utf8.DecodeRuneInString(paragraph[i:])
		if i < len(paragraph) && !isWide && !unicode.IsSpace(next) {
			continue
		}
		rest := strings.TrimLeftFunc(paragraph[i:], unicode.IsSpace)
		if first, _ := utf8.DecodeRuneInString(rest); !isWide && unicode.IsLower(first) { // "Wait!" he said
			continue
		}
		out = append(out, strings.TrimSpace(paragraph[from:i]))
		i = len(paragraph) - len(rest)
		from = i
	}
	if from < len(paragraph) {
		out = append(out, strings.TrimSpace(paragraph[from:]))
	}
	return out
}

// skip moves past characters of a set.
func skip(s string, i int, set string) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !strings.ContainsRune(set, r) {
			break
		}
		i += size
	}
	return i
}
