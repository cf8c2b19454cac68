package config

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// field is one key, found by the tags of the Config struct.
type field struct {
	key   string // section.name
	env   string
	index [2]int // section and field in Config
	doc   string
	user  bool // never from a workspace file
	tight bool // a workspace file may turn it on, never off
	min   string
	oneOf []string
}

// fields lists every key in the order of declaration.
func fields() []field {
	var all []field
	t := reflect.TypeFor[Config]()
	for i := range t.NumField() {
		section := t.Field(i)
		for j := range section.Type.NumField() {
			f := section.Type.Field(j)
			name := section.Tag.Get("yaml") + "." + f.Tag.Get("yaml")
			all = append(all, field{key: name, env: envName(name), index: [2]int{i, j}, doc: f.Tag.Get("doc"),
				user: f.Tag.Get("trust") == "user", tight: f.Tag.Get("trust") == "tighten", min: f.Tag.Get("min"), oneOf: strings.Fields(f.Tag.Get("oneof"))})
		}
	}
	return all
}

// sections gives each section's name and what it is for.
func sections() (names []string, docs map[string]string) {
	docs = map[string]string{}
	t := reflect.TypeFor[Config]()
	for i := range t.NumField() {
		name := t.Field(i).Tag.Get("yaml")
		names = append(names, name)
		docs[name] = t.Field(i).Tag.Get("doc")
	}
	return names, docs
}

func envName(key string) string {
	return "SLUICE_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

func (f field) value(c *Config) reflect.Value {
	return reflect.ValueOf(c).Elem().Field(f.index[0]).Field(f.index[1])
}

func (f field) isList() bool {
	return reflect.TypeFor[Config]().Field(f.index[0]).Type.Field(f.index[1]).Type == reflect.TypeFor[[]string]()
}

// isTable tells whether the field is one of the tables.
func (f field) isTable() bool {
	_, ok := f.value(&Config{}).Interface().(table)
	return ok
}

func (f field) isOptional() bool {
	return reflect.TypeFor[Config]().Field(f.index[0]).Type.Field(f.index[1]).Type.Kind() == reflect.Pointer
}

// set parses text into the field. The answer says what is needed instead, or nothing.
func (f field) set(c *Config, text string) string {
	v := f.value(c)
	if v.Kind() == reflect.Pointer {
		p := reflect.New(v.Type().Elem())
		if need := f.parse(p.Elem(), text); need != "" {
			return need
		}
		v.Set(p)
		return ""
	}
	return f.parse(v, text)
}

func (f field) parse(v reflect.Value, text string) string {
	if v.Type() == reflect.TypeFor[time.Duration]() {
		d, err := time.ParseDuration(text)
		least, _ := time.ParseDuration(f.min)
		switch {
		case err != nil:
			return "a time with its unit is needed, such as 90s or 5m"
		case f.min != "" && d < least:
			return "at least " + f.min + " is needed"
		}
		v.SetInt(int64(d))
		return ""
	}
	switch v.Kind() {
	case reflect.String:
		return f.parseWord(v, text)
	case reflect.Bool:
		if text != "true" && text != "false" {
			return "true or false is needed"
		}
		v.SetBool(text == "true")
		return ""
	case reflect.Int:
		n, err := strconv.Atoi(text)
		if err != nil {
			return "a whole number is needed"
		}
		v.SetInt(int64(n))
		return f.least(float64(n))
	case reflect.Float64:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return "a number is needed"
		}
		v.SetFloat(x)
		return f.least(x)
	}
	return "this program cannot read it" // a test keeps every field readable
}

func (f field) parseWord(v reflect.Value, text string) string {
	if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }); i >= 0 {
		return "one line without control characters is needed"
	}
	if len(f.oneOf) > 0 {
		for _, word := range f.oneOf {
			if text == word {
				v.SetString(text)
				return ""
			}
		}
		return "one of " + strings.Join(f.oneOf, ", ") + " is needed"
	}
	v.SetString(text)
	return ""
}

func (f field) least(x float64) string {
	if least, err := strconv.ParseFloat(f.min, 64); err == nil && x < least {
		return "at least " + f.min + " is needed"
	}
	return ""
}

func (f field) setList(c *Config, items []string) { f.value(c).Set(reflect.ValueOf(items)) }

// show renders the value as it would stand in a file.
func (f field) show(c *Config) string {
	v := f.value(c)
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "null"
		}
		v = v.Elem()
	}
	switch x := v.Interface().(type) {
	case time.Duration:
		return shortDuration(x)
	case []string:
		return "[" + strings.Join(x, ", ") + "]"
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	default:
		return fmt.Sprint(x)
	}
}

// shortDuration drops the zero units that Duration.String adds: 5m, not 5m0s.
func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
