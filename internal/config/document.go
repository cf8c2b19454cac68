package config

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"sluice/internal/fault"
	"sluice/internal/yamlguard"
)

// document is one file on its way into the settings.
type document struct {
	l    *loader
	path string
	body []byte
	own  bool // the user's own file, which may say everything
	seen map[string]bool
}

// document reads the settings of a file, key by key, so that what is absent stays absent and every error has a place.
func (l *loader) document(path string, body []byte, own bool) error {
	d := &document{l: l, path: path, body: bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")), own: own, seen: map[string]bool{}}
	if !utf8.Valid(d.body) {
		return d.fault(nil, path, "the file is not UTF-8 text")
	}
	if why := yamlguard.Refuse(d.body, maxFile); why != "" {
		return d.fault(nil, path, "the file cannot be settings: %s", why)
	}
	file, err := parse(d.body)
	if err != nil {
		return d.syntax(err)
	}
	for i, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if i > 0 {
			return d.fault(begin(doc.Body), path, "a second document begins; settings are one")
		}
		if err := d.root(doc.Body); err != nil {
			return err
		}
	}
	return nil
}

// parse reads the YAML. The parser is known to panic on some malformed documents; to a person that is one more document
// that cannot be read.
func parse(body []byte) (file *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the text is no YAML")
		}
	}()
	return parser.ParseBytes(body, 0, parser.AllowDuplicateMapKey()) // we say it in our own words
}

func (d *document) root(n ast.Node) error {
	names, _ := sections()
	return d.each(n, "the file", func(key string, at *token.Token, value ast.Node) error {
		if !slices.Contains(names, key) {
			return d.fault(at, key, "%s is no section%s", key, d.l.suggestSection(key, names))
		}
		return d.each(value, key, func(name string, at *token.Token, value ast.Node) error {
			return d.entry(key+"."+name, at, value)
		})
	})
}

// each walks a mapping. What has no value, because all of it is commented out, is an empty one.
func (d *document) each(n ast.Node, what string, visit func(string, *token.Token, ast.Node) error) error {
	if n == nil || n.Type() == ast.NullType || n.Type() == ast.CommentType {
		return nil
	}
	m, ok := n.(ast.MapNode)
	if !ok {
		return d.fault(begin(n), what, "%s is %s; keys with values are needed", what, d.kind(n))
	}
	for it := m.MapRange(); it.Next(); {
		key, ok := it.Key().(*ast.StringNode)
		if !ok {
			return d.fault(it.Key().GetToken(), what, "a key of %s is no plain word", what)
		}
		full := what + "." + key.Value
		if d.seen[full] {
			return d.fault(key.GetToken(), key.Value, "%s stands twice", key.Value)
		}
		d.seen[full] = true
		if err := visit(key.Value, key.GetToken(), it.Value()); err != nil {
			return err
		}
	}
	return nil
}

func (d *document) entry(key string, at *token.Token, n ast.Node) error {
	f, ok := d.l.find(key)
	if !ok {
		return d.fault(at, key, "%s is no setting%s", key, d.l.suggest(key, func(f field) string { return f.key }))
	}
	if f.user && !d.own {
		e := d.fault(at, key, "%s cannot be set in a workspace, which may come from anyone", key)
		e.Next = []fault.Action{{Action: "move", Why: "remove the line; it belongs in " + d.l.ownPlace(f)}}
		return e
	}
	before := reflect.New(f.value(&d.l.out.Config).Type()).Elem()
	before.Set(f.value(&d.l.out.Config))
	if err := d.assign(f, at, n); err != nil {
		return err
	}
	if f.tight && !d.own && tighter(before, f.value(&d.l.out.Config)) {
		return nil // what the user turned on or limits, a workspace does not undo
	}
	if why := refuse(f.key, &d.l.out.Config); why != "" {
		return d.fault(at, key, "%s %s", key, why)
	}
	d.l.out.origins[f.key] = d.path
	return nil
}

func (d *document) assign(f field, at *token.Token, n ast.Node) error {
	if n == nil || n.Type() == ast.NullType {
		if f.isOptional() {
			f.value(&d.l.out.Config).SetZero()
			return nil
		}
		return d.fault(at, f.key, `%s has no value; write one, "" for an empty one, or remove the line`, f.key)
	}
	if f.isList() {
		return d.assignList(f, n)
	}
	if f.isTable() {
		return d.assignTable(f, n)
	}
	text, ok := scalar(n)
	if !ok {
		return d.fault(begin(n), f.key, "%s is %s; a plain value is needed", f.key, d.kind(n))
	}
	if need := f.set(&d.l.out.Config, text); need != "" {
		return d.fault(begin(n), f.key, "%s is %s; %s", f.key, printable(f, text), need)
	}
	return nil
}

func (d *document) assignList(f field, n ast.Node) error {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return d.fault(begin(n), f.key, "%s is %s; a list is needed", f.key, d.kind(n))
	}
	items := []string{}
	for _, v := range list.Values {
		text, ok := scalar(v)
		if !ok {
			return d.fault(begin(v), f.key, "an item of %s is %s; a plain value is needed", f.key, d.kind(v))
		}
		items = append(items, text)
	}
	f.setList(&d.l.out.Config, items)
	return nil
}

// scalar gives the text of a plain value. Anchors, aliases and tags are none: nothing here is long enough to need them.
func scalar(n ast.Node) (string, bool) {
	switch v := n.(type) {
	case *ast.StringNode:
		return v.Value, true
	case *ast.LiteralNode:
		return v.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	}
	return "", false
}

func (d *document) kind(n ast.Node) string {
	switch n.Type() {
	case ast.MappingType, ast.MappingValueType:
		return "a group of keys"
	case ast.SequenceType:
		return "a list"
	case ast.AnchorType, ast.AliasType, ast.TagType, ast.MergeKeyType:
		return "an anchor, alias or tag"
	}
	return "a single value"
}

// syntax renders what the parser says, with our own view of the place: its view prints neighbouring lines, and one of
// those may hold something that must not be printed.
func (d *document) syntax(err error) error {
	if e, ok := errors.AsType[yaml.Error](err); ok {
		text, _, _ := strings.Cut(e.GetMessage(), "\n")
		return d.fault(e.GetToken(), d.path, "the file is no YAML: %s", text)
	}
	return d.fault(nil, d.path, "the file is no YAML")
}

// fault is an error at a place: file, line, column, and the line with a caret under it.
func (d *document) fault(at *token.Token, subject, format string, args ...any) *fault.Error {
	name := d.path
	if !d.own {
		name = filepath.Base(d.path) // a workspace's file is named as people know it
	}
	message := fmt.Sprintf(format, args...)
	if at == nil || at.Position == nil {
		return fault.New(fault.BadConfig, subject, "%s: %s", name, message).With(edit(d.path))
	}
	line, column := at.Position.Line, at.Position.Column
	return fault.New(fault.BadConfig, subject, "%s:%d:%d: %s%s", name, line, column, message,
		d.excerpt(line, column)).With(edit(d.path))
}

// ownPlace says where a setting belongs that only the user may give.
func (l *loader) ownPlace(f field) string {
	if l.userFile == "" {
		return "the variable " + f.env
	}
	return l.userFile + " or in the variable " + f.env
}

// begin is where a value begins: a group of keys at its first key.
func begin(n ast.Node) *token.Token {
	if m, ok := n.(ast.MapNode); ok {
		if it := m.MapRange(); it.Next() {
			return it.Key().GetToken()
		}
	}
	return n.GetToken()
}
