package sqlitestore

import (
	"context"
	"maps"
	"slices"
	"sync"

	"sluice/internal/digest"
	"sluice/internal/journal"
)

// putCheckout says what a path must show. What it showed for certain before is kept from row to row until a file was
// written again, so that an edit can be told from a file of ours that a crash left in between.
func (w *writer) putCheckout(run, last int64, c *journal.Checkout) error {
	seq := c.Seq
	if seq == 0 {
		seq = last
	}
	_, err := w.exec(`INSERT INTO checkout (path, run, node, version, seq, digest, before, role, written, removed)
		VALUES (?, ?, ?, ?, ?, ?, '', ?, ?, ?)
		ON CONFLICT (path) DO UPDATE SET
			before = CASE WHEN NOT checkout.written THEN checkout.before
				WHEN checkout.removed THEN '' ELSE checkout.digest END,
			run = excluded.run, node = excluded.node, version = excluded.version, seq = excluded.seq,
			digest = excluded.digest, role = excluded.role, written = excluded.written, removed = excluded.removed`,
		c.Path, run, c.Node, c.Version, seq, string(c.Digest), string(c.Role), c.Written, c.Removed)
	return err
}

const checkoutColumns = `SELECT c.path, r.id, c.node, c.version, c.seq, c.digest, c.before, c.role, c.written, c.removed
	FROM checkout c JOIN run r ON r.n = c.run`

func readCheckout(r scanner) (journal.Checkout, error) {
	var c journal.Checkout
	var named, before, role string
	err := r.Scan(&c.Path, &c.Run, &c.Node, &c.Version, &c.Seq, &named, &before, &role, &c.Written, &c.Removed)
	c.Digest, c.Before, c.Role = digest.Digest(named), digest.Digest(before), journal.Role(role)
	return c, err
}

// Checkout gives the row of a path.
func (s *Store) Checkout(ctx context.Context, path string) (journal.Checkout, bool, error) {
	marked := s.marks.asked()
	c, ok, err := one(ctx, s, checkoutColumns+" WHERE c.path = ?", []any{path}, readCheckout)
	c.Written = c.Written || ok && marked.has(c)
	return c, ok, err
}

// Checkouts gives the rows of a run, or of every run if it is empty, by path.
func (s *Store) Checkouts(ctx context.Context, run string) ([]journal.Checkout, error) {
	marked := s.marks.asked()
	query, args := checkoutColumns, []any(nil)
	if run != "" {
		n, err := s.number(ctx, run)
		if err != nil {
			return nil, err
		}
		query, args = query+" WHERE c.run = ?", []any{n}
	}
	rows, err := collect(ctx, s, query+" ORDER BY c.path", args, readCheckout)
	for i := range rows {
		rows[i].Written = rows[i].Written || marked.has(rows[i])
	}
	return rows, err
}

// Unwritten gives the rows whose file is not in place for certain, by path.
func (s *Store) Unwritten(ctx context.Context) ([]journal.Checkout, error) {
	marked := s.marks.asked()
	rows, err := collect(ctx, s, checkoutColumns+" WHERE c.written = 0 ORDER BY c.path", nil, readCheckout)
	return slices.DeleteFunc(rows, marked.has), err
}

// MarkWritten notes that the files of the rows are in place. The note is seen by this store at once and is durable
// with its next commit, Flush or Close: lost in between, the file is compared and written once more. A row that has
// moved on to another digest or sequence number stays as it is.
func (s *Store) MarkWritten(_ context.Context, rows ...journal.Checkout) error {
	s.marks.add(rows)
	return nil
}

// Flush makes what was deferred durable.
func (s *Store) Flush(ctx context.Context) error {
	if !s.marks.any() {
		return nil
	}
	return s.writer.submit(ctx, func(*writer) error { return nil })
}

func (w *writer) mark(m place) error {
	_, err := w.exec("UPDATE checkout SET written = 1 WHERE path = ? AND digest = ? AND seq = ? AND written = 0",
		m.path, string(m.digest), m.seq)
	return err
}

// place is what must still be true of a row for its mark to count.
type place struct {
	path   string
	digest digest.Digest
	seq    int64
}

func placeOf(c journal.Checkout) place { return place{c.Path, c.Digest, c.Seq} }

// marks are the notes that wait for a commit. They leave only when they are committed, so that a reader who asks them
// first and the file second misses none.
type marks struct {
	mu  sync.Mutex
	set map[place]bool
}

func newMarks() *marks { return &marks{set: map[place]bool{}} }

func (m *marks) add(rows []journal.Checkout) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range rows {
		m.set[placeOf(c)] = true
	}
}

func (m *marks) any() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.set) > 0
}

func (m *marks) waiting() []place {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.set) == 0 {
		return nil
	}
	return slices.AppendSeq(make([]place, 0, len(m.set)), maps.Keys(m.set))
}

func (m *marks) settle(done []place) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range done {
		delete(m.set, p)
	}
}

// marked is a copy of the notes for one reader.
type marked map[place]bool

func (m *marks) asked() marked {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.set)
}

func (m marked) has(c journal.Checkout) bool { return m[placeOf(c)] }
