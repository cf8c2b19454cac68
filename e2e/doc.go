// Package e2e holds the tests that go through the program as a user does: scripts of commands, and processes that are
// killed at every point where something becomes durable.
package e2e
