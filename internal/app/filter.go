package app

import (
	"maps"
	"slices"
	"strings"

	"sluice/internal/fault"
)

// CheckLine refuses the name of a line that there is not: a list of its runs would be empty without saying why. An empty name
// is every line.
func (a *App) CheckLine(name string) error {
	if _, ok := a.Engine.Lines[name]; name == "" || ok {
		return nil
	}
	names := slices.Sorted(maps.Keys(a.Engine.Lines))
	return fault.New(fault.BadValue, "line", "there is no line %.80q; there are %s", name, strings.Join(names, ", ")).
		With(fault.Action{Action: "status", Command: "sluice status", Why: "it lists the runs of every line"})
}
