package cli

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/app"
	"sluice/internal/kernel"
)

func TestNewsOfPlansHaveTitlesInsteadOfIDs(t *testing.T) {
	const action, check, version = "37c9c44c-594e-532f-8f63-01d55fe47e1e", "e90ff1a8-b33e-5467-b55d-06c3fc06d81c", "80ba2106-bc49-5814-aff9-304daa5e7db2"
	event := func(typ, fact string) app.EventDoc { return app.EventDoc{Type: typ, Fact: json.RawMessage(fact)} }
	d := app.WatchDoc{RunDoc: app.RunDoc{Nodes: []app.NodeDoc{{Node: action, Title: "👩‍👩‍👧 阅读之夜 \x1b[31m"}, {Node: check, Title: "Check"}, {Node: "plan", Title: "Plan"}}}}
	d.News = []app.EventDoc{
		event("version_approved", `{"node":"`+action+`","version":"`+version+`"}`),
		event("version_stored", `{"version":{"id":"`+version+`","node":"`+action+`","n":2,"size":5,"by":{"kind":"engine"}}}`),
		event("review_recorded", `{"review":{"node":"`+action+`","version":"`+version+`","verdict":"approved","check":"`+check+`"}}`),
		event("attempt_began", `{"node":"plan","n":1,"performer":{"kind":"engine"}}`),
		event("from_the_future", `{}`),
		event("node_reopened", `{"node":"00000000-0000-4000-8000-000000000000"}`),
	}
	want := []string{
		`approved 37c9c44c "👩‍👩‍👧 阅读之夜 \x1b[31m"`,
		`delivered 37c9c44c "👩‍👩‍👧 阅读之夜 \x1b[31m" v2 (5 B)`,
		`review of 37c9c44c "👩‍👩‍👧 阅读之夜 \x1b[31m" v2: approved, by e90ff1a8`,
		`began plan`,
		`from_the_future`,
		`reopened 00000000-0000-4000-8000-000000000000`,
	}
	if diff := cmp.Diff(want, newTelling().news(d)); diff != "" {
		t.Errorf("news (-want +got):\n%s", diff)
	}
	if got := withNames("began "+action, namesOf(kernel.NewRun())); got != "began "+action {
		t.Errorf("an id that the run does not know became %q", got)
	}
}
