// Package sqlitestore owns the durable store of a workspace: one SQLite file in WAL mode, a folder of large blobs
// beside it, and one lock file per living driver.
//
// One goroutine writes. It commits whatever waits in one transaction, so that many callers share one sync of the disk,
// and a refused request writes nothing and never hurts its neighbours. Readers use connections of their own and never
// wait for the writer. Several processes may open the same directory.
//
// What is committed outlives the process at once. A batch is synced to the disk before its caller goes on; a reply is synced
// with the next batch, which is what is made of it, or within milliseconds; that a call began, with whatever is next.
//
// The package knows the records of journal and nothing of what they mean: events are opaque bytes. It must not know
// the kernel, the engine, the workspace or a model.
package sqlitestore
