package continuity

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// rule reads one way of writing a time. Text is in lower case, ё is е.
type rule struct {
	pattern *regexp.Regexp
	read    func(groups []string) (point, bool)
}

const (
	numHan  = `[0-9〇零一二三四五六七八九十百千两元]+`
	numWord = `([0-9]{1,6}|[a-zа-я]+)`
)

var (
	relative = regexp.MustCompile(`later|\bafter\b|\bago\b|earlier|before|next|following|previous|same day|tomorrow|yesterday|` +
		`后|以前|之前|年前|月前|天前|日前|次日|翌日|第二天|当天|同日|隔天|спустя|через|после|назад|следующ|предыдущ|тот же|раньше|завтра|вчера|второй день|` +
		`\bbetween\b|\buntil\b|между|вплоть|circa|\baround\b|\babout\b|approx|около|примерно|年代|\d-?[ех] год|约|左右|前后`)
	beforeChrist = regexp.MustCompile(`\bb\.?c\.?(e\.?)?(\s|$)|до н\.? ?э`)
	commaDate    = regexp.MustCompile(`([a-z]+ \d{1,2}(?:st|nd|rd|th)?), (\d{4})`)
	countAgain   = regexp.MustCompile(`([年月周期])第`)
	clockTime    = regexp.MustCompile(`\d{1,2}:\d{2}(:\d{2})?( ?[ap]\.?m\.?)?|\d{1,2} ?[ap]\.?m\b\.?|[0-9一二三四五六七八九十]{1,3}[点时](半|整|钟|[0-9一二三四五六七八九十]{1,3}分)?`)
	era          = regexp.MustCompile(`\b(age|era|epoch|calendar|reign|dynasty|cycle|turn)\b|эр[аыеу]|эпох|летоисчислен|календар|правлени|纪|历|朝`)
	hourHan      = regexp.MustCompile(`凌晨|清晨|早晨|早上|上午|中午|正午|下午|傍晚|黄昏|晚上|夜晚|夜里|深夜|午夜|半夜|夜|晨|晚`)
)

// hours order the times of a day; those of the night have no place, for a night belongs to two days.
var hours = map[string]int{
	"dawn": 1, "sunrise": 1, "morning": 2, "noon": 4, "midday": 4, "afternoon": 5, "evening": 6, "dusk": 6, "sunset": 6, "night": 0, "midnight": 0,
	"рассвет": 1, "рассвете": 1, "утро": 2, "утром": 2, "утра": 2, "полдень": 4, "днем": 5, "вечер": 6, "вечером": 6, "вечера": 6, "закат": 6,
	"ночь": 0, "ночью": 0, "ночи": 0, "полночь": 0,
}

var hoursHan = map[string]int{
	"凌晨": 0, "清晨": 1, "早晨": 2, "早上": 2, "上午": 3, "中午": 4, "正午": 4, "下午": 5, "傍晚": 6, "黄昏": 6, "晨": 1,
}

// frameless are words beside a time that do not say what it is counted from.
var frameless = words(`the of in on at a an early late mid year years day anno domini ad ce
	в во на год года году г день дня начало конец середина начале конце середине рано поздно поздний ранний
	公元 年 初 末 底 春 夏 秋 冬`)

func words(list string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// numbered gives a table of words for 1, 2, 3 …; words for the same number are joined with "|".
func numbered(list string) map[string]int {
	table := make(map[string]int)
	for i, group := range strings.Fields(list) {
		for w := range strings.SplitSeq(group, "|") {
			table[w] = i + 1
		}
	}
	return table
}

var (
	ordinals = numbered(`first|первый|первого second|второго third|третий|третьего fourth|четвертый|четвертого fifth|пятый|пятого sixth|шестой|шестого
		seventh|седьмой|седьмого eighth|восьмой|восьмого ninth|девятый|девятого tenth|десятый|десятого eleventh|одиннадцатый twelfth|двенадцатый`)
	cardinals = numbered(`one|один two|два three|три four|четыре five|пять six|шесть seven|семь eight|восемь nine|девять ten|десять eleven twelve`)
	months    = numbered(`january|jan|январь|января|январе february|feb|февраль|февраля|феврале march|mar|март|марта|марте april|apr|апрель|апреля|апреле
		may|май|мая|мае june|jun|июнь|июня|июне july|jul|июль|июля|июле august|aug|август|августа|августе
		september|sep|sept|сентябрь|сентября|сентябре october|oct|октябрь|октября|октябре november|nov|ноябрь|ноября|ноябре december|dec|декабрь|декабря|декабре`)
	// Winter lies at both ends of a year, so it has no place in it.
	seasons = numbered(`spring|весна|весной|весны|весне|春|春天|春季|春日 summer|лето|летом|лета|夏|夏天|夏季|夏日 autumn|fall|осень|осенью|осени|秋|秋天|秋季|秋日`)
	winters = numbered(`winter|зима|зимой|зимы|зиме|冬|冬天|冬季|冬日`)
)

func alternatives(tables ...map[string]int) string {
	var all []string
	for _, t := range tables {
		for w := range t {
			all = append(all, w)
		}
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }) // the longest first
	return strings.Join(all, "|")
}

var (
	monthWord  = alternatives(months)
	seasonWord = alternatives(seasons, winters)
	ending     = `(?:-?(?:st|nd|rd|th|й|ый|ой|го|ое|е|я|м))?`
	yearEnd    = `(?: ?(?:года?|году|г\.?))?`
)

// anchorRules are tried in order: what says most comes first.
var anchorRules = []rule{
	{regexp.MustCompile(`(\d{4})-(\d{1,2})-(\d{1,2})`), readDate(1, 2, 3)},
	{regexp.MustCompile(`(\d{1,2})\.(\d{1,2})\.(\d{4})`), readDate(3, 2, 1)},
	{regexp.MustCompile(`(?:^|\P{L})(\d{1,2})` + ending + ` (?:of )?(` + monthWord + `)\.? (\d{3,4})` + yearEnd + `(?:\P{L}|$)`), readDate(3, 2, 1)},
	{regexp.MustCompile(`(?:^|\P{L})(` + monthWord + `)\.? (\d{1,2})` + ending + ` (\d{3,4})(?:\P{L}|$)`), readDate(3, 1, 2)},
	{regexp.MustCompile(`(?:^|\P{L})(` + monthWord + `)\.? (?:of )?(\d{3,4})` + yearEnd + `(?:\P{L}|$)`), readDate(2, 1, 0)},
	{regexp.MustCompile(`(?:^|\P{L})(` + seasonWord + `) (?:of )?(\d{3,4})` + yearEnd + `(?:\P{L}|$)`), readSeason},
	{regexp.MustCompile(`第(` + numHan + `)个?(年|月|周|星期|天|日)`), readCountHan},
	{regexp.MustCompile(`(公元前|公元|[^第\PL]*?)(` + numHan + `)年的?(?:(` + numHan + `)月(?:(` + numHan + `)[日号])?|(` + seasonWord + `))?(?:初|末|底)?`), readHan},
	{regexp.MustCompile(`(?:^|\P{L})(day|week|month|year|день|неделя|месяц|год) (?:no\. ?|#|№ ?)?` + numWord + `(?:\P{L}|$)`), readCount(1, 2, cardinals)},
	{regexp.MustCompile(`(?:^|[^\pL\d])` + numWord + ending + ` (day|week|month|year|день|неделя|месяц)(?:\P{L}|$)`), readCount(2, 1, ordinals)},
	{regexp.MustCompile(`(?:^|[^\pL\d])(\d{3,4}) ?(?:года?|году|г\.)`), readDate(1, 0, 0)},
	{regexp.MustCompile(`(?:^|[^\pL\d])([1-3]\d{3})(?:[^\pL\d]|$)`), readDate(1, 0, 0)},
	{regexp.MustCompile(`(?:^|[^\pL\d])(\d{1,4}) (?:b\.?c|до н)`), readBefore},
}

func (p *point) set(unit, value int) { p.value[unit], p.has[unit] = value, true }

// readDate reads year, month and day from groups; 0 means that there is none.
func readDate(year, month, day int) func([]string) (point, bool) {
	return func(g []string) (point, bool) {
		var p point
		for _, part := range []struct{ group, unit, max int }{{year, unitYear, 9999}, {month, unitMonth, 12}, {day, unitDay, 31}} {
			if part.group == 0 || g[part.group] == "" {
				continue
			}
			n, ok := months[g[part.group]]
			if !ok {
				n, ok = number(g[part.group])
			}
			if !ok || n < 1 || n > part.max {
				return point{}, false
			}
			p.set(part.unit, n)
		}
		return p, true
	}
}

func readSeason(g []string) (point, bool) {
	p, ok := readDate(2, 0, 0)(g)
	if n, isPlaced := seasons[g[1]]; isPlaced {
		p.set(unitSeason, n)
	}
	return p, ok
}

// readBefore keeps the mark of the era out of the match's number; the mark itself is matched here, so the sign is too.
func readBefore(g []string) (point, bool) {
	p, ok := readDate(1, 0, 0)(g)
	p.value[unitYear] = -p.value[unitYear]
	return p, ok
}

// readHan reads 1912年3月4日, 天启三年春, 公元前221年. A small number without an era is a length of time, not a year.
func readHan(g []string) (point, bool) {
	p, ok := readDate(2, 3, 4)(g)
	if !ok {
		return point{}, false
	}
	if n, isPlaced := seasons[g[5]]; isPlaced {
		p.set(unitSeason, n)
	}
	switch name := strings.TrimLeft(g[1], "在于从自到"); {
	case name == "公元":
	case name == "公元前":
		p.value[unitYear] = -p.value[unitYear]
	case name != "":
		p.frame = name
	case g[1] == "" && p.value[unitYear] < 100:
		return point{}, false
	}
	return p, true
}

var countUnits = map[string]int{
	"year": unitYear, "month": unitMonth, "week": unitWeek, "day": unitDay,
	"год": unitYear, "месяц": unitMonth, "неделя": unitWeek, "день": unitDay,
	"年": unitYear, "月": unitMonth, "周": unitWeek, "星期": unitWeek, "天": unitDay, "日": unitDay,
}

// readCount reads "day 3" and "third day". A word that is no number says nothing for certain.
func readCount(unit, value int, words map[string]int) func([]string) (point, bool) {
	return func(g []string) (point, bool) {
		n, ok := words[g[value]]
		if !ok {
			n, ok = number(g[value])
		}
		if !ok || n < 1 {
			return point{}, false
		}
		p := point{isCount: countUnits[g[unit]] != unitYear || n < 1000} // "the year 1912" is a date
		p.set(countUnits[g[unit]], n)
		return p, true
	}
}

// readCountHan reads 第三天.
func readCountHan(g []string) (point, bool) { return readCount(2, 1, nil)(g) }
