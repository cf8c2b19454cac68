package kernel

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChoicesKeepWhatElseTheLineOffers(t *testing.T) {
	v := &Version{variants: []string{"A", "B"}}
	own := []Option{{Value: "approve", Effect: Approve}, {Value: "revise", Effect: Rework}, {Value: "reject", Effect: FailNode}}
	want := []Option{{Value: "A", Effect: TakeChoice}, {Value: "B", Effect: TakeChoice}, own[1], own[2]}
	if diff := cmp.Diff(want, v.choices(own)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(own, (&Version{}).choices(own)); diff != "" {
		t.Error("content without variants:", diff)
	}
}
