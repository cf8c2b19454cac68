// Package ledger owns what publishing means: the record of what was brought outside, the key by which a version is brought
// there once, and the rules that say what a further publish comes to.
//
// It is pure. Those who send, those who store and the verbs share its words. It must not know any of them.
package ledger
