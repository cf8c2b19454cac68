package story

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"sluice/internal/fault"
)

// Encode writes a document as files of a book are: two spaces, every script as it is, a final newline. Lists are never
// null and words are counted anew.
func Encode[T any](v T) ([]byte, error) {
	if f, ok := any(&v).(interface{ fill() }); ok {
		f.fill()
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, fault.Wrap(fault.Unexpected, "", err, "document of a book")
	}
	return b.Bytes(), nil
}

// EncodeList writes a list of documents.
func EncodeList[T any](list []T) ([]byte, error) {
	for i := range list {
		if f, ok := any(&list[i]).(interface{ fill() }); ok {
			f.fill()
		}
	}
	return Encode(filled(list))
}

// DecodeList reads a list of documents. An entry that cannot be read is left out and named among the flaws; a file that
// is no list at all is an error.
func DecodeList[T any](file string, body []byte) (list []T, flaws []error, err error) {
	tree, _, err := parse(file, body)
	if err != nil {
		return nil, nil, err
	}
	items, ok := tree.([]any)
	if !ok {
		return nil, nil, unreadable(file, "%v", mistyped("", tree, "a list"))
	}
	for i, item := range items {
		at := fmt.Sprintf("[%d]", i)
		if err := fits(reflect.TypeFor[T](), item, at, false); err != nil {
			flaws = append(flaws, unreadable(file, "%v", err))
			continue
		}
		raw, err := json.Marshal(item)
		if err != nil {
			return nil, nil, unreadable(file, "%v", err)
		}
		var v T
		err = json.Unmarshal(raw, &v)
		if err == nil {
			err = finish(file, &v)
		}
		if err != nil {
			flaws = append(flaws, unreadable(file, "%s: %v", at, err))
			continue
		}
		list = append(list, v)
	}
	return list, flaws, nil
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
