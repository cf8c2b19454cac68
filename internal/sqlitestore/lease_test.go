package sqlitestore

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

func TestLocksOfTheDeadAreSwept(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	put := func(driver string, age time.Duration) string {
		path := s.lockPath(driver)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		return path
	}
	dead, fresh, held := put("00aa", 3*lockAge), put("00bb", 0), put("00cc", 3*lockAge)
	lock := flock.New(held)
	if ok, err := lock.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	defer lock.Unlock()
	if err := s.live(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{dead: false, fresh: true, held: true, s.lockPath(s.driver): true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", filepath.Base(path), err == nil, want)
		}
	}
}
