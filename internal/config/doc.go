// Package config owns the settings of Sluice: one struct with defaults, and one loader that lays the user's file, the
// workspace's file, the environment and flags over them and remembers where each value came from.
//
// Settings that could send a key somewhere, run a program or speak in a person's name are taken from the user's own
// file, the environment and flags only: a workspace may be cloned from anyone. The package knows where a key is kept
// and never the key itself; it must not know a store, a file tree or a model.
package config
