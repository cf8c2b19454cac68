// Package watch holds the live terminal views: one of a run, one of the inbox.
//
// It owns what is on the screen and what a key does. What it shows comes from the verbs of app, and what a person
// decides goes through the same verbs as the commands, for exactly the version that was on the screen. It must not know
// stores, files, lines or how commands are parsed; it opens nothing and drives nothing.
package watch
