package safepath

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"sluice/internal/fault"
)

const (
	maxPath = 1024 // bytes of a whole path
	maxName = 255  // bytes of one component, the limit of every common file system

)

// Names of Sluice's own in every workspace. Nothing else may use them.
const (
	ConfigName = "sluice.yaml"
	PrivateDir = ".sluice"
	TempPrefix = ".sluice-tmp-"
)

// Clean is the rule for every path that came from a model, a client or a file name. It gives the one spelling by
// which Sluice knows the path: relative to the workspace, with slashes, in Unicode normal form C, and such that it
// names the same file on every system. It accepts names in any script.
func Clean(p string) (string, error) {
	if !utf8.ValidString(p) {
		return "", badPath(p, "path %q is not UTF-8", p)
	}
	if strings.HasPrefix(p, "/") {
		return "", badPath(p, "path %q is absolute; paths are relative to the workspace", p)
	}
	var parts []string
	for name := range strings.SplitSeq(norm.NFC.String(p), "/") {
		if name == "" || name == "." {
			continue
		}
		if why := NameFlaw(name, ""); why != "" {
			return "", badPath(p, "path %q: component %q %s", p, name, why)
		}
		parts = append(parts, name)
	}
	clean := strings.Join(parts, "/")
	switch {
	case clean == "":
		return "", badPath(p, "path %q names no file", p)
	case len(clean) > maxPath:
		return "", badPath(p, "path of %d bytes is over the limit of %d: %.60q…", len(clean), maxPath, clean)
	}
	return clean, nil
}

func badPath(subject, format string, args ...any) *fault.Error {
	return fault.New(fault.BadPath, subject, format, args...)
}

// NameFlaw says what is wrong with one component in normal form C, or nothing. Characters in allowed are let through:
// those of a pattern, where one is meant.
func NameFlaw(name, allowed string) string {
	switch {
	case name == "..":
		return "leads out of its directory"
	case len(name) > maxName:
		return "is over the limit of 255 bytes"
	case strings.ContainsAny(name, "\\:"):
		return "has a backslash or a colon, which name drives and streams on Windows"
	case strings.ContainsFunc(name, func(r rune) bool { return strings.ContainsRune(`<>"|?*`, r) && !strings.ContainsRune(allowed, r) }):
		return `has one of < > " | ? *, which Windows refuses`
	case strings.ContainsFunc(name, isInvisible):
		return "has a control character"
	case strings.TrimSpace(name) != name:
		return "begins or ends with a space"
	case strings.HasSuffix(name, "."):
		return "ends with a dot"
	case isDevice(name):
		return "is a device name on Windows"
	case IsOwn(name):
		return "belongs to Sluice or git"
	}
	return ""
}

// isInvisible finds what makes a name look like another one. Joiners are not among them: Persian and Indic names
// need them.
func isInvisible(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' || r == '\ufeff'
}

// isDevice knows the names that Windows opens as devices, whatever their extension.
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

// IsOwn knows the names of Sluice's and git's own files in the spellings that some file system takes for the same:
// other case, characters that HFS+ ignores, short names of Windows.
func IsOwn(name string) bool {
	plain := Fold(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name))
	switch plain {
	case PrivateDir, ConfigName, ".git":
		return true
	}
	short, _, _ := strings.Cut(plain, ".")
	stem, number, ok := strings.Cut(short, "~")
	if ok && (stem == "git" || stem == "sluice") && number != "" && strings.Trim(number, "0123456789") == "" {
		return true
	}
	return strings.HasPrefix(plain, TempPrefix)
}

// Fold gives names that some file system cannot tell apart the same key.
func Fold(name string) string {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return norm.NFD.String(cases.Fold().String(norm.NFD.String(name)))
		}
	}
	return strings.ToLower(name)
}
