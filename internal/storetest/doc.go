// Package storetest owns the conformance suite that every store of a workspace passes: what the engine may rely on,
// told in the records of journal and in faults.
//
// It must not know any store. A store's own tests cover what belongs to its technology: files, locks of the system,
// damage, schemas.
package storetest
