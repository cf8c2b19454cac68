package publish

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"sluice/internal/fault"
	"sluice/internal/line/spec/ledger"
	"sluice/internal/yamlguard"
)

//go:embed mapping.yaml
var defaultMapping []byte

// mappingVersions are the forms of a mapping file that are known.
var mappingVersions = []string{"1"}

// maxMapping is far more than a table has fields.
const maxMapping = 64 << 10

// Mapping says which field of a table is filled from what.
type Mapping struct {
	Version  string  `yaml:"mapping_version"`
	KeyField string  `yaml:"key_field"` // the field whose text holds the front matter, by which a record is found again
	Fields   []Field `yaml:"fields"`
}

// Field is one field of a table.
type Field struct {
	Name      string    `yaml:"field"`
	Transform Transform `yaml:"transform"`
	Source    string    `yaml:"source"`    // direct
	Template  string    `yaml:"template"`  // template: text with {{source}} in it
	Sources   []string  `yaml:"sources"`   // concat
	Separator string    `yaml:"separator"` // concat
	Value     string    `yaml:"value"`     // fixed
	As        Form      `yaml:"as"`
	Required  bool      `yaml:"required"` // without a value nothing is published
}

// Transform is how the value of a field is made.
type Transform string

const (
	Direct   Transform = "direct"
	Template Transform = "template"
	Concat   Transform = "concat"
	Fixed    Transform = "fixed"
)

// Form is how a table wants a value.
type Form string

const (
	AsText Form = "text" // what is meant where nothing is said; selections are texts too
	AsUser Form = "user"
	AsLink Form = "link" // a record of another table
)

// MappingSource gives the mapping when something is published: a broken file hinders nothing else.
type MappingSource func() (Mapping, error)

// DefaultMapping is the map of the spec contract.
func DefaultMapping() (Mapping, error) { return ParseMapping("mapping.yaml", defaultMapping) }

// ParseMapping reads a mapping file and refuses what could not be applied to any spec.
func ParseMapping(name string, body []byte) (m Mapping, err error) {
	defer func() {
		if recover() != nil { // the parser is known to panic on some malformed documents
			err = badMapping(name, "the file is no YAML")
		}
	}()
	if why := yamlguard.Refuse(body, maxMapping); why != "" {
		return m, badMapping(name, "the file cannot be a mapping: %s", why)
	}
	if bytes.Contains(body, []byte("&")) && bytes.Contains(body, []byte("*")) {
		return m, badMapping(name, "a mapping file has no anchors with aliases")
	}
	if err := yaml.UnmarshalWithOptions(body, &m, yaml.Strict()); err != nil {
		text, _, _ := strings.Cut(err.Error(), "\n")
		return m, badMapping(name, "%s", text)
	}
	if !slices.Contains(mappingVersions, m.Version) {
		return m, badMapping(name, "mapping_version is %q; known are %s", m.Version, strings.Join(mappingVersions, ", "))
	}
	if len(m.Fields) == 0 {
		return m, badMapping(name, "no fields are named")
	}
	seen := map[string]bool{}
	for i, f := range m.Fields {
		if why := f.refuse(); why != "" {
			return m, badMapping(name, "field %d (%s): %s", i+1, f.Name, why)
		}
		if seen[f.Name] {
			return m, badMapping(name, "field %s stands twice", f.Name)
		}
		seen[f.Name] = true
	}
	return m, m.checkKey(name)
}

func badMapping(name, format string, args ...any) *fault.Error {
	return fault.New(fault.BadConfig, name, "%s: %s", name, fmt.Sprintf(format, args...)).With(
		fault.Action{Action: "edit the mapping file, or leave publish.mapping out", Command: "sluice config show"})
}

// checkKey refuses a key field that could not tell one feature from another.
func (m Mapping) checkKey(name string) error {
	if m.KeyField == "" {
		return nil
	}
	for _, f := range m.Fields {
		if f.Name == m.KeyField {
			if f.Transform == Template && strings.HasPrefix(f.Template, "{{user_story}}") {
				return nil
			}
			return badMapping(name, "key_field %s does not begin with {{user_story}}, which holds the feature's id", m.KeyField)
		}
	}
	return badMapping(name, "key_field %s is none of the fields", m.KeyField)
}

func (f Field) refuse() string {
	if f.Name == "" {
		return "it has no name"
	}
	if f.As != "" && f.As != AsText && f.As != AsUser && f.As != AsLink {
		return fmt.Sprintf("as is %q; text, user or link is needed", f.As)
	}
	var names []string
	switch f.Transform {
	case Direct:
		names = []string{f.Source}
	case Concat:
		if names = f.Sources; len(names) == 0 {
			return "concat has no sources"
		}
	case Template:
		var err string
		if names, err = placeholders(f.Template); err != "" {
			return err
		}
	case Fixed:
		if f.Value == "" {
			return "fixed has no value"
		}
	default:
		return fmt.Sprintf("transform is %q; direct, template, concat or fixed is needed", f.Transform)
	}
	known := sources(ledger.Request{})
	for _, n := range names {
		if _, ok := known[n]; !ok {
			return fmt.Sprintf("there is no source %q", n)
		}
	}
	return ""
}

// placeholders lists the {{names}} of a template.
func placeholders(template string) (names []string, refusal string) {
	if template == "" {
		return nil, "template has no text"
	}
	for rest := template; ; {
		_, after, found := strings.Cut(rest, "{{")
		if !found {
			return names, ""
		}
		name, next, closed := strings.Cut(after, "}}")
		if !closed {
			return nil, "{{ is never closed"
		}
		names, rest = append(names, strings.TrimSpace(name)), next
	}
}

// Apply gives the fields for a request. A required one without a value is refused.
func (m Mapping) Apply(r ledger.Request) (map[string]json.RawMessage, error) {
	from := sources(r)
	out := map[string]json.RawMessage{}
	for _, f := range m.Fields {
		text := f.text(from)
		if text == "" {
			if f.Required {
				return nil, fault.New(fault.MissingPrerequisite, f.Name, "field %s of the target needs %s, which %s does not have",
					f.Name, f.origin(), r.Spec.Feature.FeatureID).With(fault.Action{Action: "give it", Command: "sluice spec amend " +
					r.Spec.Feature.FeatureID, Why: "or change the mapping file, if the target does not need it"})
			}
			continue // an empty value would erase what people wrote there
		}
		value, err := f.shape(text)
		if err != nil {
			return nil, err
		}
		out[f.Name] = value
	}
	return out, nil
}

func (f Field) origin() string {
	switch f.Transform {
	case Direct:
		return f.Source
	case Concat:
		return strings.Join(f.Sources, " or ")
	}
	return "a text"
}

func (f Field) text(from map[string]string) string {
	switch f.Transform {
	case Direct:
		return from[f.Source]
	case Concat:
		var parts []string
		for _, s := range f.Sources {
			if from[s] != "" {
				parts = append(parts, from[s])
			}
		}
		return strings.Join(parts, f.Separator)
	case Template:
		var b strings.Builder
		rest := f.Template
		for {
			before, after, found := strings.Cut(rest, "{{")
			b.WriteString(before)
			if !found {
				return b.String()
			}
			name, next, _ := strings.Cut(after, "}}")
			b.WriteString(from[strings.TrimSpace(name)]) // once: what a spec says is never a template
			rest = next
		}
	}
	return f.Value
}

// user is how a table names a person.
type user struct {
	ID string `json:"id"`
}

func (f Field) shape(text string) (json.RawMessage, error) {
	switch f.As {
	case AsUser:
		return json.Marshal([]user{{text}})
	case AsLink:
		return json.Marshal([]string{text})
	}
	return json.Marshal(text)
}
