// Package anthropic owns the adapter for Anthropic's Messages API.
//
// It must not retry, limit or remember replies: decorators of package model do. It is imported by wire alone, because
// its SDK takes long to compile.
package anthropic
