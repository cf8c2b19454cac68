// Package task is the line of plans under strong constraints: every ACTION declares its deliverable, its acceptance
// criteria and its effort, every deliverable is judged by exactly one CHECK at an exact version, and only what was
// approved is used further on.
//
// It owns the plan document and how it is read, the doctor's hard rules, rewriting, drawing, the words in which people
// read a plan, and the steps of a plan's run. A plan is a run: its id is the plan's id, its node "plan" holds the
// document, and the nodes of the document follow from an approved version that the doctor has nothing against. The
// package must not know engine, stores, models or doors.
package task
