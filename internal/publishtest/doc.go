// Package publishtest is the suite that every target of publishing passes, with a real store under the desk: a version is
// created once, later ones update the same record, and crashes, lost answers and many processes at once change none of it.
package publishtest
