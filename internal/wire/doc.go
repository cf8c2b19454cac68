// Package wire is the only place where concretes meet: it reads the configuration, opens store, file tree and model,
// gives them to the engine and the engine to the doors. It decides nothing.
package wire
