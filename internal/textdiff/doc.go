// Package textdiff owns how two texts differ in words. Scripts that put no spaces between words are compared character
// by character, everything else word by word, so that a change of one word in a long paragraph is one word.
//
// Its cost is bounded: texts that have nothing in common are given as one text instead of the other. The package must not
// know where a text comes from, how a difference is shown, or anything else of the house.
package textdiff
