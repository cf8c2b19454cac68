package spec

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"sluice/internal/digest"
)

// clean takes out of a model's text what nobody can see or what would move a terminal's cursor, and the space around it.
func clean(s string) string {
	return strings.TrimSpace(strings.Map(func(c rune) rune {
		if c == '\n' || c == '\t' || c == '\u200d' || !unicode.IsControl(c) && !unicode.Is(unicode.Cf, c) {
			return c
		}
		return -1
	}, s))
}

func cleanAll(list []string) []string {
	var out []string
	for _, s := range list {
		if s = clean(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// cut gives at most n characters of a text.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// excerpt quotes the beginning of a text as evidence may.
func excerpt(s string) string {
	if utf8.RuneCountInString(s) <= MaxExcerpt {
		return s
	}
	return cut(s, MaxExcerpt-1) + "…"
}

func hash(s string) digest.Digest { return digest.Of([]byte(s)) }
