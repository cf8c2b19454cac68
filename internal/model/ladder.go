package model

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Mode is how a structured reply is asked for, from the strictest to what every server understands.
type Mode int

const (
	Strict Mode = iota // the server holds the model to the schema
	Object             // the server holds it to JSON; the prompt shows the schema
	Plain              // the prompt alone asks for it
)

// ladder remembers, for each model of a server, the mode that works. Each mode after the first asks for less of the
// server and more of the prompt.
type ladder struct {
	modes []Mode

	mu    sync.Mutex
	works map[string]Mode // the first that worked, by model
}

// climb tries the modes from the one that is known to work until one is not refused for its schema. Without a schema
// there is only the plain one.
func (l *ladder) climb(r Request, try func(Mode) (Reply, error)) (Reply, error) {
	if len(r.Schema) == 0 {
		return try(Plain)
	}
	l.mu.Lock()
	known := l.works[r.Params.Model]
	l.mu.Unlock()
	at := max(0, slices.Index(l.modes, known))
	for ; ; at++ {
		reply, err := try(l.modes[at])
		if err == nil {
			l.remember(r.Params.Model, l.modes[at])
			return reply, nil
		}
		if at >= len(l.modes)-1 || !refusesSchema(err) {
			return Reply{}, err
		}
	}
}

func (l *ladder) remember(model string, m Mode) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.works == nil {
		l.works = make(map[string]Mode)
	}
	l.works[model] = m
}

// refusesSchema tells a server that cannot do what a mode asks from one that finds fault with something else.
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
