package sqlitestore

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"sluice/internal/fault"
)

//go:embed migrations/*.sql
var migrations embed.FS

const (
	schemaVersion  = 6 // of the newest file in migrations
	schemaTable    = "schema_version"
	migrateTimeout = time.Minute // another process may be migrating a large store
	lockRetry      = 5 * time.Millisecond
)

// prepareFile makes the directory and an empty database file that only its owner may read. It never opens a file that
// exists: closing it would drop the POSIX locks that another store of this process holds on it.
func prepareFile(dir, file string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return failure(dir, err)
	}
	if err := refuseSpecial(file+"-wal", file+"-shm", file+"-journal"); err != nil {
		return err
	}
	if err := refuseJournal(file + "-journal"); err != nil {
		return err
	}
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		if err != nil {
			return failure(file, err)
		}
		if err := f.Close(); err != nil {
			return failure(file, err)
		}
		return syncDir(dir)
	case err != nil:
		return failure(file, err)
	case !info.Mode().IsRegular():
		return corrupt(file, nil, "%s is not a file, so it is no store", file)
	case info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows":
		if err := os.Chmod(file, 0o600); err != nil {
			return failure(file, err)
		}
	}
	return nil
}

// dataSource is the address of one connection. Journal mode is not part of it: it is kept in the file, and switching
// to it takes a lock that only a migration holds.
func dataSource(file string, busy time.Duration, reader bool) string {
	q := url.Values{"_txlock": {"immediate"}}
	pragma := func(name string, value any) { q.Add("_pragma", fmt.Sprintf("%s(%v)", name, value)) }
	pragma("busy_timeout", busy.Milliseconds())
	pragma("foreign_keys", 1)
	if reader {
		pragma("query_only", 1)
	} else {
		pragma("synchronous", "FULL")
		pragma("cache_size", -16*1024)
		if runtime.GOOS == "darwin" {
			pragma("fullfsync", 1)
			pragma("checkpoint_fullfsync", 1)
		}
	}
	path := filepath.ToSlash(file)
	if filepath.IsAbs(file) && !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// migrate brings the schema up to date. A store that is current costs two reads.
func migrate(ctx context.Context, db *sql.DB, dir string, busy time.Duration) error {
	current, err := isCurrent(ctx, db)
	if err != nil || current {
		return err
	}
	// One process migrates, the others wait for it. The lock file stays: removing it would let two hold "the" lock.
	lock := flock.New(filepath.Join(dir, "migrate.lock"), flock.SetPermissions(0o600))
	wait, cancel := context.WithTimeout(ctx, max(busy, migrateTimeout))
	defer cancel()
	if ok, err := lock.TryLockContext(wait, lockRetry); !ok {
		return fault.Wrap(fault.StoreLocked, lock.Path(), err, "another program is changing the schema of the store")
	}
	defer lock.Unlock()
	current, err = isCurrent(ctx, db)
	if err != nil || current {
		return err
	}
	if _, err := db.ExecContext(ctx, "PRAGMA journal_mode=WAL"); err != nil {
		return err
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithTableName(schemaTable),
		goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	return err
}

// isCurrent says whether the file has the newest schema and is in WAL mode, and refuses a file of a newer program.
func isCurrent(ctx context.Context, db *sql.DB) (bool, error) {
	var mode string
	if err := db.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return false, err
	}
	if err := refuseSchema(ctx, db); err != nil {
		return false, err
	}
	var tables int
	err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name = ?", schemaTable).Scan(&tables)
	if err != nil || tables == 0 {
		return false, err
	}
	var version int64
	err = db.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) FROM "+schemaTable+" WHERE is_applied").Scan(&version)
	if err != nil {
		return false, err
	}
	if version > schemaVersion {
		return false, fault.New(fault.StoreNewer, fileName,
			"the store has schema %d and this program knows schemas up to %d", version, schemaVersion).
			With(fault.Action{Action: "use the newer sluice that wrote this workspace", Command: "sluice version"})
	}
	return version == schemaVersion && mode == "wal", nil
}
