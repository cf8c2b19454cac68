package continuity

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"sluice/internal/line/novel/story"
)

// state is what the latest memory says of somebody.
type state struct {
	chapter int
	text    string
	names   []string // by which the text may call the person at the beginning of a clause
}

// statesOf gives for each person the state in the latest memory that has one.
func statesOf(c *cast, memory []story.ChapterMemoryEntry) map[int]state {
	out := make(map[int]state)
	for _, m := range memory {
		for _, name := range slices.Sorted(maps.Keys(m.CharacterStates)) {
			text := m.CharacterStates[name]
			who := c.find(name)
			if old, ok := out[who]; who >= 0 && !story.IsBlank(text) && (!ok || old.chapter <= m.ChapterNumber) {
				p := c.people[who]
				out[who] = state{m.ChapterNumber, text, slices.Concat(p.parts, p.han)}
			}
		}
	}
	return out
}

// The patterns are for one clause in lower case, ё as е. A clause must be about death and nothing else: "killed the
// guard" and 因父亲去世而悲痛 are about others.
var (
	deaths = []*regexp.Regexp{
		regexp.MustCompile(`^(?:(?:he|she|they|is|was|now|already|has|had|been|found|confirmed|lies) )*(?:dead|deceased|died|perished|passed away)(?: (?:in|at|during|by|from|of|on|after|near|while|before|inside|outside|since|[a-z]+ing)\b.*)?$`),
		regexp.MustCompile(`^(?:(?:he|she|they|now|already) )*(?:is|was|has been|had been|been|got) (?:killed|murdered|executed|slain)(?: .*)?$`),
		regexp.MustCompile(`^(?:killed|murdered|executed|slain)(?: by .*)?$`),
		regexp.MustCompile(`^(?:(?:он|она|уже|теперь|был|была|найден|найдена) )*(?:мертв|мертва|погиб|погибла|умер|умерла|убит|убита|скончался|скончалась|казнен|казнена)(?: (?:в|во|на|от|из-за|при|под|у|после|ночью|вчера|[а-я]+(?:ом|ем|ой|ей|ами|ями))(?: .*)?)?$`),
		regexp.MustCompile(`^(?:他|她|已经|已|现已|不幸|当场|确认)*(?:死亡|死了|身亡|去世|逝世|牺牲|遇害|阵亡|战死|病逝|病故|殉职|丧命|身死|死去|亡故|故去|死|故|被杀[死害]?|被.{1,8}(?:杀死|杀害|处死|斩首)|死于.{1,12}|在.{1,12}中(?:死亡|身亡|牺牲|遇害|阵亡|战死|丧生|去世))了?$`),
	}
	doubts = regexp.MustCompile(`\bnot\b|n't|n’t|never|presum|believ|thought|suppos|apparent|seeming|maybe|perhaps|possibly|feared|fake|pretend|rumou?r|nearly|almost|alive|surviv|resurrect|reviv|reborn|ghost|spirit|undead|vampire|zombie|unknown|missing|unless|\bif\b|could|might|\bmay\b|would|wants|threat|return|inside|embarrass|shame|laughter|boredom|allegedly|reported|` +
		`(?:^| )не |считает|якобы|кажется|предположит|вероятн|возможно|чуть |едва|почти|жив|воскрес|призрак|дух|слух|инсценир|притвор|горем|от смеха|от страха|от скуки|пропал|бы |` +
		`疑|以为|据说|传闻|传言|可能|似乎|假死|诈死|未死|没死|没有|险些|差点|濒死|复活|重生|鬼|魂|灵|生死|未|不明|还活|恐怕|威胁|避免|不会|失踪`)
	confined = []*regexp.Regexp{
		regexp.MustCompile(`^(?:(?:he|she|they|is|was|still|now|being|remains|remaining|held|kept) )*(?:imprisoned|jailed|incarcerated|locked up|locked|captive|prisoner) (?:in|at|inside) (.+)$`),
		regexp.MustCompile(`^(?:(?:он|она|все|еще|уже|теперь|по-прежнему|был|была) )*(?:заточен|заточена|заперт|заперта|посажен|посажена) (?:в|на) (.+)$`),
		regexp.MustCompile(`^(?:仍|还|已|依然|现)*被?(?:囚禁|关押|软禁|监禁|拘押)(?:在|于)(.+?)(?:中|里|内|之中)?$`),
	}
)

// Words that are looked for in whole texts; a text is told in lower case and begins with a space.
var (
	freedom = phrases(`escap|free|releas|rescu|broke out|break out|let out|let go|unlock|pardon|transfer|moved|taken|brought|dragg|escort|flee|fled|ransom|` +
		`беж|бегств|освобо|спас|выпус|отпус|перевел|перевез|вывел|вывез|увел|увез|привел|привез|доставил|конвой|выкуп|вырва|` +
		`逃|释放|获救|救出|放出|放了|脱身|脱险|转移|押|带到|带出|越狱|离开|赎|解救|出狱`)
	alive = phrases(`alive|surviv|faked|not dead|back from the dead|resurrect| жив | жив,| жив.| жив!| жив?| жива| живы| живой|выжил|уцелел|не умер|не погиб|воскрес|` +
		`活着|没死|未死|生还|幸存|复活|诈死|假死`)
	// By these a scene shows somebody who is not there: dreams, ghosts, recordings.
	unreal = phrases(`flashback|flash-back|dream|nightmare|ghost|spirit|vision|hallucinat|undead|twin|impostor|recording|hologram|haunt|` +
		`воспоминани| сон | сон,| сон.| сна | сне | сне,| сне.|снился|снилась|снилось|призрак| дух|видени|близнец|двойник|галлюцин|запись|записи|голограм|` +
		`回忆|梦|鬼|魂|往事|幻|遗言|录音|录像|画像|影像|转世|双胞胎|冒充|易容|闪回`)
	// By these somebody thinks back.
	remembered = phrases(`remember|recall|memor|years ago|long ago|back then|imagin|once upon|used to|` +
		`вспомн|вспомин|помн|памят|когда-то|лет назад|тогда еще|представил|однажды|想起|记得|记忆|当年|那年|曾经|生前|想象|从前`)
	// By these a chapter or scene says that it tells of an earlier time.
	flashback = phrases(`flashback|flash-back|in the past|prequel|backstory|years earlier|回忆|闪回|倒叙|往事|追忆|插叙|` +
		`флэшбек|флешбек|флэш-бек|флеш-бек|флешбэк|флэшбэк|воспоминани|ретроспекти|предыстори|в прошлом`)
)

// phraseList is looked for word by word: over the length of a chapter that is many times faster than one pattern.
type phraseList []string

func phrases(list string) phraseList { return strings.Split(list, "|") }

// in tells whether any of them occurs in any of the texts.
func (l phraseList) in(texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return text != "" && l.isIn(searchable(text)) })
}

// isIn tells whether any of them occurs in a searchable text.
func (l phraseList) isIn(text string) bool {
	return slices.ContainsFunc(l, func(phrase string) bool { return strings.Contains(text, phrase) })
}

// searchable is a text as phrases are written: in lower case, with a space before its first word.
func searchable(text string) string { return " " + lower(text) }

func lower(s string) string { return strings.ReplaceAll(strings.ToLower(s), "ё", "е") }

// clauses divides what a state says; the person's own name at their beginning is left out.
func (s state) clauses() []string {
	out := strings.FieldsFunc(lower(s.text), func(r rune) bool {
		return strings.ContainsRune(",;.!，。；、！()（）[]〔〕【】—–:：\n", r)
	})
	for i, c := range out {
		c = strings.Join(strings.Fields(c), " ")
		for _, name := range s.names {
			if rest, ok := strings.CutPrefix(c, name); ok && (rest == "" || rest[0] == ' ' || !isLetters(name)) {
				c = strings.TrimSpace(rest)
			}
		}
		out[i] = c
	}
	return out
}

// isLetters tells that a name is not in Chinese, where no space would follow it.
func isLetters(name string) bool { return len(hanParts(name)) == 0 }

// isDead tells whether a state says for certain that somebody is dead. Doubts are looked for last: few states are about death,
// and doubts may stand anywhere in one.
func (s state) isDead() bool {
	return slices.ContainsFunc(s.clauses(), func(c string) bool {
		return slices.ContainsFunc(deaths, func(p *regexp.Regexp) bool { return p.MatchString(c) })
	}) && !s.isDoubtful()
}

func (s state) isDoubtful() bool { return doubts.MatchString(lower(s.text)) }

// prison gives the place where a state says that somebody is locked up.
func (s state) prison() (string, bool) {
	for _, c := range s.clauses() {
		for _, p := range confined {
			m := p.FindStringSubmatch(c)
			if m == nil {
				continue
			}
			place := strings.TrimSpace(m[1])
			isOwn := slices.ContainsFunc(strings.Fields(place), func(w string) bool { return ownWords[w] })
			if place == "" || isOwn || s.isDoubtful() || freedom.in(s.text) {
				return "", false
			}
			return place, true
		}
	}
	return "", false
}

// ownWords make a prison a figure of speech: her own mind.
var ownWords = words(`his her their own себе своем своей собственном`)
