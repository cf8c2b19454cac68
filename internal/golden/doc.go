// Package golden compares what a test got with a file under its testdata, and rewrites the file with -update. It is for
// tests alone.
package golden
