package task

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"sluice/internal/safepath"
)

// maxPathBytes bounds a path inside a version's directory, which itself takes a hundred.
const maxPathBytes = 400

// pathFlaw says why a path that a plan or a model names cannot be a file inside a version's directory, or nothing. A
// pattern may hold * and ?.
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
	case !norm.NFC.IsNormalString(p):
		return "is not in Unicode normal form C"
	}
	allowed := ""
	if pattern {
		allowed = "*?"
	}
	for name := range strings.SplitSeq(p, "/") {
		if name == "" || name == "." {
			return "has an empty component"
		}
		if why := safepath.NameFlaw(name, allowed); why != "" {
			return why
		}
	}
	return ""
}
