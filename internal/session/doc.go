// Package session owns copy-on-write sessions: what a session is (a run whose nodes are the files it touched), which file
// stands for a path inside one, and what its commit or cancellation does, as plans. It declares the ports through which
// it sees files.
//
// Reading finds the session's copy, else a tombstone, else the file of the workspace. Writing copies first and records
// what the workspace showed then, so that a commit can tell whether it has changed since. The package must not know the
// engine, a store, a concrete file tree or a door; app carries its plans out.
package session
