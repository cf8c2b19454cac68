// Package yamlguard owns the question whether a YAML text may be given to the parser at all. The parser's time grows with
// the square of how deep a text nests, and its stack with the depth: a file of a few hundred kilobytes could keep a
// program busy for minutes. The package must not know what a text is about.
package yamlguard
