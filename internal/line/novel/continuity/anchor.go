package continuity

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Units of a point in time, from the longest.
const (
	unitYear = iota
	unitSeason
	unitMonth
	unitWeek
	unitDay
	unitHour // time of day, as far as words say
	units
)

// point is a time as far as it was said.
type point struct {
	isCount bool   // counted from some beginning ("day 3"), not a date
	frame   string // what it is counted from, or the era; only points of one frame compare
	value   [units]int
	has     [units]bool
}

// Anchor is when something happens: from its first point to its last.
type Anchor struct {
	lo, hi point
	isSure bool
}

// IsSure tells whether an anchor was understood well enough to be compared.
func (a Anchor) IsSure() bool { return a.isSure }

// IsBefore tells whether all of a lies certainly before all of b.
func (a Anchor) IsBefore(b Anchor) bool {
	return a.isSure && b.isSure && compare(a.hi, b.lo) < 0
}

// compare gives the order of two points, or 0 where it cannot be told. A unit that only one of them has ends what can be
// told: day 3 may be before or after "year 2".
func compare(a, b point) int {
	if a.isCount != b.isCount || a.frame != b.frame {
		return 0
	}
	for u := range units {
		switch {
		case a.has[u] != b.has[u]:
			return 0
		case a.has[u] && a.value[u] != b.value[u]:
			return a.value[u] - b.value[u]
		}
	}
	return 0
}

// ParseAnchor reads a time in English, Russian or Chinese: 4 March 1912, 1912年春, третий день, Year 2, day 5. What is
// relative to something else ("three days later", 次日) or says more than was understood is not sure.
func ParseAnchor(text string) Anchor {
	text = plain(text)
	if text == "" || len(text) > 400 || relative.MatchString(text) {
		return Anchor{}
	}
	text = commaDate.ReplaceAllString(text, "$1 $2")
	text = countAgain.ReplaceAllString(text, "$1,第")
	text = clockTime.ReplaceAllString(text, " ")
	var points []point
	for _, segment := range strings.FieldsFunc(text, isDivider) {
		p, found, ok := segmentPoint(strings.TrimSpace(segment))
		if !ok {
			return Anchor{}
		}
		if found {
			points = join(points, p)
		}
	}
	if len(points) == 0 {
		return Anchor{}
	}
	return spanOf(points, text)
}

// spanOf gives the anchor from its first to its last point; points that do not compare make it unsure.
func spanOf(points []point, text string) Anchor {
	if len(points) == 1 && points[0].has[unitDay] {
		points[0].value[unitHour], points[0].has[unitHour] = hourOf(text)
	}
	a := Anchor{lo: points[0], hi: points[0], isSure: true}
	for _, p := range points[1:] {
		if compare(a.hi, p) >= 0 {
			return Anchor{}
		}
		a.hi = p
	}
	return a
}

// join adds what a further part of the text says: "year 2, day 5" is one point, "day 2, day 5" are two.
func join(points []point, p point) []point {
	if len(points) == 0 {
		return append(points, p)
	}
	last := &points[len(points)-1]
	mayExtend := last.isCount && p.isCount && (p.frame == "" || p.frame == last.frame)
	for u := range units {
		for v := u; v < units && p.has[u]; v++ {
			mayExtend = mayExtend && !last.has[v] // only smaller units may follow
		}
	}
	if !mayExtend {
		return append(points, p)
	}
	for u := range units {
		if p.has[u] {
			last.value[u], last.has[u] = p.value[u], true
		}
	}
	return points
}

// plain brings a text to the form that the patterns are written for.
func plain(text string) string {
	text = strings.ToLower(norm.NFKC.String(strings.ToValidUTF8(text, " ")))
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "ё", "е")), " ")
}

func isDivider(r rune) bool {
	return strings.ContainsRune(",，、;；。()（）[]【】|·—–~～:：/", r)
}

// segmentPoint reads one part of an anchor. A part that holds a number which was not understood makes all of it unsure.
func segmentPoint(s string) (p point, found, ok bool) {
	for _, rule := range anchorRules {
		at := rule.pattern.FindStringSubmatchIndex(s)
		if at == nil {
			continue
		}
		groups := make([]string, len(at)/2)
		for i := range groups {
			if at[2*i] >= 0 {
				groups[i] = s[at[2*i]:at[2*i+1]]
			}
		}
		rest := s[:at[0]] + " " + s[at[1]:]
		p, ok = rule.read(groups)
		switch {
		case !ok && !hasDigit(groups[0]): // words that only looked like a time
			continue
		case !ok || hasDigit(rest):
			return point{}, false, false
		}
		if beforeChrist.MatchString(rest) && p.has[unitYear] {
			p.value[unitYear] = -p.value[unitYear]
		}
		p.frame = strings.TrimSpace(p.frame + " " + frameOf(rest, p.isCount))
		return p, true, true
	}
	return point{}, false, !hasDigit(s)
}

func hasDigit(s string) bool { return strings.ContainsFunc(s, unicode.IsDigit) }

// frameOf is what a time is told from. For a count it is all that is said beside it; for a date only words of an era
// matter, for places and weather stand there too.
func frameOf(rest string, isCount bool) string {
	rest = beforeChrist.ReplaceAllString(rest, " ")
	var kept []string
	for _, w := range strings.FieldsFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if _, isHour := hours[w]; !isHour && !frameless[w] {
			kept = append(kept, w)
		}
	}
	frame := hourHan.ReplaceAllString(strings.Join(kept, " "), "")
	if !isCount && !era.MatchString(frame) {
		return ""
	}
	return frame
}

// hourOf gives the time of day, where exactly one is said and it is not the night, which belongs to two days.
func hourOf(text string) (int, bool) {
	value, found := 0, 0
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if v, ok := hours[w]; ok {
			value, found = v, found+1
		}
	}
	for _, w := range hourHan.FindAllString(text, -1) {
		value, found = hoursHan[w], found+1
	}
	return value, found == 1 && value > 0
}

// number reads digits and Chinese numerals.
func number(s string) (int, bool) {
	s = strings.TrimSpace(s)
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' }) {
		n, err := strconv.Atoi(s)
		return n, err == nil && len(s) < 7
	}
	return hanNumber(s)
}

// hanNumber reads 一千零一, 三十, 廿三 is left alone; 二〇四一 is read digit by digit.
func hanNumber(s string) (int, bool) {
	if s == "元" { // the first year of an era
		return 1, true
	}
	unit := map[rune]int{'十': 10, '百': 100, '千': 1000}
	sum, digit, written, isPlace := 0, -1, 0, !strings.ContainsAny(s, "十百千")
	for _, r := range s {
		d := strings.IndexRune("〇一二三四五六七八九", r) / len("一")
		switch {
		case r == '零':
			d = 0
		case r == '两':
			d = 2
		case unit[r] > 0:
			if digit < 0 {
				digit = 1
			}
			sum, digit = sum+digit*unit[r], -1
			continue
		case !strings.ContainsRune("〇一二三四五六七八九", r):
			return 0, false
		}
		if written++; isPlace {
			sum = sum*10 + d
		}
		if digit = d; written > 6 {
			return 0, false
		}
	}
	if !isPlace && digit > 0 {
		sum += digit
	}
	return sum, s != "" && sum > 0
}
