// Package termtext makes foreign text fit for a terminal: harmless, measured in columns, cut and wrapped.
//
// It owns which characters a terminal obeys instead of showing them, and how many columns a character takes. It knows
// nothing of what the text is about, and nothing of colours.
package termtext
