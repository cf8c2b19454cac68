package novel

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/line/novel/story"
)

func TestChaptersThatFailedTakeInWhatTheyBuildOn(t *testing.T) {
	on := func(numbers ...int) (all []story.Dependency) {
		for _, n := range numbers {
			all = append(all, story.Dependency{ChapterNumber: n})
		}
		return all
	}
	o := &story.Outline{Chapters: []story.OutlineChapter{{ChapterNumber: 1}, {ChapterNumber: 2, Dependencies: on(1)}, {ChapterNumber: 3},
		{ChapterNumber: 4, Dependencies: on(2, 0, 9, 4, 5)}, {ChapterNumber: 5, Dependencies: on(4, 2)}}}
	b := write(t, &pen{chapters: 5, scenes: 1}, settings(nil), Goal{Until: StepOutline}, nil)
	for name, c := range map[string]struct {
		outline *story.Outline
		failed  []int
		want    []int
	}{
		"nothing before":      {o, []int{3}, []int{3}},
		"through others":      {o, []int{5}, []int{1, 2, 4, 5}},
		"each once":           {o, []int{4, 5}, []int{1, 2, 4, 5}},
		"without an outline":  {nil, []int{5}, []int{5}},
		"not in the outline":  {o, []int{7}, []int{7}},
		"only what is before": {o, []int{4}, []int{1, 2, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, withUnwritten(b.run, c.outline, c.failed)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWithoutAnOutlineAllBeforeAChapterIsWritten(t *testing.T) {
	b := write(t, &pen{chapters: 5, scenes: 1}, settings(nil), Goal{Chapters: []int{2}}, nil)
	for name, c := range map[string]struct {
		outline *story.Outline
		want    []int
	}{
		"nobody knows yet":    {nil, []int{1, 3, 4, 5}}, // the second is there
		"it builds on nobody": {&story.Outline{Chapters: []story.OutlineChapter{{ChapterNumber: 4}, {ChapterNumber: 5}}}, []int{4, 5}},
	} {
		if diff := cmp.Diff(c.want, toWrite(b.run, c.outline, []int{4, 5})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got := toWrite(b.run, nil, nil); len(got) > 0 {
		t.Errorf("no chapter became %v", got)
	}
}
