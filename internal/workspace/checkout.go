package workspace

import (
	"context"
	"io/fs"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
)

// Rows is what checkouts need of the store about paths.
type Rows interface {
	Checkout(ctx context.Context, path string) (journal.Checkout, bool, error)
	Checkouts(ctx context.Context, run string) ([]journal.Checkout, error) // "" selects all runs
	Unwritten(ctx context.Context) ([]journal.Checkout, error)
	// MarkWritten marks rows that are still as given; a row that was replaced meanwhile stays unwritten.
	MarkWritten(ctx context.Context, rows ...journal.Checkout) error
}

// Bytes is what checkouts need of the store about content.
type Bytes interface {
	Blob(ctx context.Context, run string, seq int64, d digest.Digest) ([]byte, error)
}

// Known says whether bytes are a version that the path showed before, and which.
type Known func(path string, d digest.Digest) (version string, ok bool)

// Edit is a file that does not show what its row says.
type Edit = journal.Edit

// Checkouts keeps files in step with the journal's rows. It is safe for concurrent use, also by several processes.
type Checkouts struct {
	tree  *Tree
	rows  Rows
	bytes Bytes
	known Known
	now   func() time.Time

	mu   sync.Mutex // one placing at a time in this process
	lock *flock.Flock

	sightMu sync.Mutex
	sights  map[string]sight
}

// NewCheckouts ties a tree to a store. known may be nil: then no edit is recognised as an earlier version.
func NewCheckouts(tree *Tree, rows Rows, bytes Bytes, known Known) *Checkouts {
	if known == nil {
		known = func(string, digest.Digest) (string, bool) { return "", false }
	}
	return &Checkouts{tree: tree, rows: rows, bytes: bytes, known: known, now: time.Now,
		lock:   flock.New(tree.dir+"/"+lockName, flock.SetPermissions(privatePerm)),
		sights: map[string]sight{}}
}

// Checkout gives the row of a path that content may be put at. A path that is not safe, or that differs only by case
// from one that is there, is refused here, before a row is committed.
func (c *Checkouts) Checkout(ctx context.Context, path string) (journal.Checkout, bool, error) {
	clean, err := c.tree.Check(path)
	if err != nil {
		return journal.Checkout{}, false, err
	}
	if clean != path {
		return journal.Checkout{}, false, badPath(path, "path %q is not in its plain form %q", path, clean)
	}
	return c.rows.Checkout(ctx, path)
}

// Keep saves bytes that are about to leave a file or cannot be used, named by their digest, and gives the path.
func (c *Checkouts) Keep(ctx context.Context, path string, body []byte) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", fault.Wrap(fault.Interrupted, path, err, "keep %s: interrupted", path)
	}
	name := keptDir + "/" + digest.Of(body).Hex()
	if old, _, err := c.tree.read(name); err == nil && digest.Of(old) == digest.Of(body) {
		return name, nil
	}
	return name, c.tree.writePrivate(name, body)
}

// locked runs do while no other placing runs in any process.
func (c *Checkouts) locked(ctx context.Context, do func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.tree.batch().makeDirs(privateDir, privateDirs); err != nil {
		return err
	}
	const poll = 5 * time.Millisecond
	if _, err := c.lock.TryLockContext(ctx, poll); err != nil {
		if ctx.Err() != nil {
			return fault.Wrap(fault.Interrupted, lockName, err, "waiting for another process to place its files")
		}
		return fail("lock", lockName, err)
	}
	defer c.lock.Unlock()
	return do()
}

// found is what a path shows.
type found struct {
	there  bool
	body   []byte
	digest digest.Digest
}

// look reads what a path shows and remembers it. A row is not believed that its path is one of the tree's files: the store
// may be a stranger's, and what is read here is taken over.
func (c *Checkouts) look(path string) (found, error) {
	at := c.now()
	disk, err := c.tree.plain(path)
	if err != nil {
		return found{}, err
	}
	body, info, err := c.tree.read(disk)
	if isAbsent(err) {
		c.forget(path)
		return found{}, nil
	}
	if err != nil {
		return found{}, fail("read", path, err)
	}
	f := found{there: true, body: body, digest: digest.Of(body)}
	c.remember(path, sight{info, f.digest, at})
	return f, nil
}

// sight is what a file was when its bytes were last known.
type sight struct {
	info   fs.FileInfo
	digest digest.Digest
	at     time.Time
}

// blur is the coarsest tick of a file system's clock. A file changed so shortly before it was seen could change again
// without a trace in its times.
const blur = 2 * time.Second

func (s sight) shows(info fs.FileInfo) bool {
	return s.info != nil && sameState(s.info, info) &&
		s.at.Sub(info.ModTime()) > blur && s.at.UnixNano()-changeTime(info) > int64(blur)
}

func (c *Checkouts) remember(path string, s sight) {
	c.sightMu.Lock()
	defer c.sightMu.Unlock()
	c.sights[path] = s
}

func (c *Checkouts) forget(path string) {
	c.sightMu.Lock()
	defer c.sightMu.Unlock()
	delete(c.sights, path)
}

// isShown says cheaply that a path shows these bytes. False means that it has to be read.
func (c *Checkouts) isShown(path string, d digest.Digest) bool {
	c.sightMu.Lock()
	s, ok := c.sights[path]
	c.sightMu.Unlock()
	if !ok || s.digest != d {
		return false
	}
	info, err := c.tree.root.Stat(c.tree.locate(path))
	return err == nil && s.shows(info)
}

func (c *Checkouts) edit(kind journal.EditKind, row journal.Checkout, f found) Edit {
	e := Edit{Kind: kind, Row: row, Body: f.body, Digest: f.digest}
	if kind == journal.Edited && (row.Role == journal.Working || row.Role == journal.Given) && f.there {
		if version, ok := c.known(row.Path, f.digest); ok {
			e.Returned = version
		}
	}
	return e
}
