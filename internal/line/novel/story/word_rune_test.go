package story

import (
	"testing"
	"unicode"
)

// TestShortcutsHoldForEveryCharacter compares what is told by a character's number with the tables it stands for.
func TestShortcutsHoldForEveryCharacter(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo) || r == 'ー' || r == '々' || r == '〇'
		if got := isCJK(r); got != want {
			t.Errorf("isCJK(%U) = %t, want %t", r, got, want)
		}
		if isMark := unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc, unicode.Cf); isMark && r <= unicode.MaxASCII {
			t.Errorf("%U is a mark and in ASCII", r)
		}
	}
}
