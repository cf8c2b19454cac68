package rehearsal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"time"

	"github.com/goccy/go-yaml"

	"sluice/internal/digest"
	"sluice/internal/fault"
)

// Script is a list of rules. The zero value steers nothing.
type Script struct{ rules []rule }

// Fail is a way for a call to go wrong.
type Fail string

const (
	Timeout     Fail = "timeout"
	RateLimit   Fail = "rate_limit"
	ServerError Fail = "server_error"
	Refuse      Fail = "refuse"
	Truncate    Fail = "truncate"
	BadJSON     Fail = "bad_json"
	WrongSchema Fail = "wrong_schema"
	CrashBefore Fail = "crash_before" // the process dies just before the reply is stored
	CrashAfter  Fail = "crash_after"  // the process dies just after the reply is stored
)

var fails = []Fail{Timeout, RateLimit, ServerError, Refuse, Truncate, BadJSON, WrongSchema, CrashBefore, CrashAfter}

// rule is one entry of a script.
type rule struct {
	agent   string // a glob
	when    map[string]any
	calls   []int64
	reply   json.RawMessage // a merge patch, a string for plain text, or empty
	fail    Fail
	delay   time.Duration
	counter string // shared by rules with the same agent and when: they count the same calls
}

type ruleDoc struct {
	Agent string         `yaml:"agent"`
	When  map[string]any `yaml:"when"`
	Calls []int64        `yaml:"calls"`
	Reply any            `yaml:"reply"`
	Fail  Fail           `yaml:"fail"`
	Delay string         `yaml:"delay"`
}

// LoadScript reads a script. Errors name the place.
func LoadScript(source []byte) (Script, error) {
	docs, err := parse(source)
	if err != nil {
		return Script{}, err
	}
	var s Script
	for i, doc := range docs {
		r, field, err := doc.rule()
		if err != nil {
			return Script{}, badScript("%srule %d: %s", place(source, i, field), i+1, err)
		}
		s.rules = append(s.rules, r)
	}
	return s, nil
}

// parse reads the YAML. The parser is known to panic on some malformed documents; to a person that is one more document
// that cannot be read.
func parse(source []byte) (docs []ruleDoc, err error) {
	defer func() {
		if r := recover(); r != nil {
			docs, err = nil, badScript("the script is not readable as YAML: %v", r)
		}
	}()
	err = yaml.NewDecoder(bytes.NewReader(source), yaml.Strict()).Decode(&docs)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, badScript("%s", yaml.FormatError(err, false, true))
	}
	return docs, nil
}

// rule checks one entry; an error comes with the field it is about.
func (d ruleDoc) rule() (r rule, field string, err error) {
	if d.Agent == "" {
		return r, "", fmt.Errorf(`agent is missing; "*" means every agent`)
	}
	if _, err := path.Match(d.Agent, ""); err != nil {
		return r, "agent", fmt.Errorf("agent %q is not a glob", d.Agent)
	}
	r = rule{agent: d.Agent, calls: d.Calls, fail: d.Fail}
	for _, n := range d.Calls {
		if n < 1 {
			return r, "calls", fmt.Errorf("call %d: calls are counted from 1", n)
		}
	}
	if d.Fail != "" && !slices.Contains(fails, d.Fail) {
		return r, "fail", fmt.Errorf("fail %q is none of %v", d.Fail, fails)
	}
	if d.Reply != nil {
		if d.Fail != "" && d.Fail != CrashBefore && d.Fail != CrashAfter {
			return r, "reply", fmt.Errorf("fail %s leaves no reply to change", d.Fail)
		}
		if r.reply, err = json.Marshal(d.Reply); err != nil {
			return r, "reply", fmt.Errorf("reply is not JSON: %w", err)
		}
	}
	if d.Delay != "" {
		if r.delay, err = time.ParseDuration(d.Delay); err != nil || r.delay < 0 {
			return r, "delay", fmt.Errorf("delay %q is not a duration such as 100ms", d.Delay)
		}
	}
	when, err := json.Marshal(d.When)
	if err != nil {
		return r, "when", fmt.Errorf("when is not JSON: %w", err)
	}
	if r.when, err = decodeObject(when); err != nil {
		return r, "when", fmt.Errorf("when is not JSON: %w", err)
	}
	r.counter, err = counterName(d.Agent, when)
	return r, "when", err
}

// counterName is made of what a rule counts, so that a count survives restarts, reordering and edits of the reply.
func counterName(agent string, when json.RawMessage) (string, error) {
	d, err := digest.OfValue(struct {
		Agent string          `json:"agent"`
		When  json.RawMessage `json:"when"`
	}{agent, when})
	return "rehearsal/" + d.Short(), err
}

// place renders where in the source a rule or one of its fields stands.
func place(source []byte, i int, field string) (at string) {
	defer func() {
		if recover() != nil {
			at = "" // as in parse: a message without its place is better than none
		}
	}()
	name := fmt.Sprintf("$[%d]", i)
	if field != "" {
		name += "." + field
	}
	p, err := yaml.PathString(name)
	if err != nil {
		return ""
	}
	node, err := p.ReadNode(bytes.NewReader(source))
	if err != nil || node == nil || node.GetToken() == nil {
		return ""
	}
	pos := node.GetToken().Position
	return fmt.Sprintf("[%d:%d] ", pos.Line, pos.Column)
}

func badScript(format string, args ...any) error {
	return fault.New(fault.BadScript, "rehearsal script", format, args...).With(
		fault.Action{Action: "read_manual", Why: "docs/rehearsal.md describes the format"})
}
