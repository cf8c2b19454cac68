// Package replyfile owns the file that carries recorded replies of models from one machine to another: JSON lines under
// a format line, with a count and a checksum at the end. A reply is found by the key of its call. Nothing in it says where
// a model was reached or with what key, and prompts are not in it.
//
// A file may come from anyone, so every line is checked before the first is used. The package must not know a store, a
// provider or a run.
package replyfile
