package task

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"sluice/internal/safepath"
)

// Slug makes a title a name for a file: letters and digits of any script, everything else an underscore.
func Slug(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFC.String(title) {
		if b.Len() > 80 {
			break
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) && b.Len() > 0 {
			if gap && b.Len() > 0 {
				b.WriteByte('_')
			}
			b.WriteRune(r)
			gap = false
			continue
		}
		gap = true
	}
	if b.Len() == 0 || safepath.NameFlaw(b.String(), "") != "" {
		return "task"
	}
	return b.String()
}
