// Package graph owns order over string keys: what comes before what, what depends on what, and where a circle is.
//
// It is pure and costs O(nodes + edges). It must not know what a key stands for: nodes, steps and their meaning belong
// to its callers.
package graph
