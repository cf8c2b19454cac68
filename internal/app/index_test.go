package app

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestIndexIsWrittenAtMostOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var written []string
		began := time.Now()
		x := NewIndexer(func(_ context.Context, session string) error {
			written = append(written, session+" at "+time.Since(began).String())
			return nil
		}, func(err error) { t.Error(err) })
		touch := func(session string) {
			if err := x.Touch(t.Context(), session); err != nil {
				t.Error(err)
			}
		}
		for range 5 {
			touch("")
		}
		touch("draft")
		time.Sleep(300 * time.Millisecond)
		touch("")
		time.Sleep(time.Second)
		synctest.Wait()
		touch("draft")
		touch("draft")
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		want := []string{" at 0s", "draft at 0s", " at 1s", "draft at 1.3s", "draft at 1.3s"}
		if diff := cmp.Diff(want, written); diff != "" {
			t.Errorf("indexes written (-want +got):\n%s", diff)
		}
	})
}

func TestIndexFailureIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fails := errors.New("no room")
		var told []error
		x := NewIndexer(func(context.Context, string) error { return fails }, func(err error) { told = append(told, err) })
		if err := x.Touch(t.Context(), ""); !errors.Is(err, fails) {
			t.Errorf("got %v, want %v", err, fails)
		}
		if err := x.Touch(t.Context(), ""); err != nil {
			t.Errorf("got %v for an index that is written later", err)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if len(told) != 1 {
			t.Errorf("told %v, want the failure once", told)
		}
	})
}
