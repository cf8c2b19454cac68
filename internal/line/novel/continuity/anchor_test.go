package continuity

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/fault"
	"sluice/internal/line/novel/story"
)

func TestAnchorsInOrder(t *testing.T) {
	for _, tc := range []struct{ earlier, later string }{
		{"Day 3", "Day 5"}, {"day three", "Day 4, morning"}, {"the third day", "Day 10"}, {"Day 3, morning", "Day 3, evening"},
		{"Day 1 — Day 3", "Day 4"}, {"Year 2, Day 5", "Year 2, Day 6"}, {"Year 1, Day 50", "Year 2, Day 6"}, {"Week 2", "Week 3"},
		{"1911", "4 March 1912"}, {"March 4, 1912", "5th of March 1912"}, {"March 1912", "April 1912"}, {"spring 1912", "Autumn of 1912"},
		{"1912-03-04", "1912-03-05, noon"}, {"500 BC", "1912"}, {"1200 BC", "300 BCE"}, {"The year 1911", "London, 1912"},
		{"Day 3 of the siege", "Day 5 of the siege"}, {"Third Age 3018", "Third Age 3019"}, {"Day 3, 08:30", "Day 4, 7 pm"},
		{"день 3", "День 5, утро"}, {"третий день", "5-й день"}, {"4 марта 1912 года", "5 марта 1912"}, {"март 1912", "Осень 1913 года"},
		{"1911 год", "1912 г."}, {"весна 1912", "лето 1912 года"}, {"04.03.1912", "05.03.1912"}, {"500 до н. э.", "1912 год"},
		{"第三天", "第五天清晨"}, {"第三天早上", "第三天傍晚"}, {"第3日", "第十二日"}, {"1912年3月4日", "1912年3月5日"}, {"一九一二年三月", "1912年4月"},
		{"天启三年", "天启四年春"}, {"民国元年", "民国二十三年"}, {"公元前221年", "公元前206年"}, {"公元前221年", "公元25年"}, {"第一年第三天", "第一年第五天"},
		{"1912年春", "1912年秋天"}, {"二〇四一年", "2042年"}, {"Ｄａｙ　３", "Day 4"},
	} {
		a, b := ParseAnchor(tc.earlier), ParseAnchor(tc.later)
		if !a.IsSure() || !b.IsSure() || !a.IsBefore(b) || b.IsBefore(a) {
			t.Errorf("%q (%+v) and %q (%+v) are not in order", tc.earlier, a, tc.later, b)
		}
	}
}

func TestAnchorsThatDoNotCompare(t *testing.T) {
	for _, tc := range [][2]string{
		{"Day 5", "three days later"}, {"Day 5", "the next day"}, {"第五天", "第二天"}, {"第五天", "次日清晨"}, {"第五天", "三年后"}, {"День 5", "на второй день"},
		{"День 5", "спустя три дня"}, {"Day 5", "Day 3 of the siege"}, {"Day 5 of the journey", "Day 3 of the siege"}, {"Day 5", "1912"}, {"spring", "autumn"},
		{"winter 1912", "spring 1912"}, {"1912年冬", "1912年春"}, {"1912", "March 1912"}, {"Day 3", "Day 3, morning"}, {"Day 3, midnight", "Day 3, morning"},
		{"One day", "Day 5"}, {"天启三年", "崇祯元年"}, {"三年", "第五年"}, {"March", "April"}, {"Day 5", "Days 1-3"}, {"Day 5-7", "Day 3"},
		{"Third Age 3018", "Fourth Age 1200"}, {"", "Day 1"}, {"Day 5, 13 soldiers left", "Day 3"}, {"Year 2", "Day 1"}, {"31 March 1912", "40 March 1912"},
		{"5 день", "завтра"}, {"1995年", "1990年代"}, {"1995", "1990s"}, {"1995 год", "1990-е годы"}, {"1912年", "约1910年"}, {"1912", "about 1910"}, {"May 5", "May 4"}, {"三月五日", "三月四日"}, {"Day 9, afternoon", "A summer afternoon"}, {"Day 5, then Day 2", "Day 1"},
	} {
		a, b := ParseAnchor(tc[0]), ParseAnchor(tc[1])
		if a.IsBefore(b) || b.IsBefore(a) {
			t.Errorf("%q (%+v) and %q (%+v) were compared", tc[0], a, tc[1], b)
		}
	}
}

func FuzzParseAnchor(f *testing.F) {
	for _, s := range []string{"Day 3, morning", "1912年3月4日", "третий день", "公元前221年", "March 4, 1912", "第一年第三天", "500 bc", "04.03.1912"} {
		f.Add(s, "Day 1")
	}
	f.Fuzz(func(t *testing.T, x, y string) {
		a, b := ParseAnchor(x), ParseAnchor(y)
		if a.IsBefore(b) && b.IsBefore(a) || a.IsBefore(a) {
			t.Errorf("%q and %q are before each other", x, y)
		}
		if cmp.Diff(a, ParseAnchor(x), cmp.AllowUnexported(Anchor{}, point{})) != "" {
			t.Errorf("%q is read in two ways", x)
		}
	})
}

func outlineOf(anchors ...string) story.Outline {
	var o story.Outline
	for i, a := range anchors {
		o.Chapters = append(o.Chapters, story.OutlineChapter{ChapterNumber: i + 1, ChapterTitle: "t", TimelineAnchor: a})
	}
	return o
}

func TestCheckOutline(t *testing.T) {
	for name, tc := range map[string]struct {
		outline story.Outline
		want    []string
	}{
		"forwards":            {outlineOf("Day 1", "Day 2", "", "three days later", "Day 9"), nil},
		"backwards":           {outlineOf("Day 5", "dusk", "Day 3", "Day 4", "Day 6"), []string{"chapters[2].timeline_anchor", "chapters[3].timeline_anchor"}},
		"a marked flashback":  {outlineOf("第五天", "第三天（回忆）", "第六天"), nil},
		"after a flashback":   {outlineOf("1912", "1890 (flashback)", "1911"), []string{"chapters[2].timeline_anchor"}},
		"the same time":       {outlineOf("День 3", "День 3"), nil},
		"more and less exact": {outlineOf("4 March 1912", "1911", "1912", "May 1912"), []string{"chapters[1].timeline_anchor"}},
		"on itself and later": {story.Outline{Chapters: []story.OutlineChapter{
			{ChapterNumber: 2, Dependencies: []story.Dependency{{ChapterNumber: 1}, {ChapterNumber: 2}, {}}},
			{ChapterNumber: 1, Dependencies: []story.Dependency{{ChapterNumber: 2}}},
		}}, []string{"chapters[1].dependencies[0]", "chapters[0].dependencies[1]"}},
	} {
		var got []string
		for _, p := range CheckOutline(tc.outline) {
			got = append(got, p.Place)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestRefuseOutline(t *testing.T) {
	if err := RefuseOutline("outline.json", outlineOf("Day 1", "Day 2")); err != nil {
		t.Error(err)
	}
	err := RefuseOutline("outline.json", outlineOf("Day 9", "Day 1", "Day 2", "Day 3", "Day 4", "Day 5", "Day 6"))
	want := `chapters[1].timeline_anchor: chapter 2 is at "Day 1", before chapter 1 at "Day 9"; time runs backwards only in a chapter that is marked as a flashback`
	if fault.CodeOf(err) != fault.BadValue || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), "; and 1 more") {
		t.Errorf("got %v", err)
	}
}
