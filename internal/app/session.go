package app

import (
	"context"

	"sluice/internal/fault"
)

var errNoSessions = fault.New(fault.Unexpected, "session", "sessions are not built yet")

// CreateSession opens a copy-on-write session.
func (a *App) CreateSession(_ context.Context, name, createdBy string) (SessionDoc, error) {
	return SessionDoc{SessionName: name, CreatedBy: createdBy}, errNoSessions
}

// Sessions lists the sessions that can be found.
func (a *App) Sessions(context.Context) (SessionsDoc, error) { return SessionsDoc{}, errNoSessions }

// SwitchSession makes a session the current one of the command line.
func (a *App) SwitchSession(_ context.Context, name string) (SessionDoc, error) {
	return SessionDoc{SessionName: name}, errNoSessions
}

// CurrentSession names the session the command line works in, or nothing.
func (a *App) CurrentSession(context.Context) (string, error) { return "", errNoSessions }

// LeaveSession lets the command line work in no session.
func (a *App) LeaveSession(context.Context) error { return errNoSessions }

// ResolvePath says which file stands for a path in a session; to write, it is copied into the session first.
func (a *App) ResolvePath(_ context.Context, session, path string, write bool) (PathDoc, error) {
	return PathDoc{SessionName: session, Path: path, Copied: write}, errNoSessions
}

// RemovePath removes a file as the session sees it.
func (a *App) RemovePath(_ context.Context, session, path string) (PathDoc, error) {
	return PathDoc{SessionName: session, Path: path}, errNoSessions
}

// SessionDiff previews the commit of a session.
func (a *App) SessionDiff(_ context.Context, name string) (DiffDoc, error) {
	return DiffDoc{SessionName: name}, errNoSessions
}

// CommitSession brings a session into the workspace, all or nothing, or previews that unless confirm is given.
func (a *App) CommitSession(_ context.Context, name string, confirm bool) (CommitDoc, error) {
	return CommitDoc{SessionName: name, Preview: !confirm}, errNoSessions
}

// CancelSession ends a session and what was done in it.
func (a *App) CancelSession(_ context.Context, name string) (CommitDoc, error) {
	return CommitDoc{SessionName: name}, errNoSessions
}
