package config

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestSeal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "own", "seal.key")
	if (&Seal{File: file}).IsSealed("a", "") {
		t.Error("without a key something is sealed")
	}
	dry := &Seal{File: file, IsDry: true}
	if mark := mustSeal(t, dry, "a"); !dry.IsSealed("a", mark) {
		t.Error("a dry seal does not know its own mark")
	}
	if _, err := os.Stat(filepath.Dir(file)); err == nil {
		t.Error("looking or a dry run made a key")
	}

	marks := make([]string, 8) // of processes that all make the first key at once
	var group sync.WaitGroup
	for i := range marks {
		group.Go(func() { marks[i], _ = (&Seal{File: file}).Seal("a") })
	}
	group.Wait()
	s := &Seal{File: file}
	for _, mark := range marks {
		if !s.IsSealed("a", mark) {
			t.Errorf("mark %q is not the user's", mark)
		}
	}
	if s.IsSealed("b", marks[0]) || s.IsSealed("a", "") {
		t.Error("a mark fits another text, or none is needed")
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".seal-*")); len(left) > 0 {
		t.Errorf("%v was left behind", left)
	}
	if _, err := (&Seal{}).Seal("a"); err == nil {
		t.Error("without a home directory something was sealed")
	}
}

func mustSeal(t *testing.T, s *Seal, text string) string {
	t.Helper()
	mark, err := s.Seal(text)
	if err != nil {
		t.Fatal(err)
	}
	return mark
}

// TestWorkspaceWarnsNoLater holds the soft limit to the rule of the others: a workspace may only make it stricter.
func TestWorkspaceWarnsNoLater(t *testing.T) {
	for text, want := range map[string]float64{"0": 0.8, "0.9": 0.8, "0.5": 0.5} {
		file := filepath.Join(t.TempDir(), "sluice.yaml")
		if err := os.WriteFile(file, []byte("budget: {warn_at: "+text+"}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Load(Source{Workspace: file})
		if err != nil {
			t.Fatal(err)
		}
		if s.Budget.WarnAt != want {
			t.Errorf("with warn_at %s of a workspace it is %g, want %g", text, s.Budget.WarnAt, want)
		}
	}
}
