package task

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"sluice/internal/line"
	"sluice/internal/yamlguard"
)

// maxFileBytes bounds one file of a deliverable.
const maxFileBytes = 8 << 20

// StaticFlaws says what a program has against a file, judged by its extension alone.
func StaticFlaws(name string, body []byte) []string {
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return []string{"the file is empty"}
	case len(body) > maxFileBytes:
		return []string{fmt.Sprintf("the file has %d bytes, over the limit of %d", len(body), maxFileBytes)}
	}
	err := parses(strings.ToLower(strings.TrimPrefix(path.Ext(name), ".")), body)
	if err == nil {
		return nil
	}
	return []string{cutText(err.Error(), 300)}
}

// maxYAML is the most that is parsed: the parser's time grows with the square of a text. A larger one may be right and is
// not looked into.
const maxYAML = 256 << 10

func parsesYAML(body []byte) (err error) {
	if len(body) > maxYAML {
		return nil
	}
	if why := yamlguard.Refuse(body, maxYAML); why != "" {
		return errors.New(why)
	}
	defer func() {
		if recover() != nil { // the parser is known to panic on some malformed documents
			err = errors.New("it is no YAML")
		}
	}()
	var v any
	if err := yaml.Unmarshal(body, &v); err != nil {
		return fmt.Errorf("it is no YAML: %w", err)
	}
	return nil
}

func parses(ext string, body []byte) error {
	switch ext {
	case "json":
		var v any
		dec := json.NewDecoder(bytes.NewReader(body))
		if err := dec.Decode(&v); err != nil {
			return fmt.Errorf("it is no JSON: %w at %s", err, placeOf(body, dec.InputOffset()))
		}
		if _, err := dec.Token(); !errors.Is(err, io.EOF) {
			return errors.New("something stands behind the JSON document")
		}
	case "yaml", "yml":
		return parsesYAML(body)
	case "csv":
		if _, err := csv.NewReader(bytes.NewReader(body)).ReadAll(); err != nil {
			return fmt.Errorf("it is no CSV: %w", err)
		}
	case "go":
		if _, err := parser.ParseFile(token.NewFileSet(), "", body, parser.SkipObjectResolution); err != nil {
			return fmt.Errorf("it is no Go: %w", err)
		}
	case "xml", "svg":
		return parsesXML(body)
	case "html", "htm":
		return parsesHTML(string(body))
	case "md", "markdown":
		return parsesMarkdown(string(body))
	case "txt", "js", "ts", "css", "py", "sh", "sql", "toml", "ini", "java", "rs", "c", "h", "cpp":
		if !utf8.Valid(body) {
			return errors.New("it is no UTF-8 text")
		}
	}
	return nil
}

func parsesXML(body []byte) error {
	dec := xml.NewDecoder(bytes.NewReader(body))
	elements := 0
	for {
		t, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("it is no XML: %w", err)
		}
		if _, ok := t.(xml.StartElement); ok {
			elements++
		}
	}
	if elements == 0 {
		return errors.New("it is no XML: it has no element")
	}
	return nil
}

// parsesMarkdown wants text, and every code fence closed.
func parsesMarkdown(text string) error {
	if !utf8.ValidString(text) {
		return errors.New("it is no UTF-8 text")
	}
	open, at := "", 0
	n := 0
	for row := range strings.Lines(text) {
		n++
		row = strings.TrimSpace(row)
		for _, mark := range []string{"```", "~~~"} {
			if !strings.HasPrefix(row, mark) {
				continue
			}
			ticks := row[:len(row)-len(strings.TrimLeft(row, mark[:1]))]
			switch {
			case open == "":
				open, at = ticks, n
			case strings.HasPrefix(ticks, open) && ticks == row:
				open = ""
			}
		}
	}
	if open != "" {
		return fmt.Errorf("the code fence of line %d is not closed", at)
	}
	return nil
}

// voidTags never have an end; optional ones may leave it out.
var (
	voidTags     = " area base br col embed hr img input link meta param source track wbr "
	optionalTags = " html head body p li dt dd option tr td th thead tbody tfoot colgroup caption rp rt optgroup "
	rawTags      = " script style textarea title "
)

// parsesHTML wants elements, and every one that must be closed closed in its order.
func parsesHTML(text string) error {
	var open []string
	elements := 0
	for rest := text; ; {
		i := strings.IndexByte(rest, '<')
		if i < 0 {
			break
		}
		rest = rest[i:]
		if strings.HasPrefix(rest, "<!--") {
			end := strings.Index(rest, "-->")
			if end < 0 {
				return errors.New("it is no HTML: a comment is not closed")
			}
			rest = rest[end+3:]
			continue
		}
		name, isEnd, selfClosed, after := tag(rest)
		rest = after
		switch {
		case name == "":
		case isEnd:
			at := lastOpen(open, name)
			if at < 0 {
				return fmt.Errorf("it is no HTML: </%s> closes nothing", name)
			}
			open = open[:at]
		default:
			elements++
			if selfClosed || strings.Contains(voidTags, " "+name+" ") {
				continue
			}
			open = append(open, name)
			if strings.Contains(rawTags, " "+name+" ") {
				end := strings.Index(strings.ToLower(rest), "</"+name)
				if end < 0 {
					return fmt.Errorf("it is no HTML: <%s> is not closed", name)
				}
				rest = rest[end:]
			}
		}
	}
	for _, name := range open {
		if !strings.Contains(optionalTags, " "+name+" ") {
			return fmt.Errorf("it is no HTML: <%s> is not closed", name)
		}
	}
	if elements == 0 {
		return errors.New("it is no HTML: it has no element")
	}
	return nil
}

// lastOpen finds the element that an end tag closes, past those that may be left open.
func lastOpen(open []string, name string) int {
	for i := len(open) - 1; i >= 0; i-- {
		if open[i] == name {
			return i
		}
		if !strings.Contains(optionalTags, " "+open[i]+" ") {
			return -1
		}
	}
	return -1
}

// tag reads one tag; a name of nothing means that the sign was text or a declaration.
func tag(s string) (name string, isEnd, selfClosed bool, rest string) {
	body := s[1:]
	body, isEnd = strings.CutPrefix(body, "/")
	n := 0
	for n < len(body) && (body[n] >= 'a' && body[n] <= 'z' || body[n] >= 'A' && body[n] <= 'Z' || n > 0 && (body[n] >= '0' && body[n] <= '9' || body[n] == '-')) {
		n++
	}
	if n == 0 && !strings.HasPrefix(body, "!") && !strings.HasPrefix(body, "?") { // a sign in the text
		return "", false, false, s[1:]
	}
	name = strings.ToLower(body[:n])
	quote := byte(0)
	for i := n; i < len(body); i++ {
		switch c := body[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return name, isEnd, i > 0 && body[i-1] == '/', body[i+1:]
		}
	}
	return name, isEnd, false, ""
}

// examine gives what a program found in a deliverable: what is against it, and what was looked at.
func examine(n Node, parts []line.Part) (flaws, seen []string) {
	flaws = misfits(n, parts)
	for _, p := range parts {
		against := StaticFlaws(p.Path, p.Body)
		for _, f := range against {
			flaws = append(flaws, p.Path+": "+f)
		}
		if len(against) == 0 {
			seen = append(seen, fmt.Sprintf("%s parses, %d bytes, %d lines", p.Path, len(p.Body), bytes.Count(p.Body, []byte("\n"))+1))
		}
	}
	return flaws, seen
}
