// Package app owns the verbs of Sluice: one function per thing a user can do, the only way in for every door.
//
// A verb validates its request, turns it into commands for the engine and answers with a document that every door shows
// the same way. It must not know how a door looks, nor a concrete store, file tree or model.
package app
