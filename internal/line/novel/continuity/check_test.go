package continuity

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/line/novel/story"
)

func castNamed(names ...string) story.CharactersConfig {
	c := story.CharactersConfig{Protagonist: story.Character{Name: names[0]}}
	for _, n := range names[1:] {
		c.SupportingCharacters = append(c.SupportingCharacters, story.Character{Name: n})
	}
	return c
}

func textOf(number int, scenes ...string) story.GeneratedChapter {
	c := story.GeneratedChapter{ChapterNumber: number}
	for i, s := range scenes {
		c.Scenes = append(c.Scenes, story.GeneratedScene{SceneNumber: i + 1, Content: s})
	}
	return c
}

func memoryOf(number int, anchor string, states ...string) story.ChapterMemoryEntry {
	m := story.ChapterMemoryEntry{ChapterNumber: number, TimelineAnchor: anchor, CharacterStates: map[string]string{}}
	for i := 0; i < len(states); i += 2 {
		m.CharacterStates[states[i]] = states[i+1]
	}
	return m
}

func kinds(issues []story.ConsistencyIssue) []string {
	var out []string
	for _, x := range issues {
		out = append(out, fmt.Sprint(x.IssueType, " ", x.Severity, " ", strings.Join(x.RelatedCharacters, ","), " ", x.FixInstructions != ""))
	}
	return out
}

func TestStates(t *testing.T) {
	for _, text := range []string{
		"dead", "Dead, killed by the wolf", "is dead", "was killed in the fire", "killed by Ivan", "died in the siege", "He died of fever", "deceased", "passed away", "found dead at dawn",
		"мёртв", "погибла в пожаре", "умер", "убит Иваном", "убита", "скончалась ночью",
		"已死", "死亡", "在大火中牺牲", "被林峰杀死", "已经去世", "战死", "死于心脏病", "受重伤，当场身亡",
	} {
		if !(state{text: text}).isDead() {
			t.Errorf("%q is not read as death", text)
		}
	}
	for _, text := range []string{
		"killed the guard", "killed in self-defence", "presumed dead", "nearly died", "not dead", "mourns his dead father", "dead tired", "dead set on revenge", "left for dead", "faked death; is dead to the world",
		"wants Marcus dead", "dead inside", "might be dead", "grieving after Marcus died", "wounded",
		"убит горем", "чуть не погиб", "считается погибшим", "скорбит по убитому брату", "не умер", "погиб, тело не нашли", "убил стражника", "умерла от страха, но жива",
		"因父亲去世而悲痛", "疑似死亡", "险些丧命", "没死", "生死不明", "杀死了守卫", "濒死", "得知林峰已死", "",
	} {
		if (state{text: text}).isDead() {
			t.Errorf("%q is read as death", text)
		}
	}
}

func TestDeadCharacters(t *testing.T) {
	dead := []story.ChapterMemoryEntry{memoryOf(1, "", "Marcus Vane", "wounded"), memoryOf(3, "", "Marcus Vane", "dead", "Марк Орлов", "погиб в бою", "林峰", "已死")}
	cast := castNamed("Anna Kern", "Marcus Vane", "Марк Орлов", "林峰", "Анна")
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"speaks":                {"“Too late,” said Marcus.", []string{"dead_character_acts high Marcus Vane true"}},
		"acts":                  {"Anna turned. Marcus Vane nodded and left.", []string{"dead_character_acts high Marcus Vane true"}},
		"говорит":               {"— Поздно, — сказал Марк.", []string{"dead_character_acts high Марк Орлов true"}},
		"действует":             {"Дверь открылась. Марк шагнул в комнату.", []string{"dead_character_acts high Марк Орлов true"}},
		"说话":                    {"门开了。林峰说：“走吧。”", []string{"dead_character_acts high 林峰 true"}},
		"行动":                    {"她回头，林峰转身就走。", []string{"dead_character_acts high 林峰 true"}},
		"is named":              {"Marcus was gone. Marcus's coat hung there. As Marcus said, never look back.", nil},
		"is quoted":             {"“Marcus said it was over. Marcus nodded,” Anna said.", nil},
		"is remembered":         {"She remembered the day. “Go,” said Marcus.", nil},
		"is a habit":            {"Marcus said once that it would rain.", nil},
		"is thought of before":  {"She remembered that summer.\nThe sun.\nMarcus laughed.\nRain.\nRain.\nRain.\n“Go,” said Marcus.", nil},
		"memories long over":    {"She remembered that summer.\nRain.\nRain.\nRain.\nThe door opened.\n“Go,” said Marcus.", []string{"dead_character_acts high Marcus Vane true"}},
		"lives after all":       {"“Too late,” said Marcus. He was alive.", nil},
		"назван":                {"Марка не было. — Марк сказал бы иначе, — ответила Анна. Марк всегда молчал.", nil},
		"другой говорит о нём":  {"— Марк кивнул, я видел.", nil},
		"снится":                {"Ей снился сон. — Поздно, — сказал Марк.", nil},
		"提到":                    {"林峰说过的话她没忘。听林峰说：“走。”她想：林峰说的对。", nil},
		"引语":                    {"安娜道：“林峰点头了。”", nil},
		"梦中":                    {"她在梦里。林峰说：“走吧。”", nil},
		"a name in other words": {"Marcusson said no. Vanessa nodded.", nil},
	} {
		got := kinds(Check(Input{Chapter: textOf(4, tc.text), Cast: cast, Memory: dead}))
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for text, want := range map[string]int{"[rehearsal] Marcus Vane is dead; the tower fell.": 1, "Marcus died saving Anna.": 1, "Marcus's brother is dead.": 0} {
		got := Check(Input{Chapter: textOf(4, "“Too late,” said Marcus."), Cast: cast, Memory: []story.ChapterMemoryEntry{memoryOf(3, "", "Marcus", text)}})
		if len(got) != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
	if got := Check(Input{Chapter: textOf(4, "林峰说道。"), Cast: cast, Memory: []story.ChapterMemoryEntry{memoryOf(3, "", "林峰", "林峰已死，众人悲痛")}}); len(got) != 1 {
		t.Errorf("a state that begins with a name: %+v", got)
	}
	// What later chapters say does not count, and the latest state does.
	later := append(dead, memoryOf(4, "", "Marcus Vane", "dead"), memoryOf(5, "", "Marcus Vane", "alive"))
	if got := Check(Input{Chapter: textOf(3, "“Too late,” said Marcus."), Cast: cast, Memory: later}); len(got) != 0 {
		t.Errorf("a memory of the chapter itself was used: %+v", got)
	}
}

func TestUnplanned(t *testing.T) {
	plan := story.ChapterPlan{Scenes: []story.ScenePlan{{SceneNumber: 1, Characters: []string{"Anna Kern", "守卫"}, Purpose: "Boris waits"}, {SceneNumber: 2, Characters: []string{"Anna"}}}}
	in := Input{Chapter: textOf(2, "“Yes,” said Anna.\n“No,” said Clara.\nClara said nothing.", "“Boris,” said Boris."), Plan: plan, Cast: castNamed("Anna Kern", "Clara Moss", "Boris")}
	if diff := cmp.Diff([]string{"unplanned_character low Clara Moss false"}, kinds(Check(in))); diff != "" {
		t.Error(diff)
	}
	in.Plan.Scenes[1].Characters = nil
	if got := Check(in); len(got) != 0 {
		t.Errorf("a plan that does not say who is there was used: %+v", got)
	}
}

func TestTimeline(t *testing.T) {
	memory := []story.ChapterMemoryEntry{memoryOf(1, "Day 1"), memoryOf(3, "Day 5, morning"), memoryOf(2, "Day 9 (flashback)")}
	for name, tc := range map[string]struct {
		anchor, text string
		want         []string
	}{
		"forwards":             {"Day 6", "Day 6\nShe woke.\n\nDay 7, noon\nShe ate.", nil},
		"the outline":          {"Day 3", "She woke.", []string{"timeline_backwards medium  false"}},
		"a flashback":          {"Day 3, flashback", "Day 2\nShe woke.", nil},
		"a heading":            {"Day 6", "Day 4\nShe woke.", []string{"timeline_backwards medium  true"}},
		"headings among them":  {"", "Day 8\nShe woke.\nDay 7\nShe slept.", []string{"timeline_backwards medium  true"}},
		"no heading":           {"Day 6", "“Day 4”\n— Day 4\nIt was like Day 4.\nDay 4 was when all of this had begun, she thought, long before him", nil},
		"says less":            {"morning", "Dawn\nShe woke.", nil},
		"a scene looking back": {"Day 6", "A flashback.\nDay 4\nShe woke.", nil},
	} {
		got := kinds(Check(Input{Chapter: textOf(4, tc.text), Outline: story.OutlineChapter{TimelineAnchor: tc.anchor}, Memory: memory}))
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestVariants(t *testing.T) {
	for name, tc := range map[string]struct {
		cast string
		text string
		want []string
	}{
		"a letter changed":    {"Marcus Vane", "Marcus sat. He saw Marcus. “Marcus!” “Go,” said Markus.", []string{"name_variant medium Marcus Vane true"}},
		"a surname":           {"Elena Voronina", "Then Elena Voranina came.", []string{"name_variant medium Elena Voronina true"}},
		"swapped":             {"Brandon", "Brandon sat. With Brandon. For Brandon. “Go,” said Brnadon.", []string{"name_variant medium Brandon true"}},
		"а в русском":         {"Екатерина", "Екатерина села. С Екатериной. Для Екатерины. — Иди, — сказала Екотерина.", []string{"name_variant medium Екатерина true"}},
		"中文":                  {"林晓峰", "林晓峰走进门。林晓峰说：“好。”她看着林晓峰。林小峰点头。", []string{"name_variant medium 林晓峰 true"}},
		"possessives":         {"Marcus Vane", "Marcus sat. Marcus's coat. Marcus’s hat. The Marcuses came.", nil},
		"a planet":            {"Martin", "Martin sat. Martin rose. Martin spoke. The Martian sky was red; Martian dust.", nil},
		"another short name":  {"Maria", "Maria sat. Maria rose. Maria spoke. “Go,” said Marta.", nil},
		"her brother":         {"Daniela", "Daniela sat. With Daniela. For Daniela. “Go,” said Daniel.", nil},
		"often":               {"Marcus", "Marcus sat. Marcus. Marcus. “Go,” said Markus. Markus nodded. “No,” said Markus.", nil},
		"падежи":              {"Павел Воронцов", "Павел сел. Павлу. С Павлом. Воронцова увидели. К Воронцову. Воронцовы ушли.", nil},
		"притяжательные":      {"Екатерина", "Екатерина. Екатерина. Екатерина. Екатеринин дом. — Иди, — сказала Екатеринка.", nil},
		"只用名字":                {"林晓峰", "林晓峰走进门。林晓峰说：“好。”林晓峰。晓峰点头。林中点头。", nil},
		"兄弟":                  {"林晓峰", "林晓峰走进门。林晓峰说：“好。”林晓峰。林晓雨点头。", nil},
		"known from the text": {"Marcus", "Marcus sat. Marcus. Marcus. “Go,” said Makcus.", nil},
	} {
		in := Input{Chapter: textOf(2, tc.text), Cast: castNamed(tc.cast), Known: []string{"old Makcus the smith"}}
		if diff := cmp.Diff(tc.want, kinds(Check(in))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestUnreachable(t *testing.T) {
	for name, tc := range map[string]struct {
		state, place, action, text string
		want                       bool
	}{
		"locked up":         {"imprisoned in the Black Tower", "Harbour of Ysk", "Anna waits", "“So,” said Anna.", true},
		"заточена":          {"Заточена в Чёрной башне", "Порт", "Ждёт", "— Так, — сказала Анна.", true},
		"关押":                {"仍被囚禁在黑塔中", "码头", "等待", "安娜说：“好。”", true},
		"in the same place": {"imprisoned in the Black Tower", "Cell in the tower", "Anna waits", "“So,” said Anna.", false},
		"escapes":           {"imprisoned in the Black Tower", "Harbour of Ysk", "Anna escapes", "“So,” said Anna.", false},
		"is brought":        {"imprisoned in the Black Tower", "Harbour of Ysk", "Anna waits", "They had brought her here. “So,” said Anna.", false},
		"a figure":          {"locked in her own mind", "Harbour of Ysk", "Anna waits", "“So,” said Anna.", false},
		"is only named":     {"imprisoned in the Black Tower", "Harbour of Ysk", "Anna waits", "Nobody spoke of Anna.", false},
		"在同一处":              {"被关押在城西监狱", "监狱院子", "等待", "安娜说：“好。”", false},
	} {
		plan := story.ChapterPlan{Scenes: []story.ScenePlan{{SceneNumber: 1, Location: tc.place, Characters: []string{"Anna", "Анна", "安娜"}, KeyActions: []string{tc.action}}}}
		for _, who := range []string{"Anna", "Анна", "安娜"} {
			if !strings.Contains(tc.text, who) {
				continue
			}
			got := kinds(Check(Input{Chapter: textOf(3, tc.text), Plan: plan, Cast: castNamed(who), Memory: []story.ChapterMemoryEntry{memoryOf(2, "", who, tc.state)}}))
			var want []string
			if tc.want {
				want = []string{"unreachable_location medium " + who + " false"}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
}

func TestWording(t *testing.T) {
	memory := []story.ChapterMemoryEntry{memoryOf(2, "Day 5", "Marcus", "dead")}
	for lang, want := range map[string][2]string{
		"en": {`Marcus is dead since chapter 2 ("dead") and acts in scene 1: "Marcus."`, "let somebody else do and say in scene 1 what Marcus does there, or show it as a memory"},
		"zh": {`Marcus在第2章已死（“dead”），却在场景1中行动：“Marcus.”`, "场景1中Marcus的言行改由他人完成，或明确写成回忆"},
		"ru": {`Marcus: смерть в главе 2 («dead»), но действует в сцене 1: «Marcus.»`, "передать действия и слова персонажа Marcus в сцене 1 другому или показать их как воспоминание"},
	} {
		got := Check(Input{Language: lang, Chapter: textOf(3, "“No,” said Marcus."), Cast: castNamed("Marcus"), Memory: memory})
		if len(got) != 1 || got[0].Description != want[0] || got[0].FixInstructions != want[1] {
			t.Errorf("%s: %+v", lang, got)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("Marcus Vane", "dead", "“Go,” said Marcus.\nDay 3\n林晓峰点头。", "Day 5", "en")
	f.Add("林晓峰", "被囚禁在黑塔", "林小峰说：“好”。", "第三天", "zh")
	f.Add("Лев", "погиб", "— Да, — сказал Лев.\n\xff\xfe", "день 3", "ru")
	f.Fuzz(func(t *testing.T, name, st, text, anchor, lang string) {
		in := Input{Language: lang, Chapter: textOf(3, text, text), Cast: castNamed(name, "Anna"), Memory: []story.ChapterMemoryEntry{memoryOf(1, anchor, name, st), memoryOf(2, st, anchor, st)},
			Plan: story.ChapterPlan{Scenes: []story.ScenePlan{{SceneNumber: 1, Location: anchor, Characters: []string{name}}}}, Outline: story.OutlineChapter{TimelineAnchor: anchor}}
		got := Check(in)
		if strings.Contains(name+st+text+anchor, "%") {
			return
		}
		for _, x := range got {
			if x.RelatedCharacters == nil || x.RelatedEvents == nil || x.Severity == "" || strings.Contains(x.Description, "%!") || strings.Contains(x.FixInstructions, "%!") {
				t.Errorf("%+v", x)
			}
		}
		if diff := cmp.Diff(got, Check(in)); diff != "" {
			t.Error(diff)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	var text strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&text, "“Go on,” said Anna Kern, number %d. Marcus walked to the window and Clara sighed.\n林晓峰点头，走到窗前。— Да, — сказала Екатерина.\n", i)
	}
	in := Input{Chapter: textOf(3, text.String()), Cast: castNamed("Anna Kern", "Marcus Vane", "Clara Moss", "林晓峰", "Екатерина", "Boris", "Dora", "Egon"),
		Memory: []story.ChapterMemoryEntry{memoryOf(1, "Day 1", "Boris", "dead"), memoryOf(2, "Day 2", "Marcus Vane", "wounded")}}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		Check(in)
	}
}
