// Package export owns the way of approved content out of a workspace: a pure plan of which versions go where, the
// manifest that says on which grounds each was approved, the writing of a bundle as one whole directory, and the check
// of such a directory with nothing but itself.
//
// Only what an approved pointer names goes out; a candidate goes out only when asked for, in a place of its own and
// marked. The package must not know a line, a store, the engine or a door: which nodes, in which order and where to is
// given to it.
package export
