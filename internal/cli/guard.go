package cli

import (
	"fmt"
	"strings"
	"unicode"
)

// guard is the last look at a text before a person's terminal gets it. What came from outside is made harmless where it is
// rendered; should one place forget it, no control character passes here but line ends, tabs and, on a terminal, colours.
func guard(text string, colours bool) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case !unicode.IsControl(r), r == '\n', r == '\t', r == '\r' && strings.HasPrefix(text[i:], "\r\n"):
			b.WriteRune(r)
		case r == '\x1b' && colours && isColour(text[i:]):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\x%02x`, r)
		}
	}
	return b.String()
}

// isColour says that a text begins with a sequence that does nothing but choose a colour.
func isColour(text string) bool {
	rest, ok := strings.CutPrefix(text, "\x1b[")
	return ok && strings.HasPrefix(strings.TrimLeft(rest, "0123456789;"), "m")
}
