package app

import (
	"context"
	"time"
)

// Keeper makes one file of many, and makes room. It is the part of the verbs that knows the disk.
type Keeper interface {
	// Backup writes the whole workspace into a new file.
	Backup(ctx context.Context, file string) (BackupDoc, error)
	// ExportReplies writes the recorded replies of runs into a new file.
	ExportReplies(ctx context.Context, runs []string, file string) (RepliesDoc, error)
	// Waste says what nothing needs, and removes it if that is wanted.
	Waste(ctx context.Context, w WasteQuery) (WasteDoc, error)
}

// BackupDoc says what a backup holds.
type BackupDoc struct {
	File      string       `json:"file"`
	CreatedAt time.Time    `json:"created_at"`
	Files     int          `json:"files"`
	Bytes     int64        `json:"bytes"` // unpacked
	Size      int64        `json:"size"`  // of the file
	LeftOut   []LeftOutDoc `json:"left_out"`
}

// LeftOutDoc is something of the workspace that a backup does not hold.
type LeftOutDoc struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// RestoreDoc says what a backup became.
type RestoreDoc struct {
	Workspace string    `json:"workspace"`
	CreatedAt time.Time `json:"created_at"` // of the backup
	Files     int       `json:"files"`
	Bytes     int64     `json:"bytes"`
}

// Backup writes the whole workspace, as it is at one moment, into a new file outside of it.
func (a *App) Backup(ctx context.Context, file string) (BackupDoc, error) {
	return a.Keeper.Backup(ctx, file)
}
