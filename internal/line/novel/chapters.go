package novel

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sluice/internal/fault"
	"sluice/internal/line/novel/story"
)

// ParseChapters reads a list such as 1,3-5. It comes back ascending, each chapter once; an empty text is an empty list.
func ParseChapters(text string) ([]int, error) {
	var all []int
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" && strings.TrimSpace(text) == "" {
			return nil, nil
		}
		low, high, isRange := strings.Cut(part, "-")
		from, err := chapterNumber(text, low)
		if err != nil {
			return nil, err
		}
		to := from
		if isRange {
			if to, err = chapterNumber(text, high); err != nil {
				return nil, err
			}
		}
		if to < from {
			return nil, fault.New(fault.BadValue, text, "chapters %q: %s runs backwards", text, part)
		}
		for n := from; n <= to; n++ {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

func chapterNumber(text, word string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(word))
	if err != nil || n < 1 || n > story.MaxChapters {
		return 0, fault.New(fault.BadValue, text, "chapters %q: %q is not a number from 1 to %d; a list looks like 1,3-5", text, word, story.MaxChapters)
	}
	return n, nil
}

// FormatChapters writes a list as ParseChapters reads it.
func FormatChapters(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		k := i
		for k+1 < len(list) && list[k+1] == list[k]+1 {
			k++
		}
		if k > i {
			parts = append(parts, fmt.Sprintf("%d-%d", list[i], list[k]))
		} else {
			parts = append(parts, strconv.Itoa(list[i]))
		}
		i = k + 1
	}
	return strings.Join(parts, ",")
}
