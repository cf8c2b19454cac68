package yamlguard

import (
	"bytes"
	"fmt"
)

// MaxNests is how many collections inside of lines a text may open. A text that a person or a model wrote has far fewer;
// with as many the parser is done within a second.
const MaxNests = 10_000

// Refuse says why the parser must not see a text, or nothing. It costs one look at every byte. What opens a collection is
// counted and never closed again, so that quotes and comments cannot hide how deep a text goes.
func Refuse(body []byte, maxBytes int) string {
	if len(body) > maxBytes {
		return fmt.Sprintf("it has %d bytes, over the limit of %d", len(body), maxBytes)
	}
	if i := bytes.IndexByte(body, 0); i >= 0 {
		return fmt.Sprintf("it has a NUL byte at %d", i)
	}
	nests, marks, isStart := 0, 0, true // isStart: nothing but marks of items and keys stands before on this line
	for i, c := range body {
		switch c {
		case '\n', '\r':
			marks, isStart = 0, true
		case '[', '{':
			nests, isStart = nests+1, false
		case '-', '?':
			if isStart && i+1 < len(body) && (body[i+1] == ' ' || body[i+1] == '\t') {
				nests += min(marks, 1) // the first of a line is one more item of its list
				marks++
			}
		case ' ', '\t':
		default:
			isStart = false
		}
	}
	if nests > MaxNests {
		return fmt.Sprintf("it nests too deep: it opens %d lists and groups, over the limit of %d", nests, MaxNests)
	}
	return ""
}
