package config

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// excerpt shows a line with a caret under the place, or nothing if the place is not in the file.
func (d *document) excerpt(line, column int) string {
	lines := strings.Split(string(d.body), "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	text := d.discreet(strings.TrimRight(lines[line-1], "\r"))
	if strings.TrimSpace(text) == "" {
		return ""
	}
	number := strconv.Itoa(line)
	var pad strings.Builder
	for i, r := range []rune(text) {
		if i >= column-1 {
			break
		}
		switch {
		case r == '\t':
			pad.WriteRune('\t')
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			pad.WriteString("  ")
		default:
			pad.WriteByte(' ')
		}
	}
	return fmt.Sprintf("\n  %s | %s\n  %s | %s^", number, text, strings.Repeat(" ", len(number)), pad.String())
}

// discreet hides what may be a key: the value of a setting that does not exist (someone wrote the key itself) or that
// holds settings of its own, and long words on a line that cannot be understood.
func (d *document) discreet(line string) string {
	before, value, ok := strings.Cut(line, ":")
	name := strings.Trim(strings.TrimSpace(before), `"'{ `)
	if !ok {
		return hideLongWords(line)
	}
	isPlain := d.isKnown(name) && name != "key_env" && name != "base_url" && !strings.ContainsAny(value, "{:")
	if strings.TrimSpace(value) == "" || isPlain {
		return line
	}
	return before + ": …"
}

func (d *document) isKnown(name string) bool {
	for _, f := range d.l.fields {
		section, key, _ := strings.Cut(f.key, ".")
		if name == key || name == section {
			return true
		}
	}
	return false
}

func hideLongWords(line string) string {
	words := strings.Split(line, " ")
	for i, w := range words {
		if r := []rune(w); len(r) > 12 {
			words[i] = string(r[:4]) + "…"
		}
	}
	return strings.Join(words, " ")
}

// printable quotes a value that is refused, unless it may be a key or is too long to help.
func printable(f field, value string) string {
	if f.user {
		return "something else"
	}
	if r := []rune(value); len(r) > 40 {
		value = string(r[:40]) + "…"
	}
	return strconv.Quote(value)
}

// suggest names the nearest setting, as ", did you mean …", or nothing where none is near. Someone may have the right
// name in the wrong section.
func (l *loader) suggest(key string, name func(field) string) string {
	_, bare, _ := strings.Cut(key, ".")
	for _, word := range []string{"key", "token", "secret", "password"} {
		if strings.Contains(bare, word) {
			return "; a key never stands in settings: model.key_env names the variable that holds it, model.key_file the file"
		}
	}
	best, distance := field{}, 1+len(key)
	for _, f := range l.fields {
		if _, own, _ := strings.Cut(f.key, "."); own == bare {
			return ", did you mean " + name(f) + "?"
		}
		if n := edits(key, f.key); n < distance {
			best, distance = f, n
		}
	}
	if distance > 1+len(bare)/3 {
		return ""
	}
	return ", did you mean " + name(best) + "?"
}

func (l *loader) suggestSection(key string, names []string) string {
	for _, f := range l.fields {
		section, own, _ := strings.Cut(f.key, ".")
		if key == own || key == f.key {
			return ", did you mean " + own + " inside " + section + "?"
		}
	}
	for _, n := range names {
		if edits(key, n) <= 1+len(n)/4 {
			return ", did you mean " + n + "?"
		}
	}
	return "; there are " + strings.Join(names, ", ")
}

// edits counts the letters to insert, remove or replace between two short words.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
