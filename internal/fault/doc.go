// Package fault owns the one error type of Sluice and the table of its codes.
//
// A fault says what is (code, subject, message), and what to do about it (next actions). The table maps every code to
// an exit code and an HTTP status, so that no door decides for itself how bad a refusal is. The package must not know
// any other package of the project.
package fault
