package termtext

import (
	"strings"
	"testing"
)

func TestRandomIDsAreShort(t *testing.T) {
	const id = "8de8e4bd-e64f-5a41-9899-d75e0c7ae322"
	for in, want := range map[string]string{id: "8de8e4bd", "sample-1": "sample-1", "": "", "chapter/001/text": "chapter/001/text",
		id + "0": id + "0", strings.ToUpper(id): strings.ToUpper(id)} {
		if got := ShortID(in); got != want {
			t.Errorf("ShortID(%q) = %q, want %q", in, got, want)
		}
	}
	got := NameIDs("review of "+id+": approved, by "+id, func(id string) string { return id[:4] })
	if want := "review of 8de8: approved, by 8de8"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
