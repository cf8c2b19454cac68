// Package rehearsal owns the embedded provider: a model that needs no key and no network, always answers the same
// request with the same reply, obeys every schema, writes readable content from what it was given, and labels it.
//
// A script steers it: rules that change replies, make calls fail, delay them, or kill the process at the two points
// where that matters most. What a rule counts is counted in the store, so a script means the same after a restart.
//
// The package must not know a line. It reads field names and schemas as a stranger would; what only one line could
// mean belongs in that line's schema or in a script.
package rehearsal
