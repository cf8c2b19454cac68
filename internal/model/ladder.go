package model

import (
	"errors"
	"net/http"
	"strings"
	"sync"
)

// Ladder remembers, for each model of a server, how a structured reply can be asked for. Way 0 is the strictest; each
// way after it asks for less of the server and more of the prompt. The zero value is ready for use.
type Ladder struct {
	mu   sync.Mutex
	ways map[string]int // the first that worked, by model
}

// Climb tries the ways from the first that is known to work until one is not refused for its schema. Without a
// schema there is only the last way.
func (l *Ladder) Climb(r Request, last int, try func(way int) (Reply, error)) (Reply, error) {
	if len(r.Schema) == 0 {
		return try(last)
	}
	l.mu.Lock()
	way := l.ways[r.Params.Model]
	l.mu.Unlock()
	for ; ; way++ {
		reply, err := try(way)
		if err == nil {
			l.remember(r.Params.Model, way)
			return reply, nil
		}
		if way >= last || !refusesSchema(err) {
			return Reply{}, err
		}
	}
}

func (l *Ladder) remember(model string, way int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ways == nil {
		l.ways = make(map[string]int)
	}
	l.ways[model] = way
}

// refusesSchema tells a server that cannot do what a way asks from one that finds fault with something else.
func refusesSchema(err error) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Status != http.StatusBadRequest && e.Status != http.StatusUnprocessableEntity && e.Status != http.StatusNotImplemented {
		return false
	}
	text := strings.ToLower(e.Error())
	for _, word := range []string{
		"response_format", "json_object", "schema", "structured output", "output_config", "output_format",
		"response_mime_type", "responsemimetype", "json mode", "grammar", "invalid format",
	} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// PromptWithSchema is the prompt with the full schema written out, for servers that are not given one.
func (r Request) PromptWithSchema() string {
	return r.Prompt + "\n\nAnswer with one JSON document that fits this JSON schema, and with nothing else:\n" + string(r.Schema)
}
