package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Several processes that find a project without a journal at once all go on with the same book.
func TestProjectAdoptedByManyProcessesAtOnce(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.mustRun(0, "novel", "new", "book", "--premise", "A keeper finds a door.", "--chapters", "1")
	s.mustRun(0, "novel", "run", "book")
	other := newShell(t)
	if err := os.CopyFS(filepath.Join(other.dir, "projects"), os.DirFS(filepath.Join(s.dir, "projects"))); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 6 {
		cmd := other.command(t.Context(), "", "novel", "status", "book")
		group.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "1 chapter") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	group.Wait()
	out, _ := other.mustRun(0, "status", "--json")
	if strings.Count(out, `"run":`) != 1 {
		t.Errorf("there is not one book: %s", out)
	}
	other.mustRun(0, "doctor")
	other.mustRun(0, "verify")
}
