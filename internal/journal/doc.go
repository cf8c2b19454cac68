// Package journal owns the records that cross the border between the engine and a store: batches of events with the
// bytes and projections that commit with them, checkouts, calls, replies, leases and folds.
//
// Events are opaque bytes here. The package must not know the kernel, a store or a file system; it holds values and
// the one computation that both sides must agree on, the hash chain.
package journal
