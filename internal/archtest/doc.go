// Package archtest owns the house rules that a compiler does not check: which package may import which, that the law
// stays pure, that every package says what it is for, and that nothing grows too large to read.
//
// The rules read source text only. They must not know what any package does; what is allowed stands in two tables,
// layers.go and debt.txt.
package archtest
