// Package continuity owns the checks of a chapter that need no model: people who act after their death, time that runs
// backwards, names that are misspelt, places that cannot have been reached, and chapters of an outline that build on what
// comes later. They run before the model is asked. It is pure and must not know the kernel, prompts or files.
//
// A finding that says how it is fixed leads to a revision, so precision goes before recall: what is not certain is not
// said, and what may well be meant is said without a fix.
package continuity
