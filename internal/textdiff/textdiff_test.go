package textdiff

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// shown renders edits on one line.
func shown(edits []Edit) string {
	var b strings.Builder
	for _, e := range edits {
		switch e.Op {
		case Delete:
			b.WriteString("[-" + e.Text + "-]")
		case Insert:
			b.WriteString("{+" + e.Text + "+}")
		default:
			b.WriteString(e.Text)
		}
	}
	return b.String()
}

func TestWords(t *testing.T) {
	for name, c := range map[string]struct{ from, to, want string }{
		"nothing":               {"", "", ""},
		"the same":              {"a b", "a b", "a b"},
		"all is new":            {"", "a b", "{+a b+}"},
		"all is gone":           {"a b", "", "[-a b-]"},
		"a word in the middle":  {"the old house stands", "the new house stands", "the [-old-]{+new+} house stands"},
		"a word more":           {"the house", "the old house", "the {+old +}house"},
		"two words in a row":    {"big red box", "small blue box", "[-big red-]{+small blue+} box"},
		"punctuation alone":     {"yes, no", "yes; no", "yes[-,-]{+;+} no"},
		"an apostrophe":         {"it doesn't", "it does", "it [-doesn't-]{+does+}"},
		"Chinese by characters": {"他走进了房间。", "她走进了大房间。", "[-他-]{+她+}走进了{+大+}房间。"},
		"Japanese":              {"雨が降る", "雪が降る", "[-雨-]{+雪+}が降る"},
		"Thai keeps its marks":  {"ที่นี่", "ที่นั่น", "ที่[-นี่-]{+นั่น+}"},
		"Russian by words":      {"Он вошёл в дом.", "Она вошла в дом.", "[-Он вошёл-]{+Она вошла+} в дом."},
		"mixed scripts":         {"version 一 ok", "version 二 ok", "version [-一-]{+二+} ok"},
		"a line more":           {"a\nb\n", "a\nx\nb\n", "a\n{+x\n+}b\n"},
		"not UTF-8":             {"a \xff b", "a \xfe b", "a [-\xff-]{+\xfe+} b"},
		"a joined picture":      {"x 👩‍👧 y", "x 👩‍👦 y", "x [-👩‍👧-]{+👩‍👦+} y"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, shown(Words(c.from, c.to))); diff != "" {
				t.Errorf("edits (-want +got):\n%s", diff)
			}
		})
	}
}

// sides gives the two texts that edits are made of.
func sides(edits []Edit) (from, to string) {
	var a, b strings.Builder
	for _, e := range edits {
		if e.Op != Insert {
			a.WriteString(e.Text)
		}
		if e.Op != Delete {
			b.WriteString(e.Text)
		}
	}
	return a.String(), b.String()
}

func FuzzWordsGiveBackBothTexts(f *testing.F) {
	f.Add("one two\nthree", "one 二 three\n")
	f.Add("\n\n", "\n \n")
	f.Add("a\u0301b", "ab\u0301\u200d")
	f.Fuzz(func(t *testing.T, a, b string) {
		from, to := sides(Words(a, b))
		if from != a || to != b {
			t.Fatalf("%q and %q came back as %q and %q", a, b, from, to)
		}
		for _, h := range Hunks(Words(a, b), 1) {
			if len(h.Edits) == 0 {
				t.Fatalf("an empty hunk of %q and %q", a, b)
			}
		}
		if got := strings.Join(Tokens(a), ""); got != a {
			t.Fatalf("tokens of %q join to %q", a, got)
		}
	})
}

func TestRandomEditsAreFoundAndGivenBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("a b c d e f 水 火 , . \n \n")
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(words[r.IntN(len(words))] + " ")
		}
		return b.String()
	}
	for range 300 {
		a, b := text(r.IntN(80)), text(r.IntN(80))
		from, to := sides(Words(a, b))
		if from != a || to != b {
			t.Fatalf("%q and %q came back as %q and %q", a, b, from, to)
		}
	}
}

func TestLongTextsThatShareNothingCostLittle(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	text := func(n, kinds int) string {
		var b strings.Builder
		for range n {
			b.WriteRune(rune(0x4e00 + r.IntN(kinds)))
		}
		return b.String()
	}
	began := time.Now()
	for _, kinds := range []int{2, 300, 20_000} {
		a, b := text(100_000, kinds), text(100_000, kinds)
		if from, to := sides(Words(a, b)); from != a || to != b {
			t.Error("the texts did not come back")
		}
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("three pairs of 100,000 characters took %v", took)
	}
}

func TestOneChangeInALongTextIsOneHunk(t *testing.T) {
	lines := strings.Repeat("the same line again\n", 5000)
	hunks := Hunks(Words(lines+"the end\n"+lines, lines+"an end\n"+lines), 1)
	want := []Hunk{{FromLine: 5000, ToLine: 5000, Edits: []Edit{{Equal, "the same line again\n"}, {Delete, "the"}, {Insert, "an"},
		{Equal, " end\nthe same line again\n"}}}}
	if diff := cmp.Diff(want, hunks); diff != "" {
		t.Errorf("hunks (-want +got):\n%s", diff)
	}
}

func TestHunksFarApartAreTwo(t *testing.T) {
	from := "one\n" + strings.Repeat("x\n", 10) + "two\n"
	to := "ONE\n" + strings.Repeat("x\n", 10) + "TWO\n"
	hunks := Hunks(Words(from, to), 2)
	if len(hunks) != 2 || hunks[0].FromLine != 1 || hunks[1].FromLine != 10 || hunks[1].ToLine != 10 {
		t.Errorf("hunks: %+v", hunks)
	}
	deleted, inserted := Changed(Words(from, to))
	if deleted != 2 || inserted != 2 {
		t.Errorf("%d deleted and %d inserted, want 2 and 2", deleted, inserted)
	}
}
