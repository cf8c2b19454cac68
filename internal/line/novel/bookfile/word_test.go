package bookfile

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChineseNumeral(t *testing.T) {
	for n, want := range map[int]string{
		1: "一", 9: "九", 10: "十", 11: "十一", 19: "十九", 20: "二十", 21: "二十一", 99: "九十九", 100: "一百", 101: "一百零一", 110: "一百一十",
		111: "一百一十一", 120: "一百二十", 200: "二百", 999: "九百九十九", 1000: "一千", 1001: "一千零一", 1010: "一千零一十", 1011: "一千零一十一",
		1100: "一千一百", 1101: "一千一百零一", 2020: "二千零二十", 9999: "九千九百九十九", 0: "0", -3: "-3", 10000: "10000",
	} {
		if got := ChineseNumeral(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}

// TestChineseNumeralsReadBack reads every numeral by adding up what it says.
func TestChineseNumeralsReadBack(t *testing.T) {
	units := map[rune]int{'十': 10, '百': 100, '千': 1000}
	for n := 1; n <= maxHan; n++ {
		text := ChineseNumeral(n)
		sum, digit := 0, 0
		for i, r := range text {
			switch unit := units[r]; {
			case unit > 0 && i == 0: // 十 alone
				sum += unit
			case unit > 0:
				sum += digit * unit
				digit = 0
			default:
				digit = strings.IndexRune(hanDigits, r) / digitLength
			}
		}
		if sum+digit != n || strings.Contains(text, "零零") || strings.HasSuffix(text, "零") {
			t.Fatalf("%d is written %s", n, text)
		}
	}
}

func TestHeading(t *testing.T) {
	for _, tc := range []struct {
		tag    string
		number int
		title  string
		want   string
	}{
		{"zh", 110, "归来", "第一百一十章 归来"}, {"zh-Hans", 100, "", "第一百章"}, {"zh-TW", 12, "雪", "第十二章 雪"},
		{"zh", 3, "第三章 雪", "第三章 雪"}, {"zh", 12, "第12章：雪", "第十二章 雪"}, {"zh", 3, "第三章节", "第三章 第三章节"},
		{"ru", 3, "Возвращение", "Глава 3. Возвращение"}, {"ru", 3, "ГЛАВА 3: Дом", "Глава 3. Дом"}, {"ru-RU", 3, "Глава 30", "Глава 3. Глава 30"},
		{"en", 3, "The Return", "Chapter 3: The Return"}, {"en-US", 3, "Chapter 3 — The Return", "Chapter 3: The Return"}, {"en", 3, " a\nb ", "Chapter 3: a b"},
		{"de", 2, "Das Haus", "Kapitel 2: Das Haus"}, {"fr", 2, "", "Chapitre 2"}, {"ja", 2, "雪", "第2章 雪"},
		{"fi", 4, "Talo", "4. Talo"}, {"fi", 4, "4. Talo", "4. Talo"}, {"fi", 3, "3 päivää", "3. 3 päivää"}, {"fi", 1984, "1984", "1984. 1984"},
		{"", 4, "", "4"}, {"no such tag!", 4, "x", "4. x"},
	} {
		if got := Heading(tc.tag, tc.number, tc.title); got != tc.want {
			t.Errorf("%s %d %q: got %q, want %q", tc.tag, tc.number, tc.title, got, tc.want)
		}
	}
}

func TestSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"雪下了一夜。他说：“走吧。”门开了":                    {"雪下了一夜。", "他说：“走吧。”", "门开了"},
		"It was late. “Who is there?” No one.": {"It was late.", "“Who is there?”", "No one."},
		"“Wait!” he said. 3.14 is pi...":       {"“Wait!” he said.", "3.14 is pi..."},
		"— Пора! — сказала Анна. Он ушёл…":     {"— Пора!", "— сказала Анна.", "Он ушёл…"},
		"":   nil,
		"……": {"……"},
	} {
		if diff := cmp.Diff(want, Sentences(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestReadingViewsDifferInOneLine(t *testing.T) {
	before := ReadingView("ru", chapter(3, "Дом", "Было темно. Анна вошла. Дождь шёл.", "Утро."), "")
	after := ReadingView("ru", chapter(3, "Дом", "Было темно. Анна вышла. Дождь шёл.", "Утро."), "")
	want := "Глава 3. Дом\n\n[Сцена 1]\n\nБыло темно.\nАнна вошла.\nДождь шёл.\n\n[Сцена 2]\n\nУтро.\n"
	if diff := cmp.Diff(want, before); diff != "" {
		t.Error(diff)
	}
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	changed := 0
	for i := range a {
		if a[i] != b[i] {
			changed++
		}
	}
	if len(a) != len(b) || changed != 1 {
		t.Errorf("%d lines and %d lines differ in %d", len(a), len(b), changed)
	}
	if got := ReadingView("zh", chapter(1, "", "好。"), "- name: 改\r\n\n- time: 改"); !strings.HasPrefix(got, "第一章\n# - name: 改\n# - time: 改\n\n[场景 1]\n") {
		t.Errorf("notes are shown as %q", got)
	}
}

func TestEscapeMark(t *testing.T) {
	for in, want := range map[string]string{
		"- a": `\- a`, "12. b": `12\. b`, "12.5": `12\.5`, "a - b. c)": "a - b. c)", "*x* _y_": `\*x\* \_y\_`, "AT&T & x &lt;": `AT\&T & x \&lt;`,
	} {
		if got := escapeMark(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	if n := strconv.Itoa(3); escapeMark(n) != n {
		t.Error("a number alone is changed")
	}
}
