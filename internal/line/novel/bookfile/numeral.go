package bookfile

import (
	"strconv"
	"strings"
)

const (
	hanDigits   = "零一二三四五六七八九"
	maxHan      = 9999
	digitLength = len("零")
)

var hanUnits = [...]string{"", "十", "百", "千"}

// ChineseNumeral writes 1 to 9999 as chapters are counted: 十, 一百, 一百零一, 一百一十, 一千零一十. Other numbers are
// written in digits.
func ChineseNumeral(n int) string {
	if n < 1 || n > maxHan {
		return strconv.Itoa(n)
	}
	if n >= 10 && n < 20 { // 十一, not 一十一; after a hundred it is 一百一十一
		return strings.TrimPrefix(hanGroup(n), "一")
	}
	return hanGroup(n)
}

// hanGroup writes up to four digits with their units; zeros between two others become one 零.
func hanGroup(n int) string {
	digits := strconv.Itoa(n)
	var b strings.Builder
	isGap := false
	for i, d := range digits {
		if d == '0' {
			isGap = true
			continue
		}
		if isGap {
			b.WriteString("零")
			isGap = false
		}
		at := int(d-'0') * digitLength
		b.WriteString(hanDigits[at : at+digitLength])
		b.WriteString(hanUnits[len(digits)-1-i])
	}
	return b.String()
}
