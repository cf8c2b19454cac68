// Package story owns the documents of a book: their fields, how they are read and written, what counts as a word, what a
// project and its files are called. It is pure and must not know the kernel, lines or how a document comes to be.
package story
