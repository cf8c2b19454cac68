// Package e2e holds the tests that go through the program as a user does: scripts of commands, processes that are killed
// at every point where something becomes durable, and the pages of docs.
//
// # Pages
//
// TestDocs runs README.md and every docs/*.md. A block that begins with ```console is a terminal: lines after "$ " are
// typed, the others are what is seen, on stdout and stderr, and are compared. All blocks of a page run in order in one
// POSIX shell, as ann, in /home/ann/work, without network or keys; with a workspace there, unless the first command of
// the page is sluice init. Besides sluice a few plain commands are allowed (cat, cd, cp, echo, export, ls, mkdir, rm …),
// with here documents and lines that end in a backslash.
//
//   - "..." alone on a line stands for any number of lines, " ..." at the end of a line for its rest.
//   - An exit code other than 0 and 4 (a person must act) must be shown: $ echo $? follows.
//   - A block after <!-- output of: sluice demo --> is the output of that command.
//   - Links to files must lead somewhere. The queries of docs/sql.md are run by TestSQLPage.
//   - A block after <!-- not run: reason --> is not run. Without that, ```sh and ```text may show no sluice commands.
//
// What differs from run to run is shown in one form: times as 2026-11-15 09:30:00Z and dates inside ids alike, spans below
// a minute as 0s, ages as just now, the home directory as /home/ann, UUIDs, asks, keys and digests as invented ones,
// counted in the order in which they are first seen. A command that names such an id is given the real one.
//
// go test ./e2e -run Docs -update writes what is seen into the pages and leaves out what they leave out. To write a page,
// write its commands, update, shorten, and go on from the ids that it shows.
package e2e
