package scene

import (
	"slices"
	"strings"
)

// Endings of Russian declension by how the dictionary form ends, ё written as е.
var (
	endingsA         = strings.Fields("а ы и е у ой ою ей ею ам ами ах")
	endingsYa        = strings.Fields("я и е ю ей ею ям ями ях")
	endingsSoft      = strings.Fields("ь я ю ем е и ью ей ям ями ях")
	endingsY         = strings.Fields("й я ю ем е и ям ями ях")
	endingsO         = strings.Fields("о е а я у ю ом ем ы и ам ями ами ах ях")
	endingsPlural    = strings.Fields("ы и а я ам ям ами ями ах ях ов ев ей")
	endingsNone      = strings.Fields("а у ом ем е ы и ым ам ами ах")
	endingsAdjective = strings.Fields("ый ий ой ая яя ое ее ые ие ого его ому ему ым им ом ем ою ею ей ую юю ых их ыми ими")
)

// sameRussian tells whether found is a form of wanted by the rules of declension.
func sameRussian(wanted, found string, isName bool) bool {
	w := []rune(wanted)
	if len(w) < 3 {
		return false
	}
	stem, last := string(w[:len(w)-1]), w[len(w)-1]
	adjective := slices.Contains([]string{"ый", "ий", "ой", "ая", "яя", "ое", "ее", "ые", "ие"}, string(w[len(w)-2:])) && len(w) > 4
	if adjective && ends(found, string(w[:len(w)-2]), endingsAdjective) {
		return true
	}
	switch last {
	case 'а':
		return ends(found, stem, endingsA) || !isName && found == stem
	case 'я':
		return ends(found, stem, endingsYa) || !isName && found == stem+"й"
	case 'ь':
		return ends(found, stem, endingsSoft) || ends(found, fleeting(w[:len(w)-1]), endingsSoft)
	case 'й':
		return ends(found, stem, endingsY) || !isName && ends(found, stem, []string{"ев"})
	case 'о', 'е':
		return ends(found, stem, endingsO) || !isName && found == stem
	case 'и', 'ы':
		return !isName && (ends(found, stem, endingsPlural) || found == stem)
	}
	return ends(found, wanted, endingsNone) || ends(found, fleeting(w), endingsNone) || ends(found, softened(w), endingsNone) ||
		!isName && ends(found, wanted, []string{"ов", "ев", "ей"})
}

func ends(found, stem string, endings []string) bool {
	rest, ok := strings.CutPrefix(found, stem)
	return ok && stem != "" && slices.Contains(endings, rest)
}

// fleeting drops the vowel that other cases drop: Павел, Павла. A stem without one gives "", which nothing begins with.
func fleeting(w []rune) string {
	n := len(w)
	if n < 4 || w[n-2] != 'е' && w[n-2] != 'о' {
		return ""
	}
	return string(w[:n-2]) + string(w[n-1])
}

// softened is the same where a soft sign takes the vowel's place: Лев, Льва.
func softened(w []rune) string {
	n := len(w)
	if n < 3 || w[n-2] != 'е' || w[n-3] != 'л' {
		return ""
	}
	return string(w[:n-2]) + "ь" + string(w[n-1])
}
