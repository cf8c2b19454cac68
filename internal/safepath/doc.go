// Package safepath owns the rule for paths that came from a model, a client or a file name: one spelling, inside the
// workspace, the same file on every system. It is pure: what is on a disk is the workspace's to know.
package safepath
