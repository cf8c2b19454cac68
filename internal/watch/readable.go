package watch

import (
	"encoding/json"
	"strings"
)

// maxDepth is how deep a document may be to be shown as an outline.
const maxDepth = 40

// readable shows a JSON document as an outline, with its texts as paragraphs: people judge what it says, not how it is
// quoted. Everything else, and what cannot be outlined, stays as it is.
func readable(body string) string {
	trimmed := strings.TrimSpace(body)
	if trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' || !json.Valid([]byte(trimmed)) {
		return body
	}
	o := outline{dec: json.NewDecoder(strings.NewReader(trimmed))}
	o.dec.UseNumber()
	if !o.value("", 0) {
		return body
	}
	return strings.TrimPrefix(o.b.String(), "\n")
}

// outline writes a document as it reads it, in its own order.
type outline struct {
	dec *json.Decoder
	b   strings.Builder
}

// value writes the next value behind what introduces it; ok is false where the document is too deep.
func (o *outline) value(lead string, depth int) (ok bool) {
	t, err := o.dec.Token()
	if err != nil || depth > maxDepth {
		return false
	}
	d, isDelim := t.(json.Delim)
	if !isDelim {
		o.scalar(lead, t, depth)
		return true
	}
	if !o.dec.More() {
		_, err := o.dec.Token()
		o.line(depth, lead+map[json.Delim]string{'{': "{}", '[': "[]"}[d])
		return err == nil
	}
	if lead != "" {
		o.line(depth, strings.TrimRight(lead, " "))
		depth++
	}
	for o.dec.More() {
		inner := "- "
		if d == '{' {
			name, err := o.dec.Token()
			if err != nil {
				return false
			}
			text, _ := name.(string)
			inner = strings.ReplaceAll(text, "\n", " ") + ": "
		}
		if !o.value(inner, depth) {
			return false
		}
	}
	_, err = o.dec.Token()
	return err == nil
}

func (o *outline) scalar(lead string, t json.Token, depth int) {
	text, isText := t.(string)
	switch {
	case !isText:
		raw, _ := json.Marshal(t) // numbers, booleans and null always can be
		o.line(depth, lead+string(raw))
	case strings.Contains(text, "\n"):
		o.line(depth, strings.TrimRight(lead, " "))
		for l := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
			o.line(depth+1, l)
		}
	default:
		o.line(depth, lead+text)
	}
}

func (o *outline) line(depth int, text string) {
	o.b.WriteString("\n" + strings.Repeat("  ", depth) + text)
}
