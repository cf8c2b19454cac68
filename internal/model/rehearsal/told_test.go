package rehearsal

import (
	"strings"
	"testing"
)

func TestNamesAreReadFromAPremise(t *testing.T) {
	for _, c := range []struct{ text, people, places string }{
		{"Mira, a keeper, and her brother Tom find a ship.", "Mira,Tom", ""},
		{"Anna finds a letter from Oslo. The sea is calm.", "Anna", "Oslo"},
		{"When the bell rings, Wei Lan leaves the Rain City with Gu Nan's key.", "Wei Lan,Gu Nan", "Rain City"},
		{"A town wakes up without clocks.", "", ""},
		{"Clockmaker Wei Lan must choose.", "Clockmaker Wei Lan", ""},
		{"雨城的钟表匠魏岚发现一座钟在倒走。", "魏岚", "雨城"},
		{"少女林小雨和弟弟林川在青石镇长大。", "林小雨,林川", "青石镇"},
		{"一座钟在倒走。", "", ""},
		{"Часовщица Вера и её брат Гурам идут к реке.", "Вера,Гурам", ""},
		{"Однажды Анна получает письмо из Твери.", "Анна", ""},
		{"", "", ""},
	} {
		people, places := told(c.text)
		if got := strings.Join(people, ","); got != c.people {
			t.Errorf("%q names %q, want %q", c.text, got, c.people)
		}
		if got := strings.Join(places, ","); got != c.places {
			t.Errorf("%q is set in %q, want %q", c.text, got, c.places)
		}
	}
}

func FuzzTold(f *testing.F) {
	f.Add("Anna finds a letter from Oslo.")
	f.Add("雨城的钟表匠魏岚发现一座钟在倒走。")
	f.Add("A-'’\xff .王")
	f.Fuzz(func(t *testing.T, text string) {
		people, places := told(text)
		for _, name := range append(people, places...) {
			if strings.TrimSpace(name) == "" {
				t.Errorf("%q names nobody: %q, %q", text, people, places)
			}
		}
	})
}
