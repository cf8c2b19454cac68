// Package briefing owns what a model is told about a book: for each agent the pieces that go into its prompt, trimmed to
// what the chapter at hand needs and held to a budget of tokens, with an account of what went in and what was cut. It is
// pure, and costs the same in the first chapter and in the thousandth: Reach says which memory it can use at all.
//
// It must not know the kernel, steps or models. Templates decide the words around the pieces; the package never writes
// an instruction.
package briefing
