// Package schema owns how a Go type becomes the JSON schema that a model's reply must fit: what the type says, and what
// options add to it (values, ranges, lengths). It must not know models or lines.
package schema
