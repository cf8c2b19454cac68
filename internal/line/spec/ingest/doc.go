// Package ingest reads what a person gave, however rough, into structured input without a model: a sentence, a chat
// transcript, Markdown or plain documents, in English, Chinese or Russian.
//
// It owns the words by which parts of a requirement are recognised and the spans that tie each kept piece to the place it
// was written. What it keeps, it keeps word for word: every piece is a part of its source's text. It is pure, takes time
// in proportion to its input, and must not know the spec document, the kernel or any other package of a line.
package ingest
