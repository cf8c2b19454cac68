package scene

import (
	"regexp"
	"strings"
	"unicode"
)

// part is one of the things a blueprint says.
type part string

const (
	partLocation   part = "location"
	partCharacters part = "characters" // present and absent under one heading
	partPresent    part = "characters_present"
	partAbsent     part = "characters_absent"
	partBeats      part = "beats"
	partWords      part = "word_count"
	partContinuity part = "continuity"
	partScope      part = "scope"
	partMechanics  part = "mechanics"
	partNoMechanic part = "forbidden_mechanics"
	partLanguage   part = "language"
	partTone       part = "tone"
)

// headings are the words by which people head the parts, in three languages: lower case, ё as е, without punctuation.
var headings = headingTable(map[part]string{
	partLocation: "location|scene location|setting|place|where|primary location|single location|" +
		"место|место действия|локация|место и время|обстановка|" +
		"地点|场景地点|位置|场所|地点与时间|场地",
	partCharacters: "characters|cast|character list|people|dramatis personae|персонажи|действующие лица|герои|участники|人物|角色|人物表|角色表",
	partPresent: "characters present|present characters|present|required characters|characters in scene|on stage|onstage|who is present|must appear|cast present|" +
		"присутствуют|присутствующие|присутствующие персонажи|персонажи в сцене|персонажи присутствуют|обязательные персонажи|участвуют|" +
		"在场|在场人物|在场角色|出场|出场人物|出场角色|登场人物|登场角色|必须出场|必须出场人物",
	partAbsent: "characters absent|absent characters|absent|not present|forbidden characters|characters not present|must not appear|offstage|off stage|excluded characters|" +
		"отсутствуют|отсутствующие|отсутствующие персонажи|персонажи отсутствуют|не присутствуют|запрещенные персонажи|не появляются|не должны появляться|" +
		"缺席|缺席人物|缺席角色|不在场|不在场人物|不在场角色|不出场|不出场人物|未出场人物|禁止出场|禁止出场人物",
	partBeats: "beats|scene beats|story beats|plot beats|key beats|beat sheet|beat list|events|key events|actions|key actions|sequence of events|" +
		"биты|сюжетные биты|биты сцены|события|ключевые события|ход сцены|такты|действие|ключевые действия|план сцены|" +
		"节拍|场景节拍|情节节拍|剧情节拍|情节|情节点|情节要点|关键事件|事件|剧情|关键情节",
	partWords: "word count|words|wordcount|target word count|length|target length|target words|word count target|word target|" +
		"объем|объем сцены|количество слов|слов|число слов|целевой объем|длина|" +
		"字数|字数要求|目标字数|篇幅|字数目标|长度",
	partContinuity: "continuity|continuity notes|continuity constraints|continuity requirements|continuity with previous scenes|previous events|" +
		"преемственность|непрерывность|континуитет|связность|связь с предыдущими сценами|связь с другими сценами|последовательность|" +
		"连续性|连贯性|衔接|前后衔接|承接|上下文衔接|连续性说明|连续性要求",
	partScope: "scope|limits|out of scope|restrictions|must not happen|forbidden|do not|constraints|boundaries|scope limits|prohibited|" +
		"ограничения|границы|рамки|запрещено|запреты|чего не должно быть|не должно произойти|границы сцены|рамки сцены|" +
		"范围|限制|禁止|不得|边界|禁忌|禁止事项|不得发生|范围限制",
	partMechanics: "mechanics|world mechanics|required mechanics|rules|world rules|magic|terms|required terms|mechanics and terms|must mention|" +
		"механики|механика|механика мира|механики мира|правила мира|правила|термины|обязательные термины|" +
		"机制|世界机制|设定|规则|世界规则|术语|设定规则|必提术语",
	partNoMechanic: "forbidden mechanics|forbidden terms|mechanics not allowed|must not mention|" +
		"запрещенные механики|запрещенные термины|не упоминать|" +
		"禁用机制|禁用术语|禁止机制|禁止术语|不得提及",
	partLanguage: "language|язык|语言",
	partTone:     "tone|mood|emotional tone|style|pov|point of view|time|title|purpose|goal|тон|настроение|эмоциональный тон|стиль|время|цель|название|语气|基调|氛围|风格|时间|视角|目的|标题",
})

func headingTable(all map[part]string) map[string]part {
	out := make(map[string]part)
	for p, words := range all {
		for w := range strings.SplitSeq(words, "|") {
			out[w] = p
		}
	}
	return out
}

var (
	numbering = regexp.MustCompile(`^(?:\(?\d+(?:\.\d+)*[.)、:]?|[一二三四五六七八九十]+[、.．])\s*`)
	brackets  = regexp.MustCompile(`[(（\[【]([^)）\]】]*)[)）\]】]`)
)

// plainLabel brings a heading or label into the form of the tables.
func plainLabel(s string) string {
	s = strings.ToLower(strings.ReplaceAll(normal(s), "Ё", "Е"))
	s = strings.NewReplacer("ё", "е", "_", " ", "*", "", "`", "", "&", " and ").Replace(s)
	s = strings.TrimLeftFunc(s, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("(（[【", c)
	})
	s = numbering.ReplaceAllString(s, "")
	s = strings.TrimFunc(s, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune(")）]】(（[【", c)
	})
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "-", " ")), " ")
}

// partOf finds which part a heading or label names, if any: with its brackets, without them, or what is in them, and
// each side of a slash.
func partOf(label string) part {
	plain := plainLabel(label)
	if p := headings[plain]; p != "" {
		return p
	}
	for _, way := range []string{brackets.ReplaceAllString(plain, " $1 "), brackets.ReplaceAllString(plain, " ")} {
		if p := headings[strings.Join(strings.Fields(way), " ")]; p != "" {
			return p
		}
	}
	if m := brackets.FindStringSubmatch(plain); m != nil {
		if p := headings[strings.TrimSpace(m[1])]; p != "" {
			return p
		}
	}
	if strings.ContainsAny(plain, "/|") {
		for side := range strings.FieldsFuncSeq(plain, func(c rune) bool { return c == '/' || c == '|' }) {
			if p := headings[strings.TrimSpace(side)]; p != "" {
				return p
			}
		}
	}
	if first, rest, ok := strings.Cut(plain, " "); ok && hasHan(plain) { // 地点 Location
		if p := headings[first]; p != "" && (headings[rest] == p || !hasHan(rest)) {
			return p
		}
	}
	return ""
}

// splitLabel reads "**Label:** value", "**Label**: value" and "Label: value".
func splitLabel(l string) (label, rest string, bold, ok bool) {
	const longest = 60
	i := strings.IndexAny(l, ":：")
	if i <= 0 || len([]rune(l[:i])) > longest {
		return "", "", false, false
	}
	size := 1
	if strings.HasPrefix(l[i:], "：") {
		size = len("：")
	}
	label, rest = l[:i], l[i+size:]
	if strings.HasPrefix(rest, "//") { // an address
		return "", "", false, false
	}
	for _, mark := range []string{"**", "__"} {
		if cut, starts := strings.CutPrefix(label, mark); starts {
			bold = true
			if closed, ends := strings.CutSuffix(cut, mark); ends {
				label = closed
			} else if after, ends := strings.CutPrefix(strings.TrimSpace(rest), mark); ends {
				label, rest = cut, after
			} else {
				return "", "", false, false // the stars close inside the sentence
			}
		}
	}
	label = strings.Trim(label, " *_`")
	return label, strings.TrimSpace(rest), bold, label != ""
}
