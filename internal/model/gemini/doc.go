// Package gemini owns the adapter for Google's Gemini API.
//
// It must not retry, limit or remember replies: decorators of package model do. It is imported by wire alone, because
// its SDK takes long to compile.
package gemini
