// Package bookfile owns what a finished book looks like outside: plain text, Markdown, EPUB 3 and JSON, its headings in
// the book's language, and the reading view of a revised chapter. It is pure and gives the same bytes for the same book:
// times come as arguments. It must not know where chapters are kept, which of them are approved or where an export goes.
package bookfile
