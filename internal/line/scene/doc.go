// Package scene owns the scene line: generation and planning workflows given as definitions in JSON, their steps, and
// the documents by which agents and people see them. Names, fields, enums, paths and key order of those documents are
// fixed: other people's agents read them. The package must not know engine, stores, models, doors or other lines.
package scene
