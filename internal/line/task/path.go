package task

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxNameBytes = 200 // of one component; file systems take 255, and the version's own directories come before it
	maxPathBytes = 400
)

// pathFlaw says why a path that a plan or a model names cannot be a file inside a version's directory, or nothing. It is
// as strict as every system on which the files may end up. A pattern may hold * and ?.
func pathFlaw(p string, pattern bool) string {
	switch {
	case p == "":
		return "is empty"
	case !utf8.ValidString(p):
		return "is not UTF-8"
	case len(p) > maxPathBytes:
		return "is over the limit of 400 bytes"
	case strings.HasPrefix(p, "/"):
		return "is absolute"
	}
	for name := range strings.SplitSeq(p, "/") {
		if why := nameFlaw(name, pattern); why != "" {
			return why
		}
	}
	if pattern {
		if _, err := path.Match(p, ""); err != nil {
			return "is no pattern: " + err.Error()
		}
	}
	return ""
}

func nameFlaw(name string, pattern bool) string {
	refused := `\:<>"|?*`
	if pattern {
		refused = `\:<>"|`
	}
	switch {
	case name == "":
		return "has an empty component"
	case name == "." || name == "..":
		return "leads out of the version's directory, or nowhere"
	case len(name) > maxNameBytes:
		return "has a name over the limit of 200 bytes"
	case strings.ContainsAny(name, refused):
		return "has one of " + refused + ", which some systems refuse"
	case strings.ContainsFunc(name, isInvisible):
		return "has a control character or an invisible one"
	case strings.TrimSpace(name) != name || strings.HasSuffix(name, "."):
		return "has a name that begins or ends with a space, or ends with a dot"
	case isDevice(name):
		return "has a name that Windows takes for a device"
	case isOwnName(name):
		return "has a name that belongs to Sluice or git"
	}
	return ""
}

func isInvisible(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' || r == '\ufeff' || r == unicode.ReplacementChar
}

func isDevice(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	digit, ok := strings.CutPrefix(stem, "COM")
	if !ok {
		digit, ok = strings.CutPrefix(stem, "LPT")
	}
	return ok && utf8.RuneCountInString(digit) == 1 && strings.Contains("0123456789¹²³", digit)
}

// isOwnName is wider than it must be: a deliverable has no need of such names.
func isOwnName(name string) bool {
	plain := strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name))
	return plain == ".git" || plain == "sluice.yaml" || strings.HasPrefix(plain, ".sluice") ||
		strings.HasPrefix(plain, "git~") || strings.HasPrefix(plain, "sluice~")
}
