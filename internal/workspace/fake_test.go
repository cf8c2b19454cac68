package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"sluice/internal/digest"
	"sluice/internal/journal"
)

var bg = context.Background()

// fakeStore keeps rows and bytes in memory and follows the store's rule for Before.
type fakeStore struct {
	mu     sync.Mutex
	rows   map[string]journal.Checkout
	blobs  map[digest.Digest][]byte
	seq    int64
	marks  int
	onBlob func(digest.Digest) // happens between the first comparison and the write
	onMark func()
}

func newFakeStore() *fakeStore {
	return &fakeStore{rows: map[string]journal.Checkout{}, blobs: map[digest.Digest][]byte{}}
}

// commit stores bytes and the row of a path, as a transaction of a step does. The row comes back as its writer had it:
// without what the store knows. A given Before stands for what earlier rows left.
func (s *fakeStore) commit(row journal.Checkout, body []byte) journal.Checkout {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	if row.Run == "" {
		row.Run = "run"
	}
	if row.Role == "" {
		row.Role = journal.Working
	}
	if !row.Removed {
		row.Digest = digest.Of(body)
		s.blobs[row.Digest] = body
	}
	kept := row
	kept.Seq = s.seq
	if old, ok := s.rows[row.Path]; ok {
		switch {
		case !old.Written:
			kept.Before = old.Before
		case old.Removed:
			kept.Before = ""
		default:
			kept.Before = old.Digest
		}
	}
	s.rows[row.Path] = kept
	row.Before = ""
	return row
}

func (s *fakeStore) Checkout(_ context.Context, path string) (journal.Checkout, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row, ok := s.rows[path]
	return row, ok, nil
}

func (s *fakeStore) Checkouts(_ context.Context, run string) ([]journal.Checkout, error) {
	return s.all(func(r journal.Checkout) bool { return run == "" || r.Run == run }), nil
}

func (s *fakeStore) Unwritten(context.Context) ([]journal.Checkout, error) {
	return s.all(func(r journal.Checkout) bool { return !r.Written }), nil
}

func (s *fakeStore) all(want func(journal.Checkout) bool) []journal.Checkout {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rows []journal.Checkout
	for _, r := range s.rows {
		if want(r) {
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(a, b journal.Checkout) int { return strings.Compare(a.Path, b.Path) })
	return rows
}

func (s *fakeStore) MarkWritten(_ context.Context, rows ...journal.Checkout) error {
	if s.onMark != nil {
		s.onMark()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range rows {
		s.marks++
		if now := s.rows[r.Path]; now.Seq == r.Seq && now.Digest == r.Digest {
			now.Written = true
			s.rows[r.Path] = now
		}
	}
	return nil
}

func (s *fakeStore) Blob(_ context.Context, _ string, _ int64, d digest.Digest) ([]byte, error) {
	if s.onBlob != nil {
		s.onBlob(d)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	body, ok := s.blobs[d]
	if !ok {
		return nil, fmt.Errorf("no blob %s", d)
	}
	return body, nil
}
