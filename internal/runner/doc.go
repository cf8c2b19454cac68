// Package runner runs programs that the user named on copies of files that a model or a person made.
//
// It owns the rules by which files find their programs, the temporary copy, the bare environment, the time limit after
// which a program is killed with all it started, and the excerpt of its output. It is no sandbox: a program sees the
// machine as its user does, only not this program's variables. The package must not know lines beyond their contract,
// the engine or where its rules were read from; nothing of a workspace, a plan or an artifact can add a rule.
package runner
