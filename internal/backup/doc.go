// Package backup owns the file that holds a whole workspace: how it is written while the workspace is in use, so that what
// comes out is one moment of it, and how it is unpacked when its author may be an enemy.
//
// The moment is that of a copy of the store. A file that the program replaced after that moment is given as the store had
// it then; a file that a person changed is given as it is. The package must not know a concrete store or a line, and it
// decides nothing about where backups go.
package backup
