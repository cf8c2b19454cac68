package cli

import "testing"

func TestGuardLetsNoControlsPass(t *testing.T) {
	for _, tt := range []struct {
		text    string
		colours bool
		want    string
	}{
		{"plain 文\n\tтекст\r\n", false, "plain 文\n\tтекст\r\n"},
		{"\x1b[31mred\x1b[0m", true, "\x1b[31mred\x1b[0m"},
		{"\x1b[31mred", false, `\x1b[31mred`},
		{"\x1b]0;title\x07", true, `\x1b]0;title\x07`},
		{"\x1b[2J", true, `\x1b[2J`},
		{"over\rwritten\x7f\u009b2J", true, `over\x0dwritten\x7f\x9b2J`},
	} {
		if got := guard(tt.text, tt.colours); got != tt.want {
			t.Errorf("guard(%q, %v) = %q, want %q", tt.text, tt.colours, got, tt.want)
		}
	}
}
