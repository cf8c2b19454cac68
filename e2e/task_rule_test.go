package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryRuleIsShown wants the scripts and tests that the tables of rules name.
func TestEveryRuleIsShown(t *testing.T) {
	for _, file := range []string{"task_rules.md", "spec_rules.md"} {
		t.Run(file, func(t *testing.T) { rulesShown(t, file) })
	}
}

func rulesShown(t *testing.T, file string) {
	t.Helper()
	table := string(mustRead(filepath.Join("testdata", "script", file)))
	sources, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, s := range sources {
		code.Write(mustRead(s))
	}
	names := regexp.MustCompile(`\b((?:task|spec)_[a-z_]+|Test[A-Z]\w+)\b`)
	rules := 0
	for row := range strings.Lines(table) {
		cells := strings.Split(row, "|")
		if len(cells) != 4 || strings.HasPrefix(cells[1], "-") || cells[1] == " rule " {
			continue
		}
		rules++
		shown := names.FindAllString(cells[2], -1)
		if len(shown) == 0 {
			t.Errorf("nothing shows: %s", cells[1])
		}
		for _, name := range shown {
			if strings.HasPrefix(name, "Test") {
				if !strings.Contains(code.String(), "func "+name+"(") {
					t.Errorf("there is no test %s", name)
				}
			} else if _, err := os.Stat(filepath.Join("testdata", "script", name+".txtar")); err != nil {
				t.Errorf("there is no script %s", name)
			}
		}
	}
	if rules < 40 {
		t.Errorf("the table has %d rules", rules)
	}
}
