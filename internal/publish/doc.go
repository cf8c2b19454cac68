// Package publish carries an approved spec version to a target outside: a document, a webhook, a table at Feishu.
//
// It owns the ledger of what was published and the rule that a version is created outside at most once: the place is
// claimed in a row before anything is sent, the target is asked before anything is created where it can be asked, and what
// came of it is written with the claim's end. Targets decide nothing; they map and send. The package knows the spec
// document and the records of journal, and must not know stores, the engine, workspaces, or who approved what.
package publish
