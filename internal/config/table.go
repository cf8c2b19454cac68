package config

import (
	"reflect"

	"github.com/goccy/go-yaml/ast"

	"sluice/internal/fault"
)

// table is a setting with rows of its own: SmokeTests, Agents, Tiers, Providers or Prices. It writes itself as it would stand in
// a file.
type table interface {
	String() string
	example() string
}

// assignTable reads a table. One in a later file replaces the whole of one before.
func (d *document) assignTable(f field, n ast.Node) error {
	read := d.tests
	switch f.value(&d.l.out.Config).Interface().(type) {
	case Agents:
		read = d.agents
	case Tiers:
		read = d.tiers
	case Providers:
		read = d.providers
	case Prices:
		read = d.prices
	}
	rows, err := read(f, n)
	if err == nil {
		f.value(&d.l.out.Config).Set(reflect.ValueOf(rows))
	}
	return err
}

// textTable reads a table from a variable or a flag, written as it would stand in a file.
func (l *loader) textTable(f field, value, origin string) error {
	d := &document{l: l, path: origin, body: []byte(value), own: true, seen: map[string]bool{}}
	file, err := parse(d.body)
	if err != nil || len(file.Docs) != 1 {
		example := ""
		if t, ok := f.value(&l.out.Config).Interface().(table); ok {
			example = t.example()
		}
		return fault.New(fault.BadConfig, f.key, "%s sets %s, which is no table such as %s", origin, f.key, example).With(change(origin))
	}
	return d.assignTable(f, file.Docs[0].Body)
}

func (s SmokeTests) example() string { return "{go: {command: [go, vet, ./...]}}" }
func (a Agents) example() string     { return "{scene-text: strong}" }
func (t Tiers) example() string      { return "{strong: [big-1, {provider: ollama, model: big-2}]}" }
func (p Providers) example() string {
	return "{backup: {kind: openai, base_url: https://…, key_env: BACKUP_KEY}}"
}
