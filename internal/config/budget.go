package config

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// Budget says what may be spent. A workspace may lower what the user allows, never raise it.
type Budget struct {
	RunTokens int     `yaml:"run_tokens" min:"0" trust:"tighten" doc:"tokens that one run may cost; 0 sets no limit"`
	RunCost   float64 `yaml:"run_cost" min:"0" trust:"tighten" doc:"US dollars that one run may cost; 0 sets no limit"`
	DayTokens int     `yaml:"day_tokens" min:"0" trust:"tighten" doc:"tokens that all runs may cost on one day (UTC); 0 sets no limit"`
	DayCost   float64 `yaml:"day_cost" min:"0" trust:"tighten" doc:"US dollars that all runs may cost on one day (UTC); 0 sets no limit"`
	WarnAt    float64 `yaml:"warn_at" min:"0" trust:"tighten" doc:"share of a limit from which on you are warned; 0 never warns"`
	Cheaper   string  `yaml:"cheaper_model" doc:"a tier or a model that goes on when a limit is reached and you say cheaper"`
}

// Prices are what models cost, in the order of the file.
type Prices []Price

// Price is what models cost whose names begin so, in US dollars per million tokens.
type Price struct {
	Model                 string
	Input, Output, Cached float64
}

// CheaperTargets are the models that go on once a limit is reached; none if none is named.
func (c Config) CheaperTargets() []Target {
	if c.Budget.Cheaper == "" {
		return nil
	}
	if c.Model.Provider == "rehearsal" {
		return []Target{{c.Model.Provider, c.Budget.Cheaper}}
	}
	return c.Model.way(Agent{Match: "*", Use: c.Budget.Cheaper}).Targets
}

// prices reads the table of prices.
func (d *document) prices(f field, n ast.Node) (table, error) {
	var rows Prices
	err := d.each(n, f.key, func(model string, at *token.Token, value ast.Node) error {
		place := f.key + "." + model
		if strings.TrimSpace(model) == "" {
			return d.fault(at, f.key, "a key of %s names no model", f.key)
		}
		if _, isMap := value.(ast.MapNode); !isMap {
			return d.fault(at, f.key, "%s is no price; {input: …, output: …, cached: …} is needed, in dollars per million tokens", place)
		}
		p, isCached := Price{Model: model}, false
		err := d.each(value, place, func(key string, at *token.Token, value ast.Node) error {
			text, _ := scalar(value)
			amount, err := strconv.ParseFloat(text, 64)
			if err != nil || !(amount >= 0 && amount < 1e6) {
				return d.fault(at, place, "%s of %s is no number of dollars", key, place)
			}
			switch key {
			case "input":
				p.Input = amount
			case "output":
				p.Output = amount
			case "cached":
				p.Cached, isCached = amount, true
			default:
				return d.fault(at, place, "%s has %s; input, output and cached are what it takes", place, key)
			}
			return nil
		})
		if !isCached {
			p.Cached = p.Input
		}
		rows = append(rows, p)
		return err
	})
	return rows, err
}

// String writes the table as it would stand in a file.
func (p Prices) String() string {
	rows := make([]string, 0, len(p))
	for _, row := range p {
		number := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
		rows = append(rows, word(row.Model)+": {input: "+number(row.Input)+", output: "+number(row.Output)+", cached: "+number(row.Cached)+"}")
	}
	return "{" + strings.Join(rows, ", ") + "}"
}

func (p Prices) example() string { return "{big-1: {input: 2.5, output: 10, cached: 1.25}}" }

// tighter keeps what the user set where a workspace would loosen it: on stays on, and a limit only becomes smaller.
func tighter(before, after reflect.Value) (kept bool) {
	looser := false
	switch after.Kind() {
	case reflect.Bool:
		looser = before.Bool() && !after.Bool()
	case reflect.Int:
		looser = before.Int() > 0 && (after.Int() == 0 || after.Int() > before.Int())
	case reflect.Float64:
		looser = before.Float() > 0 && (after.Float() == 0 || after.Float() > before.Float())
	}
	if looser {
		after.Set(before)
	}
	return looser
}
