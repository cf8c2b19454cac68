package scene

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const blueprintEnglish = `# Scene 0204 Blueprint: The Ledger

## 1. Location
**Harbour office**, pier 4. Late evening.

## 2. Characters Present
- **Anna Petrova** — the clerk
- Ivan (the pilot)

## 3. Characters Absent
- Boris

## 4. Beats
1. Anna finds a page missing from the ledger.
2. Ivan denies everything,
   badly.
   - he looks at the door
3. The tide clock stops.

## 5. Mechanics
- **Tide clock**: never runs forward at night
- No teleportation

## 6. Scope
- No mention of "the trial"
- The scene ends before anyone leaves the room

## 7. Word count
1,200 words

## 8. Continuity
- It is the night after the storm.

## Tone
professional detachment with cracks
`

const blueprintRussian = `# План сцены 0204

**Место действия:** Старая пристань

### Персонажи
**Присутствуют:** Анна, Игорь
**Отсутствуют:** Борис, Пётр

### Сюжетные биты
* Анна приходит раньше Игоря.
* Игорь приносит фонарь.

### Ограничения
- Не упоминать «суд»

### Объём
800–1000 слов

### Преемственность
нет
`

const blueprintChinese = `# 场景蓝图 0204

## 地点
城北旧码头

## 在场人物
李明、王芳

## 不在场人物
- 李

## 节拍
1、李明发现账册少了一页。
2、王芳否认。

## 机制
- **潮汐钟**：夜里倒着走

## 字数
约1200字

## 连续性
- 前一夜有暴风雨。
`

const blueprintLabels = `---
location: Harbour office
characters_present: [Anna, Ivan]
characters_absent: none
word_count: 900-1100
---
**Beats:**
- Anna waits.
- Ivan comes.

**Continuity:** follows scene 0203
`

const blueprintTable = `| Field | Value |
|---|---|
| Location | Harbour office |
| Word count | ~1500 |

# CHARACTERS

| Name | Status |
|------|--------|
| Anna | present |
| Boris | absent |

SCENE BEATS
-----------

| # | Beat |
|---|---|
| 1 | Anna waits |
| 2 | Anna leaves |

Continuity
==========
It rains.
`

func TestBlueprintsInThreeLanguagesAndManyStyles(t *testing.T) {
	for _, c := range []struct {
		name, source         string
		lang, place          string
		present, absent      []string
		beats                int
		words                WordCount
		continuity           int
		must, not, forbidden []string
	}{
		{"english", blueprintEnglish, "en", "Harbour office", []string{"Anna Petrova", "Ivan"}, []string{"Boris"}, 3, WordCount{1200, 1080, 1320}, 1,
			[]string{"Tide clock"}, []string{"teleportation"}, []string{"the trial"}},
		{"russian", blueprintRussian, "ru", "Старая пристань", []string{"Анна", "Игорь"}, []string{"Борис", "Пётр"}, 2, WordCount{900, 800, 1000}, 0, nil, nil, []string{"суд"}},
		{"chinese", blueprintChinese, "zh", "城北旧码头", []string{"李明", "王芳"}, []string{"李"}, 2, WordCount{1200, 1080, 1320}, 1, []string{"潮汐钟"}, nil, nil},
		{"labels", blueprintLabels, "en", "Harbour office", []string{"Anna", "Ivan"}, []string{}, 2, WordCount{1000, 900, 1100}, 1, nil, nil, nil},
		{"tables", blueprintTable, "en", "Harbour office", []string{"Anna"}, []string{"Boris"}, 2, WordCount{1500, 1350, 1650}, 1, nil, nil, nil},
		{"windows", strings.ReplaceAll(blueprintEnglish, "\n", "\r\n"), "en", "Harbour office", []string{"Anna Petrova", "Ivan"}, []string{"Boris"}, 3, WordCount{1200, 1080, 1320}, 1,
			[]string{"Tide clock"}, []string{"teleportation"}, []string{"the trial"}},
		{"upper case, deeper", strings.ToUpper(strings.ReplaceAll(blueprintLabels, "none", "NONE")), "en", "HARBOUR OFFICE", []string{"ANNA", "IVAN"}, []string{}, 2, WordCount{1000, 900, 1100}, 1, nil, nil, nil},
	} {
		got, problems := ParseBlueprint([]byte(c.source))
		if !usable(problems) {
			t.Errorf("%s: %+v", c.name, problems)
			continue
		}
		if got.Language != c.lang || got.Location.Name != c.place || len(got.Beats) != c.beats || len(got.Continuity) != c.continuity || got.WordCount != c.words {
			t.Errorf("%s: got %+v", c.name, got)
		}
		for _, d := range []string{cmp.Diff(c.present, namesOf(got.RequiredCharacters)), cmp.Diff(c.absent, namesOf(got.ForbiddenCharacters)),
			cmp.Diff(append([]string{}, c.must...), got.Mechanics.Required), cmp.Diff(append([]string{}, c.not...), got.Mechanics.Forbidden), cmp.Diff(append([]string{}, c.forbidden...), got.Scope.ForbiddenTerms)} {
			if d != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, d)
			}
		}
	}
}

const blueprintPlain = `Location: Station platform 9
Present: Ron, "Aunt" May and Harry
Absent: Draco; Snape
Beats:
#### Beat 1: Meeting
They meet.
#### Beat 2: Leaving
- the train leaves
Words: about 1 500
Continuity: N/A
Scope: no magic, no fighting
`

func TestPlainLabels(t *testing.T) {
	c, problems := ParseBlueprint([]byte(strings.ReplaceAll(blueprintPlain, "#### ", "- ")))
	if !usable(problems) || !slices.Equal(c.Scope.ForbiddenTerms, []string{"magic", "fighting"}) || !slices.Equal(namesOf(c.RequiredCharacters), []string{"Ron", "Aunt May", "Harry"}) ||
		len(c.ForbiddenCharacters) != 2 || c.WordCount.Target != 1500 {
		t.Errorf("got %+v %+v", c, problems)
	}
	c, _ = ParseBlueprint([]byte("## Beats\n### Beat 1: Meeting\nThey meet.\nIt rains.\n### Beat 2\n- she leaves\n"))
	if want := []string{"Beat 1: Meeting — They meet. It rains.", "Beat 2 — she leaves"}; !slices.Equal(c.Beats, want) {
		t.Errorf("got %q, want %q", c.Beats, want)
	}
}

func TestBlueprintProblemsAreNamed(t *testing.T) {
	cut := func(heading string) string { // without one section
		i := strings.Index(blueprintEnglish, heading)
		j := strings.Index(blueprintEnglish[i+2:], "\n## ")
		return blueprintEnglish[:i] + blueprintEnglish[i+2+j+1:]
	}
	for _, c := range []struct{ name, source, want string }{
		{"good", blueprintEnglish, ""},
		{"no location", cut("## 1. Location"), "missing_part"},
		{"no characters", cut("## 2. Characters Present"), "missing_part"},
		{"no absent", cut("## 3. Characters Absent"), "missing_part"},
		{"no beats", cut("## 4. Beats"), "missing_part"},
		{"no words", cut("## 7. Word count"), "missing_part"},
		{"no continuity", cut("## 8. Continuity"), "missing_part"},
		{"empty", "", "missing_part missing_part missing_part missing_part missing_part missing_part"},
		{"two locations", strings.Replace(blueprintEnglish, "**Harbour office**, pier 4. Late evening.", "- Harbour office\n- Market", 1), "several_locations"},
		{"a journey", strings.Replace(blueprintEnglish, "**Harbour office**, pier 4. Late evening.", "Harbour office → Market", 1), "several_locations"},
		{"two sections", strings.Replace(blueprintEnglish, "## Tone", "## Location\nMarket\n\n## Tone", 1), "several_locations"},
		{"absent acts", strings.Replace(blueprintEnglish, "The tide clock stops.", "Boris's hat falls.", 1), "absent_in_beat"},
		{"both", strings.Replace(blueprintEnglish, "- Boris", "- Boris\n- Ivan", 1), "character_contradiction"},
		{"no number", strings.Replace(blueprintEnglish, "1,200 words", "short", 1), "word_count_unreadable"},
		{"russian case", strings.Replace(blueprintRussian, "Игорь приносит фонарь.", "Игорь говорит с Борисом.", 1), "absent_in_beat"},
		{"longer name", blueprintChinese, ""},
	} {
		_, problems := ParseBlueprint([]byte(c.source))
		var got []string
		for _, p := range problems {
			if p.Severity == severityError {
				got = append(got, p.Type)
			}
			if p.Message == "" || p.Fix == "" {
				t.Errorf("%s: %+v lacks a message or a fix", c.name, p)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %v, want %q: %+v", c.name, got, c.want, problems)
		}
	}
}

func TestWrittenBlueprintsCanBeRead(t *testing.T) {
	plan := scenePlan{Title: "The | Ledger", Location: "Harbour office; then the market", Atmosphere: "Cold; wet -> dark", Present: []string{"Anna, the clerk", "Ivan"},
		Absent: []string{"Ivan", "Boris", "Olga"}, Beats: []string{"1. Anna waits", "- Boris calls", "# Location: they stay"}, Limits: []string{`no "trial"`},
		MustMention: []string{"tide clock", "a whole sentence that is no term at all"}, NotMention: []string{"teleport"}, WordCount: 900, Continuity: []string{"the storm is over"}}
	for _, lang := range []string{"en", "ru", "zh"} {
		body, corrected := writeBlueprint("0204", plan, lang)
		c, problems := ParseBlueprint(body)
		if !usable(problems) {
			t.Fatalf("%s: %+v\n%s", lang, problems, body)
		}
		if got := namesOf(c.ForbiddenCharacters); !slices.Equal(got, []string{"Olga"}) || c.Location.Name != "Harbour office" || len(c.Beats) != 3 || c.WordCount.Target != 900 ||
			!slices.Equal(c.Mechanics.Required, []string{"tide clock"}) || !slices.Equal(c.Scope.ForbiddenTerms, []string{"trial"}) || len(corrected) != 4 {
			t.Errorf("%s: got %+v, corrected %v\n%s", lang, c, corrected, body)
		}
	}
}

func FuzzParseBlueprint(f *testing.F) {
	for _, s := range []string{blueprintEnglish, blueprintRussian, blueprintChinese, blueprintLabels, blueprintTable, "|\n|-|", "**\n**:", "# :\n- "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		c, problems := ParseBlueprint([]byte(source))
		if usable(problems) && (c.Location.Name == "" || len(c.RequiredCharacters) == 0 || len(c.Beats) == 0 || c.WordCount.Target == 0) {
			t.Fatalf("a blueprint without a part is called usable: %+v", c)
		}
		CheckCompliance(c, source)
	})
}
