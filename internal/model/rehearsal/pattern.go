package rehearsal

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
)

// example writes a text that matches a regular expression, or nothing if the expression cannot be read.
func example(pattern string, rng *rand.Rand) string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	var b strings.Builder
	write(&b, re, rng)
	return b.String()
}

func write(b *strings.Builder, re *syntax.Regexp, rng *rand.Rand) {
	repeat := func(low, high int) {
		for range low + rng.IntN(max(1, high-low+1)) {
			write(b, re.Sub[0], rng)
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(member(re.Rune, rng))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteRune(rune('a' + rng.IntN(26)))
	case syntax.OpCapture:
		write(b, re.Sub[0], rng)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			write(b, sub, rng)
		}
	case syntax.OpAlternate:
		write(b, re.Sub[rng.IntN(len(re.Sub))], rng)
	case syntax.OpStar, syntax.OpPlus:
		repeat(1, 6)
	case syntax.OpQuest:
		repeat(1, 1)
	case syntax.OpRepeat:
		high := re.Max
		if high < 0 {
			high = re.Min + 5
		}
		repeat(re.Min, max(re.Min, min(high, re.Min+8)))
	}
}

// member picks from a class, preferring letters and digits over whatever else it allows.
func member(ranges []rune, rng *rand.Rand) rune {
	var plain []rune
	for c := rune('0'); c <= 'z'; c++ {
		letter := c <= '9' || c >= 'a' || c >= 'A' && c <= 'Z'
		for i := 0; letter && i < len(ranges); i += 2 {
			if c >= ranges[i] && c <= ranges[i+1] {
				plain = append(plain, c)
				break
			}
		}
	}
	if len(plain) > 0 {
		return plain[rng.IntN(len(plain))]
	}
	if len(ranges) == 0 {
		return 'a'
	}
	return ranges[0]
}
