// Package model owns the port through which Sluice asks language models, and what every provider shares: the content
// key of a call, the classes of failure, the decorators, structured output and secrets.
//
// Decorators compose from the inside out as Limit, Retry, Fallback, Trace, Memo, Defaults, Route, Verbose: a memo hit
// then costs neither a slot nor a token, a stored reply is found by the parameters that were really used, and one that
// another model gave is found under what was asked for. Each is a Model.
//
// The package must not know the kernel, the engine, a line, a store or a file tree. It decides nothing: whether a
// reply is good enough is for gates and people.
package model
