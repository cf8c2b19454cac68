package scene

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func people(names ...string) []Character {
	out := []Character{}
	for _, n := range names {
		out = append(out, Character{Name: n})
	}
	return out
}

func TestNamesAreFoundInEveryForm(t *testing.T) {
	for _, c := range []struct {
		name   string
		others []string
		text   string
		want   bool
	}{
		{"Анна", nil, "Анны не было дома.", true},
		{"Анна", nil, "Он подошёл к Анне.", true},
		{"Анна", nil, "С Анной никто не спорил.", true},
		{"Анна", nil, "АННА!", true},
		{"Анна", nil, "Аннабель вошла первой.", false},
		{"Анна", nil, "Анной", true},
		{"Аня", nil, "Ане не спалось.", true},
		{"Аня", nil, "Анатолий молчал.", false},
		{"Мария", nil, "Он ждал Марию.", true},
		{"Игорь", nil, "Рядом с Игорем стоял чемодан.", true},
		{"Павел", nil, "Павла никто не звал.", true},
		{"Лев", nil, "Льва здесь нет.", true},
		{"Пётр", nil, "Петра ждали.", true},
		{"Борис", nil, "Борисов промолчал.", false},
		{"Борис", nil, "Спросите у Бориса.", true},
		{"Достоевский", nil, "Он читал Достоевского.", true},
		{"Юрий", nil, "Юрию не верили.", true},
		{"Роман", nil, "Она закрыла роман и встала.", false},
		{"Роман", nil, "Она посмотрела на Романа.", true},
		{"Пётр Петров", []string{"Анна Петрова"}, "Петрова вошла.", false},
		{"Пётр Петров", []string{"Анна Петрова"}, "Позвали Петра.", true},
		{"Иван Грозный", nil, "Иваном его звали редко.", true},
		{"Ann", nil, "The annual report lay there.", false},
		{"Ann", nil, "Annual reports bored him.", false},
		{"Ann", nil, "Anna came in.", false},
		{"Ann", nil, "It was Ann's coat.", true},
		{"Ann", nil, "ann looked up.", true},
		{"Ann", nil, "It was Ann’s coat.", true},
		{"O'Neil", nil, "O’Neil's boots were wet.", true},
		{"O'Neil", nil, "Neil waited.", false},
		{"James", nil, "James' hat fell.", true},
		{"James", nil, "James's hat fell.", true},
		{"Will", nil, "He will come.", false},
		{"Will", nil, "She asked Will to stay.", true},
		{"Jean-Luc", nil, "Jean-Luc's voice broke.", true},
		{"Jean-Luc", nil, "Jean laughed.", false},
		{"Captain Boris Petrov", nil, "The captain slept.", false},
		{"Captain Boris Petrov", nil, "Nobody asked Petrov.", true},
		{"Anna Karenina", []string{"Anna Smith"}, "Anna smiled.", false},
		{"Anna Karenina", []string{"Anna Smith"}, "Karenina smiled.", true},
		{"José", nil, "Jose\u0301 waited.", true},
		{"李", nil, "李明走了进来。", false},
		{"李", []string{"李明"}, "李明说。", false},
		{"李", nil, "李说：“好。”", true},
		{"李", nil, "他放下行李。", false},
		{"李明", nil, "门口站着李明。", true},
		{"李明", []string{"李明月"}, "李明月笑了。", false},
		{"李明", []string{"李明月"}, "李明月看着李明。", true},
		{"王小波", nil, "没有人提到他。", false},
		{"Anna", nil, "“Anna说过。”", true},
	} {
		others := people(c.others...)
		if got := nameOf(Character{Name: c.name}, others).in(textOf(c.text), others).found; got != c.want {
			t.Errorf("%s in %q, beside %v: got %v, want %v", c.name, c.text, c.others, got, c.want)
		}
	}
}

func TestTermsAndPlaces(t *testing.T) {
	for _, c := range []struct {
		term, text string
		want       bool
	}{
		{"tide clock", "The tide clocks ran backwards.", true},
		{"tide clock", "The clock struck; the tide turned.", false},
		{"teleport", "She teleported away.", true},
		{"magic", "It was magical.", false},
		{"приливные часы", "Он посмотрел на приливных часов стрелки.", true},
		{"телепортация", "Без телепортации не обошлось.", true},
		{"телепортации", "Телепортация, телепортацию.", true},
		{"телепортации", "Она выбрала телепортацию.", true},
		{"оружия", "Он вышел с оружием.", true},
		{"суд", "Судья молчал.", false},
		{"суд", "До суда оставался день.", true},
		{"маяк", "Под маяком.", true},
		{"潮汐钟", "墙上的潮汐钟倒着走。", true},
		{"潮汐钟", "墙上的钟倒着走。", false},
	} {
		if got := textOf(c.text).term(c.term, 0).found; got != c.want {
			t.Errorf("term %s in %q: got %v, want %v", c.term, c.text, got, c.want)
		}
	}
	for _, c := range []struct {
		place, text string
		want        bool
	}{
		{"The old harbour office", "In the harbour office nothing moved.", true},
		{"The old harbour office", "In the kitchen nothing moved.", false},
		{"Старая пристань", "На старой пристани было тихо.", true},
		{"Старая пристань", "В кабинете было тихо.", false},
		{"Северные ворота", "У северных ворот стояла телега.", true},
		{"城北旧码头", "旧码头上没有人。", true},
		{"城北旧码头", "书房里没有人。", false},
	} {
		if got := textOf(c.text).place(c.place); got != c.want {
			t.Errorf("place %s in %q: got %v, want %v", c.place, c.text, got, c.want)
		}
	}
}

const wrapped = `---
location: elsewhere
characters: Boris
---
# Scene 0204

**Location:** Harbour office
**POV:** Boris

Anna closed the ledger of the harbour office.

She did not look up.

- [x] Boris absent
- [ ] word count

## Compliance checklist
Boris does not appear.
### Details
Boris again.

---
Notes: Boris was left out on purpose,
as asked.
`

func TestOnlyTheProseCounts(t *testing.T) {
	want := "Anna closed the ledger of the harbour office.\n\nShe did not look up."
	for name, draft := range map[string]string{
		"wrapped":    wrapped,
		"fenced":     "Here is the scene:\n\n```markdown\n" + strings.Repeat(want+"\n\n", 8) + "```\n",
		"windows":    strings.ReplaceAll(wrapped, "\n", "\r\n"),
		"russian":    "## Сцена\n\n" + want + "\n\n## Примечания\n\nBoris\n",
		"chinese":    "## 正文\n" + want + "\n\n## 检查清单\n- Boris 不在场\n",
		"comment":    "<!-- Boris -->\n" + want,
		"marked":     "[rehearsal] " + want,
		"bold notes": want + "\n\n**Notes**\n\nBoris is not here.\n",
		"table":      "| Boris | absent |\n|---|---|\n\n" + want,
	} {
		got := proseOf(draft)
		if name == "fenced" {
			got = got[:min(len(got), len(want))]
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	letter := "He read it aloud.\n\nTime: nine o'clock.\n\nHe laughed."
	if got := proseOf(letter); got != letter {
		t.Errorf("a quoted line inside the prose is lost: %q", got)
	}
}

func sampleConstraints() Constraints {
	return Constraints{SceneID: "0204", Language: "en", Location: Location{Name: "Harbour office"},
		RequiredCharacters: people("Anna Petrova", "Ivan"), ForbiddenCharacters: people("Boris"),
		Mechanics: Mechanics{Required: []string{"tide clock"}, Forbidden: []string{"teleport"}},
		Scope:     Scope{ForbiddenTerms: []string{"trial"}}, WordCount: wordCountOf(20, 20)}
}

const goodDraft = "In the harbour office Anna wound the tide clock while Ivan counted ropes, and neither of them said a word about it."

func TestViolationsAreNamedOneByOne(t *testing.T) {
	c := sampleConstraints()
	for _, test := range []struct {
		name, draft string
		want        []string
		warn        bool
	}{
		{"clean", goodDraft, nil, false},
		{"wrong place", strings.Replace(goodDraft, "harbour office", "kitchen", 1), []string{codeLocation}, false},
		{"forbidden character", goodDraft + " Boris's coat hung there.", []string{codeForbiddenCharacter}, true},
		{"missing character", strings.Replace(goodDraft, "Ivan", "he", 1), []string{codeMissingCharacter}, false},
		{"missing mechanic", strings.Replace(goodDraft, "tide clock", "watch", 1), []string{codeMissingMechanic}, false},
		{"forbidden mechanic", goodDraft + " She teleported.", []string{codeForbiddenMechanic}, true},
		{"scope", goodDraft + " The trial began.", []string{codeScope}, true},
		{"too long", strings.Repeat(goodDraft+" ", 3), nil, true},
		{"nothing", "  \n# Title\n", []string{codeNoProse}, false},
	} {
		r := CheckCompliance(c, test.draft)
		var got []string
		for _, v := range r.Violations {
			got = append(got, v.Code)
			if v.Message == "" || v.Fix == "" {
				t.Errorf("%s: %+v lacks a message or a fix", test.name, v)
			}
		}
		if strings.Join(got, " ") != strings.Join(test.want, " ") || r.Pass != (len(test.want) == 0) || (len(r.Warnings) > 0) != test.warn {
			t.Errorf("%s: got %v pass %v warnings %v, want %v", test.name, got, r.Pass, r.Warnings, test.want)
		}
	}
}

func TestComplianceHolds(t *testing.T) {
	names := rapid.SampledFrom([]string{"Анна", "Борис", "Павел", "Мария", "Ann", "Boris", "O'Neil", "Maria", "李明", "王芳", "Jean-Luc"})
	filler := rapid.SampledFrom([]string{"the rain fell", "дождь шёл", "雨一直下", "nobody spoke", "никто не спорил", "门开着"})
	rapid.Check(t, func(t *rapid.T) {
		name := names.Draw(t, "name")
		before, after := filler.Draw(t, "before"), filler.Draw(t, "after")
		c := Constraints{ForbiddenCharacters: people(name)}
		if r := CheckCompliance(c, before+", "+name+", "+after+"."); r.Pass {
			t.Fatalf("%s stands in the prose and is not found", name)
		}
		if r := CheckCompliance(c, strings.Repeat(before+", "+after+".\n\n", 3)+"## Notes\n"+name+" is absent.\n- [x] "+name); !r.Pass {
			t.Fatalf("%s stands in the notes only and is held against the prose: %v", name, r.Violations)
		}
		if r := CheckCompliance(Constraints{RequiredCharacters: people(name)}, strings.ToUpper(before+" — "+name+", "+after)); !r.Pass {
			t.Fatalf("%s in capitals is not found", name)
		}
	})
}

func FuzzCompliance(f *testing.F) {
	f.Add(wrapped, "Boris", "Harbour office")
	f.Add(goodDraft, "李", "城北旧码头")
	f.Add("```\n\xff\xfe\n---\n***", "О'Нил-Петров", "")
	f.Fuzz(func(t *testing.T, draft, name, place string) {
		c := Constraints{Location: Location{Name: place}, RequiredCharacters: people(name), ForbiddenCharacters: people(name+"x", "Boris"),
			Mechanics: Mechanics{Required: []string{place}, Forbidden: []string{name}}, WordCount: wordCountOf(10, 20)}
		r := CheckCompliance(c, draft)
		if r.Pass != (len(r.Violations) == 0) {
			t.Fatal("pass and violations disagree")
		}
		if prose := proseOf(draft); countWords(prose) > countWords(draft) {
			t.Fatalf("the prose %q has more words than the draft", prose)
		}
	})
}

func TestComplianceIsFast(t *testing.T) {
	c := sampleConstraints()
	for range 40 {
		c.ForbiddenCharacters = append(c.ForbiddenCharacters, people("Boris Petrovich "+strings.Repeat("x", len(c.ForbiddenCharacters)))...)
	}
	draft := strings.Repeat(goodDraft+"\n\n", 5000) // 100,000 words
	start := time.Now()
	CheckCompliance(c, draft)
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("100,000 words against 40 names took %s", took)
	}
}

func BenchmarkCompliance(b *testing.B) {
	c := sampleConstraints()
	draft := strings.Repeat(goodDraft+"\n\n", 60)
	for b.Loop() {
		CheckCompliance(c, draft)
	}
}
