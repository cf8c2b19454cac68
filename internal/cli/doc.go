// Package cli is the command line: it turns arguments into calls of app verbs, and their documents into text or JSON.
//
// Results go to stdout, prose and progress to stderr; every refusal ends with its exit code and the next command. What
// is shown is rendered by pure functions from documents, with what models and files wrote made harmless for terminals.
// The package decides nothing about runs and must not know a store, a file tree or a model: Env brings what it needs.
package cli
