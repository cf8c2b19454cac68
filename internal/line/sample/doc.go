// Package sample owns the smallest production line: a run whose nodes are given as data. It is what `sluice demo` shows,
// what the tests of engine and doors drive, and where to look before writing a line. It must not know engine, stores,
// models or other lines.
package sample
