// Package linetest is the conformance suite of lines: it drives a run of a line on the kernel alone, with replies given
// by the test, and checks after every command that the invariants hold and that the line keeps its contract: steps,
// rules and layouts are pure, paths are safe, and what is derived is recorded once.
package linetest
