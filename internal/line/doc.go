// Package line owns the contract of a production line: data plus pure functions over kernel nouns.
//
// A line says which nodes a run begins with and which follow an approved version, how each step moves, what its gate
// rules find, and where its content is checked out. It never talks to a model, a store or a file: a step that needs a
// model returns the calls to make and is asked again with the replies. The package must not know engine, stores or doors.
package line
