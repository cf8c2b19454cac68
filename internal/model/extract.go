package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// ExtractJSON finds the JSON document in a reply: the reply itself, the body of a code fence, or the longest object
// or array inside prose. Models add greetings, fences and their thoughts however they are asked not to.
func ExtractJSON(reply string) (json.RawMessage, error) {
	text := strings.TrimSpace(strings.TrimPrefix(reply, "\ufeff"))
	if _, after, ok := strings.Cut(text, "</think>"); ok && strings.HasPrefix(text, "<think>") {
		text = strings.TrimSpace(after)
	}
	if text == "" {
		return nil, fmt.Errorf("the reply is empty")
	}
	if json.Valid([]byte(text)) {
		return json.RawMessage(text), nil
	}
	if body, ok := fenced(text); ok && json.Valid([]byte(body)) {
		return json.RawMessage(body), nil
	}
	if doc := longest(text); doc != nil {
		return doc, nil
	}
	return nil, fmt.Errorf("the reply holds no JSON document: %w", json.Unmarshal([]byte(text), new(json.RawMessage)))
}

// fenced gives the longest body between fences. A body ends at a line that is nothing but a fence at least as long as
// the one that opened it; at the end of the text an open fence counts as closed.
func fenced(text string) (string, bool) {
	var best, body strings.Builder
	open := 0
	keep := func() {
		if s := strings.TrimSpace(body.String()); len(s) > best.Len() {
			best.Reset()
			best.WriteString(s)
		}
		body.Reset()
	}
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		ticks := len(trimmed) - len(strings.TrimLeft(trimmed, "`"))
		switch {
		case open == 0 && ticks >= 3:
			open = ticks
		case open > 0 && ticks >= open && ticks == len(trimmed):
			keep()
			open = 0
		case open > 0:
			body.WriteString(line)
		}
	}
	if open > 0 {
		keep()
	}
	return best.String(), best.Len() > 0
}

// longest gives the longest object or array that can be decoded at any bracket of the text. The number of tries is
// bounded, so that a hostile reply of brackets costs little.
func longest(text string) json.RawMessage {
	const tries = 64
	var best json.RawMessage
	for rest, n := text, 0; n < tries; n++ {
		i := strings.IndexAny(rest, "{[")
		if i < 0 {
			break
		}
		rest = rest[i:]
		dec := json.NewDecoder(bytes.NewReader([]byte(rest)))
		var doc json.RawMessage
		if dec.Decode(&doc) != nil {
			rest = rest[1:]
			continue
		}
		if len(doc) > len(best) {
			best = doc
		}
		rest = rest[dec.InputOffset():]
	}
	return best
}
