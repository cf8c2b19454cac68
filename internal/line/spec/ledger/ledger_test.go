package ledger

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDecide(t *testing.T) {
	const key = "F-1:file:S-2"
	same, other := Record{IdempotencyKey: key, ExternalID: "x"}, Record{IdempotencyKey: "F-1:file:S-1", ExternalID: "x"}
	for name, c := range map[string]struct {
		active []Record
		after  string
		want   Plan
	}{
		"nothing there":                   {nil, "", Plan{Operation: Created}},
		"the same version":                {[]Record{same}, "", Plan{Noop, "x"}},
		"another version":                 {[]Record{other}, "", Plan{Updated, "x"}},
		"the newest counts":               {[]Record{same, other}, "", Plan{Updated, "x"}},
		"somebody died sending the same":  {[]Record{same}, key, Plan{Noop, "x"}},
		"somebody died sending another":   {[]Record{same}, "F-1:file:S-9", Plan{Updated, "x"}},
		"somebody died creating":          {nil, key, Plan{Operation: Created}},
		"somebody died creating another ": {nil, "F-1:file:S-9", Plan{Operation: Created}},
	} {
		if diff := cmp.Diff(c.want, Decide(c.active, key, c.after)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if got := Key("F-1", "file", "S-2"); got != key || Place("F-1", "file") != "F-1:file" {
		t.Errorf("key %s", got)
	}
}

// TestAnyOrderOfPublishes plays publishes of versions against the rules alone: what stands outside is always the version of
// the last publish, one record ever is created, and the active rows say exactly that.
func TestAnyOrderOfPublishes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []Record
		outside, created := "", 0
		for i, version := range rapid.SliceOfN(rapid.SampledFrom([]string{"S-1", "S-2", "S-3"}), 1, 20).Draw(t, "versions") {
			var active []Record
			for _, r := range all {
				if r.Status == Active {
					active = append(active, r)
				}
			}
			key := Key("F-1", "file", version)
			plan := Decide(active, key, "")
			rec := Record{LedgerID: string(rune('a' + i)), IdempotencyKey: key, Operation: plan.Operation, ExternalID: "x", Status: Active}
			isLost := plan.Operation != Noop && rapid.IntRange(0, 3).Draw(t, "luck") == 0
			switch {
			case isLost:
				rec.Status = Failed
			case plan.Operation == Created:
				created++
				outside = version
			case plan.Operation == Updated:
				outside = version
			}
			for _, row := range Replace(active, rec) {
				put(&all, row)
			}
			if !isLost && outside != version {
				t.Fatalf("%s was published and %s stands outside", version, outside)
			}
			for _, r := range all {
				if r.Status == Active && r.IdempotencyKey != Key("F-1", "file", outside) {
					t.Fatalf("%+v is active while %s stands outside", r, outside)
				}
			}
		}
		if created > 1 {
			t.Fatalf("%d records were created", created)
		}
	})
}

func put(all *[]Record, row Record) {
	for i := range *all {
		if (*all)[i].LedgerID == row.LedgerID {
			(*all)[i] = row
			return
		}
	}
	*all = append(*all, row)
}
