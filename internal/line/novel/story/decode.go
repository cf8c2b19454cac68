package story

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"sluice/internal/fault"
)

// maxDocument bounds what is read as one document. The longest chapters are a hundredth of it.
const maxDocument = 16 << 20

// Decode reads one document of a book. Unknown fields are let be, a missing list is empty, a byte order mark and any
// line ends are accepted; a missing or mistyped field is an error that names the file and the place. Word counts are
// counted anew.
func Decode[T any](file string, body []byte) (T, error) {
	var v T
	if err := decodeOver(file, body, &v, false); err != nil {
		var none T
		return none, err
	}
	return v, nil
}

// decodeOver reads a document into what v holds already. With lenient every field may be missing.
func decodeOver(file string, body []byte, v any, lenient bool) error {
	tree, clean, err := parse(file, body)
	if err != nil {
		return err
	}
	if err := fits(reflect.TypeOf(v).Elem(), tree, "", lenient); err != nil {
		return unreadable(file, "%v", err)
	}
	if err := json.Unmarshal(clean, v); err != nil {
		return unreadable(file, "%v", err)
	}
	return finish(file, v)
}

// finish fills what is ours and checks the few values that must be one of several.
func finish(file string, v any) error {
	if f, ok := v.(interface{ fill() }); ok {
		f.fill()
	}
	if c, ok := v.(interface{ check() error }); ok {
		if err := c.check(); err != nil {
			return unreadable(file, "%v", err)
		}
	}
	return nil
}

// parse reads JSON and says where it breaks off.
func parse(file string, body []byte) (tree any, clean []byte, err error) {
	if len(body) > maxDocument {
		return nil, nil, unreadable(file, "%d bytes are over the limit of %d", len(body), maxDocument)
	}
	clean = bytes.TrimPrefix(body, []byte("\ufeff"))
	if !utf8.Valid(clean) {
		return nil, nil, unreadable(file, "the text is not UTF-8")
	}
	if len(bytes.TrimSpace(clean)) == 0 {
		return nil, nil, unreadable(file, "the file is empty")
	}
	dec := json.NewDecoder(bytes.NewReader(clean))
	dec.UseNumber()
	if err := dec.Decode(&tree); err != nil {
		return nil, nil, unreadable(file, "%s", place(clean, err))
	}
	at := dec.InputOffset()
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		line, column := lineColumn(clean, at)
		return nil, nil, unreadable(file, "line %d, column %d: more follows the end of the document", line, column)
	}
	return tree, clean, nil
}

func place(body []byte, err error) string {
	var syntax *json.SyntaxError
	at := int64(len(body))
	what := "the document breaks off"
	if errors.As(err, &syntax) {
		at, what = syntax.Offset, syntax.Error()
	} else if !errors.Is(err, io.ErrUnexpectedEOF) {
		what = err.Error()
	}
	line, column := lineColumn(body, at)
	return fmt.Sprintf("line %d, column %d: %s", line, column, what)
}

func lineColumn(body []byte, at int64) (line, column int) {
	before := body[:min(max(at, 0), int64(len(body)))]
	line = 1 + bytes.Count(before, []byte("\n"))
	return line, max(1, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]))
}

func unreadable(file, format string, args ...any) *fault.Error {
	return fault.New(fault.BadValue, file, "%s: %s", file, fmt.Sprintf(format, args...))
}

// fits says at which place a JSON value is not what a type needs.
func fits(t reflect.Type, tree any, at string, lenient bool) error {
	if t.Kind() == reflect.Pointer {
		return fits(t.Elem(), tree, at, lenient)
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return nil // it knows best
	}
	switch t.Kind() {
	case reflect.Struct:
		return structFits(t, tree, at, lenient)
	case reflect.Slice:
		items, ok := tree.([]any)
		if !ok {
			return mistyped(at, tree, "a list")
		}
		for i, item := range items {
			if err := fits(t.Elem(), item, fmt.Sprintf("%s[%d]", at, i), lenient); err != nil {
				return err
			}
		}
	case reflect.Map:
		fields, ok := tree.(map[string]any)
		if !ok {
			return mistyped(at, tree, "an object")
		}
		for _, key := range sortedKeys(fields) {
			if err := fits(t.Elem(), fields[key], fmt.Sprintf("%s[%q]", at, key), lenient); err != nil {
				return err
			}
		}
	case reflect.String:
		if _, ok := tree.(string); !ok {
			return mistyped(at, tree, "text")
		}
	case reflect.Int:
		number, ok := tree.(json.Number)
		if !ok {
			return mistyped(at, tree, "a whole number")
		}
		if _, err := number.Int64(); err != nil {
			return fmt.Errorf("%s is %s, not a whole number", named(at), number)
		}
	}
	return nil
}

func structFits(t reflect.Type, tree any, at string, lenient bool) error {
	fields, ok := tree.(map[string]any)
	if !ok {
		return mistyped(at, tree, "an object")
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		value, present := fields[name]
		if present && value == nil { // null says nothing
			present = false
		}
		where := strings.TrimPrefix(at+"."+name, ".")
		if present {
			if err := fits(f.Type, value, where, lenient); err != nil {
				return err
			}
			continue
		}
		kind := f.Type.Kind()
		may := lenient || opts != "" || f.Tag.Get("story") != "" || kind == reflect.Slice || kind == reflect.Map
		if !may {
			return fmt.Errorf("%s is missing", where)
		}
	}
	return nil
}

func mistyped(at string, tree any, want string) error {
	return fmt.Errorf("%s is %s, not %s", named(at), jsonWord(tree), want)
}

func named(at string) string {
	if at == "" {
		return "the document"
	}
	return at
}

func jsonWord(tree any) string {
	switch tree.(type) {
	case nil:
		return "null"
	case string:
		return "text"
	case json.Number:
		return "a number"
	case bool:
		return "true or false"
	case []any:
		return "a list"
	}
	return "an object"
}
