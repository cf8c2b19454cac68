// Package ollama owns the adapter for Ollama's native API. Its OpenAI-compatible route is not used: there the window of
// a call cannot be set, and every prompt is cut at the server's default without a word.
//
// It must not retry, limit or remember replies: decorators of package model do.
package ollama
