package archtest

import (
	"os"
	"path/filepath"
	"testing"
)

// TestHouse applies every rule to this repository.
func TestHouse(t *testing.T) {
	tree, err := Load(os.DirFS(filepath.Join("..", "..")))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("debt.txt")
	if err != nil {
		t.Fatal(err)
	}
	debt, err := ParseDebt(string(text))
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]func() []Finding{
		"layers": func() []Finding { return CheckLayers(tree) },
		"purity": func() []Finding { return CheckPurity(tree) },
		"docs":   func() []Finding { return CheckDocs(tree) },
		"sizes":  func() []Finding { return CheckSizes(tree, debt) },
	}
	for name, rule := range rules {
		t.Run(name, func(t *testing.T) {
			for _, f := range rule() {
				t.Error(f)
			}
		})
	}
}
