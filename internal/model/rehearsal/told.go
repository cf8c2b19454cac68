package rehearsal

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// maxTold bounds how many names are taken from a text.
const maxTold = 8

// told finds people and places that a text names, the way one skims a premise: words with a capital that do not begin a
// sentence by chance, and in Chinese a family name with what may follow one.
func told(text string) (people, places []string) {
	text = clean(text, 2000)
	people = chineseNames(text)
	p, q := capitalNames(text)
	for _, match := range chinesePlace.FindAllStringSubmatch(text, maxTold) {
		q = append(q, match[1])
	}
	people, places = unique(append(people, p...)), unique(q)
	return people[:min(len(people), maxTold)], places[:min(len(places), maxTold)]
}

// chinesePlace is a town or land where a sentence begins or a preposition stands.
var chinesePlace = regexp.MustCompile(`(?:^|[，。；在从到])(\p{Han}{1,2}[城镇村国岛州港谷])`)

// word is one word of a text with what surrounds it.
type word struct {
	text  string
	first bool // of a sentence
	after string
}

func wordsOf(text string) []word {
	var out []word
	start, first := -1, true
	flush := func(end int) {
		if start >= 0 {
			out = append(out, word{text: text[start:end], first: first})
			start, first = -1, false
		}
	}
	for i, r := range text {
		if unicode.IsLetter(r) && !unicode.Is(unicode.Han, r) || start >= 0 && (r == '-' || r == '\'' || r == '’') {
			if start < 0 {
				start = i
			}
			continue
		}
		flush(i)
		if n := len(out); n > 0 && out[n-1].after == "" && r != ' ' {
			out[n-1].after = string(r)
		}
		if strings.ContainsRune(".!?…:\n", r) {
			first = true
		}
	}
	flush(len(text))
	return out
}

// capitalNames reads scripts that have capitals. A word after a preposition or an article names a place; in Russian it is
// declined there and left alone.
func capitalNames(text string) (people, places []string) {
	list := wordsOf(text)
	for i := 0; i < len(list); {
		if !capital(list[i].text) || list[i].first && isStarter(list[i].text) {
			i++
			continue
		}
		end := i + 1
		for end < len(list) && list[end-1].after == "" && !list[end].first && capital(list[end].text) {
			end++
		}
		from := i
		cyrillic := unicode.Is(unicode.Cyrillic, []rune(list[i].text)[0])
		if list[i].first && cyrillic && end-i > 1 {
			from++ // what somebody is often stands before the name
		}
		name := strings.TrimSuffix(strings.TrimSuffix(join(list[from:end]), "'s"), "’s")
		switch before := previous(list, i); {
		case isBefore(before):
			if !cyrillic {
				places = append(places, name)
			}
		case !list[i].first || end-i > 1 || list[i].after == "," || end < len(list) && isVerb(list[end].text):
			people = append(people, name)
		}
		i = end
	}
	return people, places
}

func join(list []word) string {
	var parts []string
	for _, w := range list {
		parts = append(parts, w.text)
	}
	return strings.Join(parts, " ")
}

func previous(list []word, i int) string {
	if i == 0 || list[i].first {
		return ""
	}
	return strings.ToLower(list[i-1].text)
}

func capital(s string) bool {
	r := []rune(s)
	return len(r) > 1 && unicode.IsUpper(r[0]) && !unicode.IsUpper(r[1])
}

func isBefore(s string) bool {
	return slices.Contains(strings.Fields("in of from at to near into over under the a an в во из на от до под у к ко с со о об над за для без через"), s)
}

func isStarter(s string) bool {
	return slices.Contains(strings.Fields("the a an in on at when after before while once if as for from it its he she they we you his her their this that these those there every each one two three some no nobody somebody and but or with without during since until "+
		"в во на из и а но или когда если после до пока он она они оно мы вы его её их это этот эта эти один одна одно два три каждый каждая однажды"), strings.ToLower(s))
}

// isVerb guesses that a word goes on with a sentence about the one before it.
func isVerb(s string) bool {
	for _, end := range []string{"s", "ed", "ет", "ит", "ют", "ят", "ат", "ла", "ёт"} {
		if strings.HasSuffix(s, end) && s != "as" && s != "is" {
			return true
		}
	}
	return s == "is" || s == "was" || s == "must" || s == "has" || s == "and"
}

const (
	familyNames = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤温"
	// nameFollows are characters that come right after a name: verbs, particles, marks.
	nameFollows = "发在是和与、，。的要想被把找来去决收得走看听回不从已将开说遇为打带试必却能会又也只有没曾正刚独一带成接拿进出住爱恨，；：？！"
	// nameBefore are characters that come right before one: what somebody is, particles, marks.
	nameBefore = "匠的师生女者、，。和与叫名人子兵工官长手员医客商家妹姐弟兄友父母爷婆公主徒“：；"
)

func chineseNames(text string) []string {
	runes := []rune(text)
	var out []string
	for i := 0; i < len(runes); i++ {
		if !strings.ContainsRune(familyNames, runes[i]) || i > 0 && !strings.ContainsRune(nameBefore, runes[i-1]) {
			continue
		}
		for _, n := range []int{2, 3} { // a name of two characters before one of three
			if i+n < len(runes) && han(runes[i+1:i+n]) && !strings.ContainsAny(string(runes[i+1:i+n]), nameFollows) && strings.ContainsRune(nameFollows, runes[i+n]) {
				out = append(out, string(runes[i:i+n]))
				i += n - 1
				break
			}
		}
	}
	return out
}

func han(list []rune) bool {
	return !slices.ContainsFunc(list, func(r rune) bool { return !unicode.Is(unicode.Han, r) })
}
