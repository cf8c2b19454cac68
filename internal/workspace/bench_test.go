package workspace

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sluice/internal/journal"
)

func commitMany(s *fakeStore, n int) []journal.Checkout {
	rows := make([]journal.Checkout, n)
	for i := range rows {
		body := fmt.Appendf(nil, "chapter %d\n%s", i, strings.Repeat("text ", 200))
		rows[i] = s.commit(journal.Checkout{Path: fmt.Sprintf("novel/part %d/%05d.md", i%10, i)}, body)
	}
	return rows
}

func BenchmarkPlace10000(b *testing.B) {
	for b.Loop() {
		d := newDesk(b)
		if _, err := d.Place(bg, commitMany(d.store, 10_000), nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScan10000(b *testing.B) {
	d := newDesk(b)
	rows := commitMany(d.store, 10_000)
	if _, err := d.Place(bg, rows, nil); err != nil {
		b.Fatal(err)
	}
	scan := func(b *testing.B) {
		for b.Loop() {
			if edits, err := d.Scan(bg, ""); len(edits) != 0 || err != nil {
				b.Fatal(edits, err)
			}
		}
	}
	b.Run("first", func(b *testing.B) {
		d.now = func() time.Time { return time.Time{} } // nothing seen so long ago is trusted
		scan(b)
	})
	b.Run("unchanged", func(b *testing.B) {
		later := time.Now().Add(time.Hour)
		d.now = func() time.Time { return later }
		scan(b)
	})
}

func BenchmarkWriteOneByOne(b *testing.B) {
	tree := mustOpen(b, b.TempDir())
	i := 0
	for b.Loop() {
		i++
		if err := tree.Write(fmt.Sprintf("novel/deep/%05d.md", i), []byte("text"), 0); err != nil {
			b.Fatal(err)
		}
	}
}
