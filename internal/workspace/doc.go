// Package workspace owns the file tree of a workspace: finding and making one, the rule for every path that came from
// a model, a client or a file name, atomic writes confined by os.Root, and the checkouts that keep files and journal
// in step. It is the only way in which anything reaches that tree.
//
// A checkout never costs a person's bytes. Before a file is replaced its bytes are compared with what its row says was
// there, and compared again after the new bytes lie synced beside it, right before the rename. What remains is the
// time between that second comparison and the rename, some microseconds: an edit saved exactly then is replaced. A
// path that showed nothing has no such window, since the file is linked into place and linking never replaces.
//
// Several processes share a workspace. Comparing, writing and marking happen under the lock `.sluice/checkout.lock`
// and always by the row as the store has it at that moment. A process notes what it places in `.sluice/placed` before
// it does, since the store may learn of it late or never. So no process takes another's file for the edit of a person.
//
// The package must not know the kernel, the engine, a store or a model. It sees records of package journal through
// the interfaces Rows and Bytes.
package workspace
