// Package openai owns the adapter for servers that speak OpenAI's chat completions: OpenAI itself and, by base URL,
// DeepSeek, Qwen, vLLM, OpenRouter, LM Studio and others.
//
// It must not retry, limit or remember replies: decorators of package model do. It is imported by wire alone, because
// its SDK takes long to compile.
package openai
