package termtext

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestForeignTextIsHarmless(t *testing.T) {
	for _, tt := range []struct{ name, in, line, block string }{
		{"plain text stays", "жёлтый 黄色 🟡", "жёлтый 黄色 🟡", "жёлтый 黄色 🟡"},
		{"escape sequences are shown", "\x1b[2Jgone\x07", `\x1b[2Jgone\x07`, `\x1b[2Jgone\x07`},
		{"turned text is shown", "abc\u202ecba", `abc\u202ecba`, `abc\u202ecba`},
		{"lines", "a\r\nb\tc", "a b c", "a\nb\tc"},
		{"a lone return", "good\rbad", `good\x0dbad`, `good\x0dbad`},
		{"eight-bit controls", "\u009b31m", `\x9b31m`, `\x9b31m`},
		{"broken bytes", "a\xffb", "a\ufffdb", "a\ufffdb"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Line(tt.in); got != tt.line {
				t.Errorf("line: got %q, want %q", got, tt.line)
			}
			if got := Block(tt.in); got != tt.block {
				t.Errorf("block: got %q, want %q", got, tt.block)
			}
		})
	}
}

func TestColumns(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "жёлтый": 6, "黄色": 4, "ｆｕｌｌ": 8, "e\u0301": 1, "🟡": 2, "✅": 2, "가나": 4} {
		if got := Columns(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
	if got := Cut("黄色的花", 6); got != "黄色…" {
		t.Errorf("got %q", got)
	}
	if got := Pad("黄", 4); got != "黄  " {
		t.Errorf("got %q", got)
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		columns  int
		want     []string
	}{
		{"words", "the quick brown fox", 10, []string{"the quick", "brown fox"}},
		{"a space at the end of the line", "abcde fghij", 5, []string{"abcde", "fghij"}},
		{"a long word", "abcdefghijkl", 5, []string{"abcde", "fghij", "kl"}},
		{"Chinese", "春天来了，花开了", 6, []string{"春天来", "了，花", "开了"}},
		{"Russian", "Пришла весна, и зацвели сады", 14, []string{"Пришла весна,", "и зацвели сады"}},
		{"lines stay", "a\n\nb\n", 9, []string{"a", "", "b"}},
		{"nothing", "", 9, []string{""}},
		{"one column is too few", "黄色", 1, []string{"黄", "色"}},
		{"tabs", "\tx", 9, []string{"    x"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Wrap(tt.in, tt.columns)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzLine(f *testing.F) {
	f.Add("a\x1b[0m\u202e文", 5)
	f.Fuzz(func(t *testing.T, text string, columns int) {
		line := Line(text)
		if strings.ContainsFunc(line, IsUnsafe) {
			t.Errorf("%q is not harmless", line)
		}
		if columns %= 100; columns > 0 && Columns(Cut(line, columns)) > columns {
			t.Errorf("%q is cut to more than %d columns", line, columns)
		}
	})
}

func FuzzWrap(f *testing.F) {
	f.Add("the quick brown 黄色", 7)
	f.Add("\x1b[0m\u202e", 3)
	f.Fuzz(func(t *testing.T, text string, columns int) {
		columns = 2 + max(0, columns)%60
		text = Block(text)
		whole := ""
		for _, line := range Wrap(text, columns) {
			if strings.ContainsFunc(line, IsUnsafe) {
				t.Errorf("%q is not harmless", line)
			}
			if n := Columns(line); n > columns {
				t.Errorf("%q takes %d columns of %d", line, n, columns)
			}
			whole += line
		}
		squeeze := strings.NewReplacer(" ", "", "\n", "", "\t", "").Replace
		if squeeze(whole) != squeeze(text) {
			t.Errorf("wrapped %q to %q", text, whole)
		}
	})
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int]string{0: "0 runs", 1: "1 run", 999: "999 runs", 1000: "1,000 runs", 1234567: "1,234,567 runs", -123456: "-123,456 runs"} {
		if got := Count(n, "run"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
