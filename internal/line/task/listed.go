package task

// maxListed bounds how many findings, changes or notes are listed; the rest is counted. A small hostile plan could otherwise
// make a report many times its own size, and a journal with it.
const maxListed = 10_000

// listed keeps the first of what is told, and counts the rest.
type listed[T any] struct {
	kept []T
	more int
}

func (l *listed[T]) add(v T) {
	if len(l.kept) == maxListed {
		l.more++
		return
	}
	l.kept = append(l.kept, v)
}

// all gives what was kept, and what is said of the rest if there is any.
func (l *listed[T]) all(rest func(n int) T) []T {
	if l.more == 0 {
		return l.kept
	}
	return append(l.kept, rest(l.more))
}
