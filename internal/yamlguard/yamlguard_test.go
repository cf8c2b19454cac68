package yamlguard

import (
	"strings"
	"testing"
)

func TestRefuse(t *testing.T) {
	const deep = MaxNests + 1
	for name, tt := range map[string]struct {
		text string
		want string
	}{
		"settings":              {"model:\n  tiers: {a: [b, c]}\n", ""},
		"a long list":           {strings.Repeat("- item\n", 50_000), ""},
		"an indented long list": {"a:\n" + strings.Repeat("    - x: 1\n", 50_000), ""},
		"a rule":                {strings.Repeat("---\n", 20_000), ""},
		"lists in one line":     {strings.Repeat("- ", deep+1), "nests too deep"},
		"keys in one line":      {strings.Repeat("? ", deep+1), "nests too deep"},
		"lists hidden":          {strings.Repeat("[ #]\n", deep), "nests too deep"},
		"groups":                {strings.Repeat("{a: ", deep), "nests too deep"},
		"lists of lines":        {strings.Repeat("- - - x\n", deep), "nests too deep"},
		"large":                 {strings.Repeat("#", 1<<20+1), "over the limit of 1048576"},
		"NUL":                   {"a: \x00", "NUL byte at 3"},
		"nothing":               {"", ""},
	} {
		got := Refuse([]byte(tt.text), 1<<20)
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}
