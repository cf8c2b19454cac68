// Package modeltest owns the conformance suite of model providers: what every adapter must make of replies, refusals,
// limits and broken servers. An adapter brings its wire format; the suite brings the server and the cases.
//
// The package must not know any adapter.
package modeltest
