package sqlitestore

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"
)

// superMark ends a rollback journal that names another file, which SQLite may read and remove after it has rolled back.
var superMark = []byte{0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7}

// refuseJournal refuses a rollback journal that names another file. A store changes one database at a time and never
// writes such a name; one that came with a stranger's workspace could lead SQLite to a file that lies anywhere.
func refuseJournal(file string) error {
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() < int64(len(superMark)) {
		return nil
	}
	if err != nil {
		return failure(file, err)
	}
	f, err := os.Open(file)
	if err != nil {
		return failure(file, err)
	}
	defer f.Close()
	tail := make([]byte, len(superMark))
	if _, err := f.ReadAt(tail, info.Size()-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return failure(file, err)
	}
	if bytes.Equal(tail, superMark) {
		return corrupt(file, nil, "%s names another file; no store writes that", file)
	}
	return nil
}

// refuseSpecial refuses links, pipes and the like in the place of the files that SQLite opens beside the database: it would
// write to whatever they lead to.
func refuseSpecial(files ...string) error {
	for _, file := range files {
		info, err := os.Lstat(file)
		if err == nil && !info.Mode().IsRegular() {
			return corrupt(file, nil, "%s is not a plain file, so it is no part of a store", file)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return failure(file, err)
		}
	}
	return nil
}

var created = regexp.MustCompile(`(?i)CREATE\s+(?:TABLE|VIEW)\s+(\w+)`)

// refuseSchema refuses a store with triggers, virtual tables, or views in the place of our tables: they would run within
// our own statements, and need not come to an end. Views of other names are somebody's who reads the store with SQL.
func refuseSchema(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, `SELECT type, name, coalesce(sql, '') FROM sqlite_schema
		WHERE type IN ('view', 'trigger') OR sql LIKE 'CREATE VIRTUAL%'`)
	if err != nil {
		return err
	}
	defer rows.Close()
	ours := ""
	for rows.Next() {
		var kind, name, text string
		if err := rows.Scan(&kind, &name, &text); err != nil {
			return err
		}
		if ours == "" {
			if ours, err = allMigrations(); err != nil {
				return err
			}
		}
		if strings.Contains(ours, text) && kind == "view" || kind == "view" && !isOurName(ours, name) {
			continue
		}
		return corrupt(fileName, nil, "the store has a %s %q that no sluice made", kind, name)
	}
	return rows.Err()
}

func allMigrations() (string, error) {
	var b strings.Builder
	err := fs.WalkDir(migrations, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := migrations.ReadFile(name)
		b.Write(body)
		return err
	})
	return b.String(), err
}

func isOurName(ours, name string) bool {
	if strings.EqualFold(name, schemaTable) {
		return true
	}
	for _, m := range created.FindAllStringSubmatch(ours, -1) {
		if strings.EqualFold(m[1], name) {
			return true
		}
	}
	return false
}
