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
	endingsAny       = strings.Fields("а я о е и ы у ю ь й ой ою ей ею ом ем ам ям ами ями ах ях ов ев ью ия ии ию ие ием ией")
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
	if !isName { // a term may be given in any case: "no magic" is «без магии»
		if !strings.ContainsRune("аяоеиыьйую", last) {
			stem = wanted
		}
		return len([]rune(stem)) >= 3 && (found == stem || ends(found, stem, endingsAny)) || ends(found, fleeting(w), endingsAny)
	}
	switch last {
	case 'а':
		return ends(found, stem, endingsA)
	case 'я':
		return ends(found, stem, endingsYa)
	case 'ь':
		return ends(found, stem, endingsSoft) || ends(found, fleeting(w[:len(w)-1]), endingsSoft)
	case 'й':
		return ends(found, stem, endingsY)
	case 'о', 'е':
		return ends(found, stem, endingsO)
	case 'и', 'ы':
		return false
	}
	return ends(found, wanted, endingsNone) || ends(found, fleeting(w), endingsNone) || ends(found, softened(w), endingsNone)
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
