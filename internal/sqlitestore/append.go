package sqlitestore

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
)

// row is what the writer remembers of a run between transactions. It is only a guess, because another process may have
// appended: every use is guarded by the sequence number in the WHERE clause of the update.
type row struct {
	n, seq int64
	hash   journal.Hash
	head   journal.Head
}

// entry is a batch made ready for its two statements outside the writer.
type entry struct {
	journal.Batch
	last            int64
	names           []digest.Digest
	digests, frames []byte
	files           []string     // large contents, on the disk before the batch is written
	prev, hash      journal.Hash // set by the writer
}

// Append adds the batches, all or none. It refuses with conflict, lease_lost, run_exists or unknown_run.
func (s *Store) Append(ctx context.Context, batches ...journal.Batch) error {
	entries := make([]entry, len(batches))
	for i, b := range batches {
		e, err := s.prepare(b)
		if err != nil {
			return err
		}
		entries[i] = e
	}
	if len(entries) == 0 {
		return nil
	}
	return s.writer.submit(ctx, func(w *writer) error { return w.appendAll(entries, s.driver) })
}

func (s *Store) prepare(b journal.Batch) (entry, error) {
	switch {
	case b.Run == "":
		return entry{}, fault.New(fault.BadValue, "run", "batch names no run")
	case b.Count < 1 || len(b.Events) == 0:
		return entry{}, fault.New(fault.BadValue, b.Run, "batch of run %s has no event", b.Run)
	case b.After < 0:
		return entry{}, fault.New(fault.BadValue, b.Run, "batch of run %s follows number %d", b.Run, b.After)
	case b.Driver != "" && b.Driver != s.driver:
		return entry{}, fault.New(fault.BadValue, b.Run, "batch of run %s leases it to driver %s and this is driver %s",
			b.Run, b.Driver, s.driver)
	}
	if err := checkRows(b.Run, b.Rows); err != nil {
		return entry{}, err
	}
	if b.Driver != "" && b.After == 0 {
		if err := s.live(); err != nil {
			return entry{}, err
		}
	}
	if b.At.IsZero() {
		b.At = s.now()
	}
	e := entry{Batch: b, last: b.After + int64(b.Count)}
	var err error
	if e.digests, e.frames, err = s.packBlobs(b.Blobs); err != nil {
		return entry{}, err
	}
	for _, blob := range b.Blobs {
		e.names = append(e.names, blob.Digest)
		if len(blob.Body) > inlineUpTo {
			e.files = append(e.files, s.blobPath(blob.Digest))
		}
	}
	return e, nil
}

// appendAll checks every run of the request before it writes the first, so that a refusal leaves nothing behind.
func (w *writer) appendAll(entries []entry, driver string) error {
	for i := range entries {
		if err := entries[i].removed(); err != nil {
			return err
		}
	}
	if len(entries) == 1 {
		return w.append(&entries[0], driver)
	}
	if err := w.checkAll(entries, driver); err != nil {
		return err
	}
	for i := range entries {
		if err := w.append(&entries[i], driver); err != nil {
			// A refusal after the checks would leave the batches before it: it must spoil the transaction.
			return fmt.Errorf("batch %d of %d: %v", i+1, len(entries), err)
		}
	}
	return nil
}

// standing is what decides whether a batch may be appended to a run.
type standing struct {
	exists     bool
	seq, epoch int64
	driver     string
}

func (w *writer) checkAll(entries []entry, driver string) error {
	after := make(map[string]standing, len(entries)) // a run may occur twice, the second batch following the first
	for i := range entries {
		e := &entries[i]
		now, ok := after[e.Run]
		if !ok {
			var err error
			if now, err = w.standing(e.Run); err != nil {
				return err
			}
		}
		if err := refuse(e, now, driver); err != nil {
			return err
		}
		if e.After == 0 && e.Driver != "" {
			now.epoch, now.driver = 1, e.Driver
		}
		if e.Release && (e.After == 0 || e.Epoch != 0) {
			now.driver = ""
		}
		now.exists, now.seq = true, e.last
		after[e.Run] = now
	}
	return nil
}

func (w *writer) standing(run string) (standing, error) {
	var s standing
	var err error
	s.exists, err = w.scan("SELECT seq, epoch, driver FROM run WHERE id = ?", []any{run}, &s.seq, &s.epoch, &s.driver)
	return s, err
}

// refuse gives the refusal of a batch, or nil.
func refuse(e *entry, now standing, driver string) error {
	switch {
	case e.After == 0 && now.exists:
		return fault.New(fault.RunExists, e.Run, "run %s exists", e.Run)
	case e.After == 0:
		return nil
	case !now.exists:
		return unknownRun(e.Run)
	case e.Epoch != 0 && (e.Epoch != now.epoch || now.driver != driver):
		holder := "nobody"
		if now.driver != "" {
			holder = "driver " + now.driver
		}
		return fault.New(fault.LeaseLost, e.Run, "run %s is at epoch %d, held by %s; the batch is of epoch %d",
			e.Run, now.epoch, holder, e.Epoch)
	case e.After != now.seq:
		return fault.New(fault.Conflict, e.Run, "run %s is at %d and the batch follows %d", e.Run, now.seq, e.After)
	}
	return nil
}

func unknownRun(id string) error {
	return fault.New(fault.UnknownRun, id, "run %s is not in this workspace", id).
		With(fault.Action{Action: "list the runs", Command: "sluice status"})
}

// append writes one batch: one update, which is also the check, and one insert; more only for what changed.
func (w *writer) append(e *entry, driver string) error {
	var r *row
	var err error
	if e.After == 0 {
		r, err = w.create(e)
	} else {
		r, err = w.advance(e, driver)
	}
	if err != nil {
		return err
	}
	r.seq, r.hash = e.last, e.hash
	_, err = w.exec(`INSERT INTO batch (run, first, last, at, prev, hash, digests, events, bytes)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.n, e.After+1, e.last, e.At.UnixMicro(), e.prev[:], e.hash[:], e.digests, string(e.Events), e.frames)
	if err != nil {
		return err
	}
	for i := range e.Asks {
		if err := w.putAsk(r.n, &e.Asks[i]); err != nil {
			return err
		}
	}
	for i := range e.Checkouts {
		if err := w.putCheckout(r.n, e.last, &e.Checkouts[i]); err != nil {
			return err
		}
	}
	for i := range e.Rows {
		if err := w.putRow(r.n, &e.Rows[i]); err != nil {
			return err
		}
	}
	w.remember(e.Run, r)
	return nil
}

// follow links the batch to the one before it.
func (e *entry) follow(prev journal.Hash) {
	e.prev = prev
	e.hash = journal.Chain(prev, e.Run, e.After+1, e.last, e.At, e.Events, e.names)
}

func (w *writer) remember(run string, r *row) {
	if len(w.rows) >= rowLimit {
		clear(w.rows)
	}
	w.rows[run] = r
}

func (w *writer) create(e *entry) (*row, error) {
	epoch := int64(0)
	if e.Driver != "" {
		epoch = 1
	}
	driver := e.Driver
	if e.Release {
		driver = ""
	}
	labels, err := encodeLabels(e.Head.Labels)
	if err != nil {
		return nil, err
	}
	e.follow(journal.Hash{})
	at := e.At.UnixMicro()
	res, err := w.exec(`INSERT INTO run (id, seq, hash, updated, epoch, driver, created,
		line, definition, title, status, labels, summary) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO NOTHING`,
		e.Run, e.last, e.hash[:], at, epoch, driver, at,
		e.Head.Line, string(e.Head.Definition), e.Head.Title, e.Head.Status, labels, string(e.Head.Summary))
	if err != nil {
		return nil, err
	}
	if made, err := res.RowsAffected(); err != nil || made == 0 {
		if err == nil {
			err = refuse(e, standing{exists: true}, "")
		}
		return nil, err
	}
	n, err := res.LastInsertId()
	if err != nil {
		return nil, err
	}
	if err := w.relabel(n, nil, e.Head.Labels); err != nil {
		return nil, err
	}
	return &row{n: n, head: cloneHead(e.Head)}, nil
}

// advance moves the run's row on. What the row remembered says is used first; if the update then finds no row, the
// file is asked.
func (w *writer) advance(e *entry, driver string) (*row, error) {
	if r, ok := w.rows[e.Run]; ok && r.seq == e.After {
		moved, err := w.update(e, r, driver)
		if err != nil || moved {
			return r, err
		}
	}
	delete(w.rows, e.Run)
	now, err := w.standing(e.Run)
	if err != nil {
		return nil, err
	}
	if err := refuse(e, now, driver); err != nil {
		return nil, err
	}
	r, err := w.load(e.Run)
	if err != nil {
		return nil, err
	}
	moved, err := w.update(e, r, driver)
	if err == nil && !moved {
		err = fmt.Errorf("run %s was not at %d inside its own transaction", e.Run, e.After)
	}
	return r, err
}

func (w *writer) load(run string) (*row, error) {
	var r row
	var hash []byte
	var labels, definition, summary string
	ok, err := w.scan(`SELECT n, seq, hash, line, definition, title, status, labels, summary FROM run WHERE id = ?`,
		[]any{run}, &r.n, &r.seq, &hash, &r.head.Line, &definition, &r.head.Title, &r.head.Status, &labels, &summary)
	if err != nil {
		return nil, err
	}
	if !ok || len(hash) != len(r.hash) {
		return nil, fmt.Errorf("row of run %s is gone or damaged", run)
	}
	copy(r.hash[:], hash)
	r.head.Definition, r.head.Summary = digest.Digest(definition), json.RawMessage(summary)
	r.head.Labels, err = decodeLabels(labels)
	return &r, err
}

// update moves the row of the run if it is where the batch expects it. The columns of lists, and with them the
// indexes, are written only when they differ.
func (w *writer) update(e *entry, r *row, driver string) (bool, error) {
	e.follow(r.hash)
	at := e.At.UnixMicro()
	if !e.Release && sameHead(r.head, e.Head) {
		return w.changed(`UPDATE run SET seq = ?, hash = ?, updated = ?
			WHERE n = ? AND seq = ? AND (? = 0 OR epoch = ? AND driver = ?)`,
			e.last, e.hash[:], at, r.n, e.After, e.Epoch, e.Epoch, driver)
	}
	labels, err := encodeLabels(e.Head.Labels)
	if err != nil {
		return false, err
	}
	moved, err := w.changed(`UPDATE run SET seq = ?, hash = ?, updated = ?,
		driver = CASE WHEN ? THEN '' ELSE driver END,
		line = ?, definition = ?, title = ?, status = ?, labels = ?, summary = ?
		WHERE n = ? AND seq = ? AND (? = 0 OR epoch = ? AND driver = ?)`,
		e.last, e.hash[:], at, e.Release && e.Epoch != 0,
		e.Head.Line, string(e.Head.Definition), e.Head.Title, e.Head.Status, labels, string(e.Head.Summary),
		r.n, e.After, e.Epoch, e.Epoch, driver)
	if err != nil || !moved {
		return false, err
	}
	if err := w.relabel(r.n, r.head.Labels, e.Head.Labels); err != nil {
		return false, err
	}
	r.head = cloneHead(e.Head)
	return true, nil
}

// relabel brings the label rows of a run from one set to another.
func (w *writer) relabel(n int64, from, to map[string]string) error {
	for _, k := range slices.Sorted(maps.Keys(from)) {
		if v, ok := to[k]; ok && v == from[k] {
			continue
		}
		if _, err := w.exec("DELETE FROM run_label WHERE key = ? AND value = ? AND run = ?", k, from[k], n); err != nil {
			return err
		}
	}
	for _, k := range slices.Sorted(maps.Keys(to)) {
		if v, ok := from[k]; ok && v == to[k] {
			continue
		}
		if _, err := w.exec("INSERT OR IGNORE INTO run_label (key, value, run) VALUES (?, ?, ?)", k, to[k], n); err != nil {
			return err
		}
	}
	return nil
}

func sameHead(a, b journal.Head) bool {
	return a.Status == b.Status && a.Title == b.Title && a.Line == b.Line && a.Definition == b.Definition &&
		bytes.Equal(a.Summary, b.Summary) && maps.Equal(a.Labels, b.Labels)
}

// cloneHead keeps the writer's memory apart from what a caller may change later.
func cloneHead(h journal.Head) journal.Head {
	h.Labels, h.Summary = maps.Clone(h.Labels), bytes.Clone(h.Summary)
	return h
}

func encodeLabels(labels map[string]string) (string, error) {
	if len(labels) == 0 {
		return "", nil
	}
	b, err := json.Marshal(labels)
	return string(b), err
}

func decodeLabels(text string) (map[string]string, error) {
	if text == "" {
		return nil, nil
	}
	var labels map[string]string
	err := json.Unmarshal([]byte(text), &labels)
	return labels, err
}

func timeOf(micros int64) time.Time { return time.UnixMicro(micros).UTC() }
