package cli

import (
	"encoding/json"
	"testing"

	"sluice/internal/fault"
)

func TestHelpAsADocument(t *testing.T) {
	p := newPerson(t)
	for _, args := range [][]string{{"status", "--help", "--json"}, {"help", "status", "--json"}} {
		var d helpDoc
		if err := json.Unmarshal([]byte(p.must(0, args...)), &d); err != nil {
			t.Fatal(err)
		}
		if d.Command != "sluice status" || len(d.Examples) != 3 || len(d.Global) == 0 || d.Usage == "" {
			t.Errorf("%v: got %+v", args, d)
		}
		found := false
		for _, f := range d.Flags {
			found = found || f.Name == "limit" && f.Value == "N" && f.Default == "50"
		}
		if !found {
			t.Errorf("%v: no --limit N among %+v", args, d.Flags)
		}
	}
	var d helpDoc
	if err := json.Unmarshal([]byte(p.must(0, "--json", "--help")), &d); err != nil || len(d.Commands) < 10 {
		t.Errorf("got %v, %d commands", err, len(d.Commands))
	}
	p.must(fault.ExitUsage, "help", "frob", "--json")
}
