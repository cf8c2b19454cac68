package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"

	"sluice/internal/journal"
)

// Snapshot writes a copy of the database as it is at one moment into a new file, while others go on writing, and gives
// the checkouts as the copy has them. Large contents are beside the database: they never change, and those that the copy
// names are on the disk before it is made.
func (s *Store) Snapshot(ctx context.Context, file string) ([]journal.Checkout, error) {
	if err := s.Flush(ctx); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, failure(file, err)
	}
	if err := f.Close(); err != nil {
		return nil, failure(file, err)
	}
	// A connection of its own: those of the readers write nothing, and the writer's must not wait.
	db, err := sql.Open("sqlite", dataSource(s.file, defaultBusy, false))
	if err != nil {
		return nil, failure(s.file, err)
	}
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", file)
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, failure(file, err)
	}
	return checkoutsOf(ctx, file)
}

// checkoutsOf reads a file that is no open store.
func checkoutsOf(ctx context.Context, file string) (rows []journal.Checkout, err error) {
	db, err := sql.Open("sqlite", dataSource(file, defaultBusy, true))
	if err != nil {
		return nil, failure(file, err)
	}
	defer func() { err = failure(file, errors.Join(err, db.Close())) }()
	found, err := db.QueryContext(ctx, checkoutColumns)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	for found.Next() {
		c, err := readCheckout(found)
		if err != nil {
			return nil, err
		}
		rows = append(rows, c)
	}
	return rows, found.Err()
}

// CheckFile says whether a file that came from elsewhere is a store: whole, of a schema that this program knows, and with
// nothing in it that acts by itself.
func CheckFile(ctx context.Context, file string) (err error) {
	db, err := sql.Open("sqlite", dataSource(file, defaultBusy, true))
	if err != nil {
		return failure(file, err)
	}
	db.SetMaxOpenConns(1)
	defer func() { err = failure(file, errors.Join(err, db.Close())) }()
	if _, err := db.ExecContext(ctx, "PRAGMA trusted_schema=0"); err != nil {
		return err
	}
	var verdict string
	if err := db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&verdict); err != nil {
		return corrupt(file, err, "the store cannot be read")
	}
	if verdict != "ok" {
		return corrupt(file, nil, "the store is damaged: %s", verdict)
	}
	var acting, tables int
	err = db.QueryRowContext(ctx, `SELECT count(*) FILTER (WHERE type = 'trigger' OR sql LIKE '%VIRTUAL%TABLE%'), count(*) FILTER (WHERE name = ?)
		FROM sqlite_schema`, schemaTable).Scan(&acting, &tables)
	if err != nil {
		return err
	}
	if acting > 0 || tables == 0 {
		return corrupt(file, nil, "the file is no store of sluice, or something was added to it")
	}
	_, err = isCurrent(ctx, db) // an older schema is brought up to date when it is opened
	return err
}

// Copy writes the database of the store in one directory, as it is at this moment, into another directory. It opens no
// store: what a newer program would change in the first one stays.
func Copy(ctx context.Context, from, to string) error {
	file := filepath.Join(from, fileName)
	db, err := sql.Open("sqlite", dataSource(file, defaultBusy, false))
	if err != nil {
		return failure(file, err)
	}
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", filepath.Join(to, fileName))
	return failure(file, errors.Join(err, db.Close()))
}
