package safepath

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"sluice/internal/fault"
)

func TestCleanPathAccepts(t *testing.T) {
	for in, want := range map[string]string{
		"novel/a.md":                       "novel/a.md",
		"./novel//a.md/":                   "novel/a.md",
		"workspace/第三章/正文.md":              "workspace/第三章/正文.md",
		"книга/глава 3.md":                 "книга/глава 3.md",
		"كتاب/الفصل.md":                    "كتاب/الفصل.md",
		"नॉवेल/अध्याय\u200d.md":            "नॉवेल/अध्याय\u200d.md",
		"cafe\u0301/re\u0301sume\u0301.md": "café/résumé.md",
		"\u1112\u1161\u11ab.md":            "한.md",
		"a..b/...c":                        "a..b/...c",
		".gitignore":                       ".gitignore",
		"console/common.md":                "console/common.md",
		"com10/nul1/auxiliary":             "com10/nul1/auxiliary",
		"git~":                             "git~",
		strings.Repeat("文", 85):            strings.Repeat("文", 85),
	} {
		got, err := Clean(in)
		if err != nil || got != want {
			t.Errorf("Clean(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestCleanPathRefuses(t *testing.T) {
	for name, in := range map[string]string{
		"empty":                   "",
		"top":                     ".",
		"slash":                   "/",
		"parent":                  "..",
		"parent inside":           "novel/../../etc/passwd",
		"parent that comes back":  "novel/../novel/a.md",
		"absolute":                "/etc/passwd",
		"drive":                   "C:/windows",
		"drive relative":          "c:a.md",
		"stream":                  "a.md:hidden",
		"backslash":               `novel\a.md`,
		"share":                   `\\server\share`,
		"NUL byte":                "a\x00b",
		"newline":                 "a\nb",
		"delete":                  "a\x7fb",
		"next line":               "a\u0085b",
		"right-to-left override":  "a\u202edm.exe",
		"line separator":          "a\u2028b",
		"byte order mark":         "\ufeffa",
		"leading space":           " a.md",
		"leading space in middle": "novel/ a/b",
		"trailing space":          "a ",
		"ideographic space":       "a\u3000",
		"trailing dot":            "a./b",
		"dots":                    "a/.../b",
		"device":                  "CON",
		"device, lower case":      "novel/nul",
		"device with extension":   "novel/Aux.tar.gz",
		"device, space":           "NUL .txt",
		"device with number":      "com1.txt",
		"device with superscript": "LPT².md",
		"console":                 "CONIN$",
		"wildcard":                "a*.md",
		"question":                "what?.md",
		"private":                 ".sluice/sluice.db",
		"private, upper case":     ".SLUICE/sluice.db",
		"private inside":          "novel/.sluice/x",
		"private, long s":         ".\u017fluice/x",
		"private, joiner":         ".slu\u200dice/x",
		"private, short name":     "SLUICE~1/sluice.db",
		"temporary":               "novel/.sluice-tmp-1",
		"configuration":           "sluice.yaml",
		"configuration, case":     "Sluice.YAML",
		"configuration inside":    "novel/sluice.yaml",
		"git":                     ".git/config",
		"git, case":               "novel/.Git/hooks/post-checkout",
		"git, ignorable":          ".g\u200cit/config",
		"git, short name":         "git~1/config",
		"long component":          strings.Repeat("文", 86),
		"long path":               strings.Repeat("abcdefg/", 129) + "x",
		"not UTF-8":               "a\xffb",
	} {
		if got, err := Clean(in); fault.CodeOf(err) != fault.BadPath || got != "" {
			t.Errorf("%s: Clean(%q) = %q, %v; want bad_path", name, in, got, err)
		}
	}
}

func TestFoldTellsTwins(t *testing.T) {
	for _, pair := range [][2]string{
		{"A.json", "a.json"}, {"Straße", "STRASSE"}, {"Глава", "глава"}, {"É", "e\u0301"}, {"Σίσυφος", "ΣΊΣΥΦΟΣ"},
	} {
		if Fold(pair[0]) != Fold(pair[1]) {
			t.Errorf("Fold(%q) = %q, Fold(%q) = %q; want the same", pair[0], Fold(pair[0]), pair[1], Fold(pair[1]))
		}
	}
	if Fold("第三章") == Fold("第二章") {
		t.Error("different names fold to the same key")
	}
}

func FuzzCleanPath(f *testing.F) {
	for _, seed := range []string{"a/b", "../a", "a/./b//c", "C:x", "e\u0301", ".git", "CON.x", "a\\b", "\u2024\u2024/x", "．．/x"} {
		f.Add(seed)
	}
	root := filepath.FromSlash("/root/of/all")
	f.Fuzz(func(t *testing.T, in string) {
		clean, err := Clean(in)
		if err != nil {
			if fault.CodeOf(err) != fault.BadPath {
				t.Fatalf("Clean(%q) refuses with %v", in, err)
			}
			return
		}
		again, err := Clean(clean)
		if err != nil || again != clean {
			t.Fatalf("Clean(%q) = %q, then %q, %v", in, clean, again, err)
		}
		if !filepath.IsLocal(filepath.FromSlash(clean)) {
			t.Fatalf("Clean(%q) = %q, which is not local", in, clean)
		}
		if joined := filepath.Join(root, clean); !strings.HasPrefix(joined, root+string(filepath.Separator)) {
			t.Fatalf("Clean(%q) = %q, which leaves the root as %q", in, clean, joined)
		}
		if strings.ContainsAny(clean, "\\\x00\n:") || !utf8.ValidString(clean) || !norm.NFC.IsNormalString(clean) {
			t.Fatalf("Clean(%q) = %q has what no path may have", in, clean)
		}
	})
}
