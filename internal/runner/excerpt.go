package runner

import (
	"fmt"
	"strings"
	"unicode"
)

// What is kept of an output. Errors stand at its end more often than at its beginning.
const (
	headBytes = 2 << 10
	tailBytes = 4 << 10
)

// excerpt keeps the beginning and the end of what is written to it, and counts the rest. It is written to by one goroutine.
type excerpt struct {
	head, tail []byte
	cut        int64
}

// Write takes everything: a program that prints too much is not stopped by it.
func (e *excerpt) Write(p []byte) (int, error) {
	n := len(p)
	if free := headBytes - len(e.head); free > 0 {
		k := min(free, len(p))
		e.head, p = append(e.head, p[:k]...), p[k:]
	}
	if over := len(p) - tailBytes; over > 0 {
		e.cut += int64(over)
		p = p[over:]
	}
	if over := len(e.tail) + len(p) - tailBytes; over > 0 {
		e.cut += int64(over)
		e.tail = e.tail[:copy(e.tail, e.tail[over:])]
	}
	e.tail = append(e.tail, p...)
	return n, nil
}

// text gives what was kept as plain text, with the place of what was not.
func (e *excerpt) text() string {
	if e.cut == 0 {
		return plain(string(e.head) + string(e.tail))
	}
	return plain(string(e.head)) + fmt.Sprintf("\n[%d bytes left out]\n", e.cut) + plain(string(e.tail))
}

// plain drops what would steer a terminal or is no text.
func plain(s string) string {
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), "\uFFFD")
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, strings.TrimRight(s, "\r\n\t "))
}
