// Package kernel owns the nouns of Sluice and its law: what may happen to a run, what follows from it, and what must be
// done next.
//
// The law is three pure functions. Decide says which events follow from a command, or refuses it with a way out.
// Evolve applies one event to a Run in place. Pending lists the duties that are open now. Apply joins the first two
// and settles what follows by law alone (gates that are satisfied, asks to open or withdraw, alternatives to abandon).
// The Run keeps indexes of what is ready, open and dependent, so each costs what changed and never what exists.
//
// Nothing here reads a clock, does I/O, draws a random number or starts a goroutine: time, ids and model output arrive
// inside commands. The kernel must not know any line, store, model or file.
package kernel
