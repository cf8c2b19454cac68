// Package doctor owns the invariants as they hold, or do not, in a real workspace: it recomputes chains, digests, folds
// and projections from what a store gives back, compares checkouts with the disk, says what it found, and repairs what
// can be repaired without a decision.
//
// A finding is a fact about stored bytes, never a guess about their cause. A repair never overwrites what a person
// wrote and never changes a journal. The package must not know a concrete store, a file system, the engine or a door.
package doctor
