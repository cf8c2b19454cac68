package continuity

import (
	"strings"
	"unicode/utf8"
)

// Endings of Russian names by their last letter, ё written as е.
var nameEndings = map[rune][]string{
	'а': strings.Fields("а ы и е у ой ою ей ею"), 'я': strings.Fields("я и е ю ей ею ы ой"), 'ь': strings.Fields("ь я ю ем е и ью"),
	'й': strings.Fields("й я ю ем е и ого ому им ом"), 'о': {"о"}, 'е': {"е"}, 'и': {"и"}, 'у': {"у"}, 'ы': {"ы"}, 'э': {"э"}, 'ю': {"ю"},
}

var consonantEndings = []string{"", "а", "у", "ом", "ем", "е", "ым", "ы", "и", "ой", "ов", "ых"}

// stemOf divides a Russian name into what stays and the endings that it may take.
func stemOf(name string) (string, []string) {
	last, size := utf8.DecodeLastRuneInString(name)
	if endings, ok := nameEndings[last]; ok {
		return name[:len(name)-size], endings
	}
	return name, consonantEndings
}

func isRussian(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return r >= 'а' && r <= 'я'
}

// isInflected tells whether a word is a case of a name, or in other languages its plural.
func isInflected(name, word string) bool {
	if !isRussian(name) {
		return word == name || word == name+"s" || word == name+"es"
	}
	stem, endings := stemOf(name)
	for _, e := range endings {
		if word == stem+e {
			return true
		}
	}
	for _, s := range []string{dropped(name), strings.TrimSuffix(stem, "и")} { // Павел, Павла; Мария, Марья
		if rest, ok := strings.CutPrefix(word, s); ok && s != "" && s != stem && utf8.RuneCountInString(rest) <= 3 {
			return true
		}
	}
	// Adjectives and other words made from a name: Машин, Иванова, Марьюшка.
	rest, ok := strings.CutPrefix(word, stem)
	return ok && utf8.RuneCountInString(stem) >= 3 && rest != ""
}

// dropped leaves out the vowel that other cases drop.
func dropped(name string) string {
	r := []rune(name)
	n := len(r)
	if n < 4 || r[n-2] != 'е' && r[n-2] != 'о' {
		return ""
	}
	return string(r[:n-2]) + string(r[n-1])
}
