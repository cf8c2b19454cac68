package story

import "unicode"

// Words counts one per CJK character (Han, kana, bopomofo) and one per word otherwise: a run of letters, marks and
// digits, with the apostrophes, dots and commas that Unicode keeps inside words and numbers. Korean is counted by
// words, as it is written.
func Words(text string) int {
	n := 0
	inWord := false
	var last, bridge rune // bridge: a mark that goes on with the word if another character of its kind follows
	for _, r := range text {
		switch {
		case isCJK(r):
			n++
			inWord, bridge = false, 0
		case isWordRune(r):
			if !inWord || bridge != 0 && !isBridged(last, bridge, r) {
				n++
			}
			inWord, bridge, last = true, 0, r
		case r > unicode.MaxASCII && unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc, unicode.Cf):
			// marks and joiners belong to what they stand on
		case inWord && bridge == 0 && isBridge(r):
			bridge = r
		default:
			inWord, bridge = false, 0
		}
	}
	return n
}

// isCJK is asked of every character, and most are told apart by their number alone: below the first radical there are only two
// tone marks of bopomofo.
func isCJK(r rune) bool {
	if r < '\u2e80' && r != '˪' && r != '˫' {
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo) || r == 'ー' || r == '々' || r == '〇'
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_' }

func isBridge(r rune) bool {
	switch r {
	case '\'', '’', '‘', '.', '·', '‧', ':', ',', ';', '٬':
		return true
	}
	return false
}

// isBridged follows Unicode's word boundaries: letters are held together by apostrophes, dots and colons, digits by
// apostrophes, dots, commas and semicolons.
func isBridged(before, bridge, after rune) bool {
	letters := unicode.IsLetter(before) && unicode.IsLetter(after)
	digits := unicode.IsDigit(before) && unicode.IsDigit(after)
	switch bridge {
	case '\'', '’', '‘', '.':
		return letters || digits
	case '·', '‧', ':':
		return letters
	}
	return digits
}
