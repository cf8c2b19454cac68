package briefing

import (
	"strings"
	"testing"
)

// TestOneLine compares the shortcut for texts that are one line with the long way.
func TestOneLine(t *testing.T) {
	for _, s := range []string{"", " ", "a", "a b", "a  b", " a", "a ", "a\nb", "灯塔　守人", "灯塔 守人", "а\u00a0б", "\ufffd", "a\xffb", "a\u2028b", "a \u0301b"} {
		want := strings.Join(strings.Fields(strings.ToValidUTF8(s, "\ufffd")), " ")
		if got := oneLine(s); got != want {
			t.Errorf("oneLine(%q) = %q, want %q", s, got, want)
		}
	}
}
