package continuity

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What only somebody present and alive does. Verbs that also speak of the absent (came to mind, stood for) are left out.
var (
	sayings = words(`said says asked asks replied replies answered answers whispered whispers shouted muttered murmured yelled exclaimed snapped
		сказал сказала спросил спросила ответил ответила прошептал прошептала крикнул крикнула воскликнул воскликнула пробормотал пробормотала
		говорит спрашивает отвечает шепчет кричит восклицает бормочет произносит произнес произнесла проговорил проговорила буркнул буркнула`)
	doings = words(`nodded nods smiled smiles laughed grinned grins shrugged sighed frowned walked walks stepped steps grabbed grabs sat sits knelt winced
		кивнул кивнула улыбнулся улыбнулась засмеялся засмеялась усмехнулся усмехнулась вздохнул вздохнула нахмурился нахмурилась
		кивает улыбается смеется усмехается вздыхает хмурится шагнул шагнула подошел подошла сел села встал встала повернулся повернулась`)
	// Words after a verb that make a habit of it: "Marcus said once".
	habits = words(`once often always used never ever когда-то однажды часто всегда обычно бы бывало`)

	actHan = regexp.MustCompile(`^(?:轻轻|低声|冷冷|缓缓|大声|沉声|淡淡|微微|忽然|突然|连忙|立刻|便|也|又|就|却)?地?` +
		`(?:(说道|问道|答道|喊道|叫道|笑道)|(说|问|道|喊)(?:[：:，,“"「])|(点点头|点了点头|点头|摇摇头|摇了摇头|摇头|笑了|走进|走出|走到|走向|站起|坐下|转身|伸手|皱眉|皱起|抬起|推开|拔出|拿起|叹了))(.?)`)
)

// act is somebody who does something at a place of a scene.
type act struct {
	person    int
	paragraph int
	isSpeech  bool
	quote     string
}

// actsIn finds who acts in the telling of a paragraph, not in what people in it say.
func (c *cast) actsIn(p paragraph) []act {
	var out []act
	for i, t := range p.tokens {
		who, ok := c.byPart[t.key]
		if !ok || who == shared || !t.isCapital || t.isSpoken || i > 0 && t.isBeside && c.byPart[p.tokens[i-1].key] == who && p.tokens[i-1].isCapital {
			continue
		}
		if isAct, isSpeech := verbAt(p, i, c.nameEnd(p, i, who)); isAct {
			out = append(out, act{person: who, isSpeech: isSpeech, quote: quoteAt(p.text, t.from)})
		}
	}
	if !strings.ContainsFunc(p.text, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		return out
	}
	for who, one := range c.people {
		for _, h := range one.han {
			if c.byHan[h] == who {
				out = append(out, hanActs(p.text, h, who)...)
			}
		}
	}
	return out
}

// nameEnd is where a name of several words ends.
func (c *cast) nameEnd(p paragraph, i, who int) int {
	j := i + 1
	for j < len(p.tokens) && p.tokens[j].isBeside && p.tokens[j].isCapital && c.byPart[p.tokens[j].key] == who {
		j++
	}
	return j
}

// verbAt tells whether the name at tokens i to j does something: "Marcus said", or after speech "… said Marcus".
func verbAt(p paragraph, i, j int) (isAct, isSpeech bool) {
	if i > 0 && p.tokens[i].isBeside {
		if v := p.tokens[i-1]; sayings[v.key] && !v.isCapital && !v.isSpoken && strings.ContainsRune("\"”»’'—–-", v.before) {
			return true, true
		}
	}
	if p.isDashed || !p.tokens[i].isClauseStart() || j >= len(p.tokens) || !p.tokens[j].isBeside || p.tokens[j].isCapital {
		return false, false
	}
	v := p.tokens[j]
	if j+1 < len(p.tokens) && p.tokens[j+1].isBeside && habits[p.tokens[j+1].key] {
		return false, false
	}
	return sayings[v.key] || doings[v.key], sayings[v.key]
}

// hanActs finds a Chinese name at the beginning of a clause with what its bearer does right after it.
func hanActs(text, name string, who int) []act {
	if !strings.Contains(text, name) {
		return nil
	}
	var out []act
	isSpoken, before := false, rune(0)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !isSpoken && !unicode.IsLetter(before) && strings.HasPrefix(text[i:], name) {
			if m := actHan.FindStringSubmatch(text[i+len(name):]); m != nil && !strings.ContainsAny(m[4], "过的法") {
				out = append(out, act{person: who, isSpeech: m[3] == "", quote: quoteAt(text, i)})
			}
		}
		isSpoken = spoken(r, isSpoken)
		if !unicode.IsSpace(r) {
			before = r
		}
		i += size
	}
	return out
}

// quoteAt gives the words from a place on.
func quoteAt(text string, at int) string {
	const limit = 40
	r := []rune(text[at:min(len(text), at+limit*4)])
	return strings.TrimFunc(string(r[:min(limit, len(r))]), func(r rune) bool { return r == utf8.RuneError || unicode.IsSpace(r) })
}
