// Package engine owns the shell around the law: it loads runs, applies commands, commits what follows in one batch,
// performs duties and brings their results back as commands.
//
// One goroutine owns a driven run. Model calls run in workers and come back as results; commands of people come in
// through Do; whatever waits is decided together and goes into one batch. No goroutine waits for a person: a run with
// nothing to do but open asks is parked and Drive returns. The engine knows lines by their contract and the outside
// world by the small ports below; it must not know a concrete store, file tree or model.
package engine
