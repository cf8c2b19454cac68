package sqlitestore

import (
	"testing"
	"time"
)

func mustOpen(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(t.Context(), dir, Options{Busy: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
