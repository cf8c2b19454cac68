package textdiff

import (
	"unicode"
	"unicode/utf8"
)

// unspaced are the scripts whose words follow each other without spaces.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Yi,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Javanese, unicode.Balinese}

// kind is what a character is to a word.
type kind byte

const (
	single kind = iota // stands for itself
	letter             // goes on in the next letter
	space              // goes on in the next space
	joined             // belongs to what is before it
)

func kindOf(r rune) kind {
	switch {
	case r == '\n':
		return single
	case r == '\u200d' || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Me):
		return joined
	case r < utf8.RuneSelf && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'):
		return letter
	case unicode.IsSpace(r):
		return space
	case (unicode.IsLetter(r) || unicode.IsNumber(r)) && !unicode.In(r, unspaced...):
		return letter
	}
	return single
}

// Tokens splits a text into what is compared: words, characters of scripts without spaces, marks of punctuation, runs of
// spaces, and ends of lines. Together they are the text.
func Tokens(text string) []string {
	all := make([]string, 0, len(text)/4+1)
	begin, before, joins := 0, single, false
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		now := kindOf(r)
		if r == '\'' || r == '’' { // inside of a word it is a part of it
			if next, _ := utf8.DecodeRuneInString(text[at+size:]); before == letter && kindOf(next) == letter && at > begin {
				now = letter
			}
		}
		goesOn := at > begin && (now == joined || joins || now != single && now == before)
		if at > begin && !goesOn {
			all = append(all, text[begin:at])
			begin = at
		}
		if now != joined {
			before = now
		}
		joins = r == '\u200d' // a joiner makes one picture of two
		at += size
	}
	if begin < len(text) {
		all = append(all, text[begin:])
	}
	return all
}
