package briefing

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/line/novel/story"
	"sluice/internal/prompt"
)

// measured is what the pieces take that are held to the budget.
func measured(b Brief) int {
	n := 0
	for _, p := range b.Pieces {
		n += Tokens(prompt.Fence(p.Label, p.Text))
	}
	return n - b.Account.Subject
}

func TestNothingExceedsTheBudget(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 12 {
		number := 1 + rng.IntN(30)
		b := wildBook(rng, 30)
		budget := 1 + rng.IntN(12000)
		plan := story.ChapterPlan{ChapterNumber: number, ChapterTitle: wild(rng), Scenes: []story.ScenePlan{
			{SceneNumber: 1, Location: wild(rng), Characters: []string{wild(rng)}, Purpose: wild(rng), KeyActions: []string{wild(rng), wild(rng)}}}}
		c := story.GeneratedChapter{ChapterNumber: number, Scenes: []story.GeneratedScene{{SceneNumber: 1, Content: wild(rng)}}}
		list, err := every(b, plan, c, Before{Earlier: c.Scenes, Last: wild(rng)}, 1, Options{Budget: budget})
		if err != nil {
			t.Fatal(err)
		}
		for _, brief := range list {
			if got := measured(brief); got > brief.Account.Used || brief.Account.Used > budget {
				t.Fatalf("%s: pieces take %d tokens, %d are accounted for, the budget is %d", brief.Agent, got, brief.Account.Used, budget)
			}
			checkNearest(t, brief)
		}
	}
}

// checkNearest fails where a chapter's memory is told less fully than that of a chapter farther back.
func checkNearest(t *testing.T, b Brief) {
	t.Helper()
	lowest, at := 0, ""
	for _, e := range b.Account.Entries { // the nearest first
		if e.Piece != "memory" {
			continue
		}
		if formRank[e.Form] < lowest {
			t.Fatalf("%s: %s is %s, but the nearer %s is told less fully", b.Agent, e.Item, e.Form, at)
		}
		lowest, at = formRank[e.Form], e.Item
		if (e.Form == Whole) != (e.Why == "") {
			t.Fatalf("%s: %s is %s because of %q", b.Agent, e.Item, e.Form, e.Why)
		}
	}
}

func TestPromptsStayFlat(t *testing.T) {
	for _, tongue := range tongues() {
		low, high := map[string]int{}, map[string]int{}
		for _, number := range []int{10, 11, 50, 300, 1000} {
			list, err := briefs(tongue, tongue.book(1002, number), number, Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range list {
				used := b.Account.Used
				if _, seen := low[b.Agent]; !seen {
					low[b.Agent] = used
				}
				low[b.Agent], high[b.Agent] = min(low[b.Agent], used), max(high[b.Agent], used)
			}
		}
		for agent := range low {
			if high[agent]*100 > low[agent]*108 {
				t.Errorf("%s, %s: from %d to %d tokens between chapter 10 and 1000", tongue.tag, agent, low[agent], high[agent])
			}
		}
		t.Log(tongue.tag, high)
	}
}

func TestReachGrowsWithTheLogarithm(t *testing.T) {
	s := story.DefaultSettings()
	o := tongues()[0].book(1000, 1).Outline
	if got, want := Reach(s, o, 1000), []int{481, 501, 737, 865, 929, 961, 977, 985, 989, 991, 993, 994, 995, 996, 997, 998, 999}; !cmp.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := Reach(s, o, 1); len(got) != 0 {
		t.Errorf("the first chapter reaches %v", got)
	}
	s.MemoryContextChapters = 0
	if got, want := Reach(s, o, 4), []int{1, 2, 3}; !cmp.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestMemoryOfOtherChaptersStaysOut(t *testing.T) {
	tongue := tongues()[0]
	b := tongue.book(20, 5)
	b.Memory = append(b.Memory, tongue.memory(5), tongue.memory(9), story.ChapterMemoryEntry{})
	brief, err := ForPlan(b, 5, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range brief.Account.Entries {
		if e.Piece == "memory" {
			got = append(got, e.Item+" "+string(e.Form))
		}
	}
	want := []string{"memory of chapter 4 whole", "memory of chapter 3 whole", "memory of chapter 2 whole", "memory of chapter 1 line"}
	if !cmp.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestWhatLiesAheadIsNotToldToTheWriter(t *testing.T) {
	tongue := tongues()[0]
	b := tongue.book(20, 5)
	b.Outline.Chapters[5].Summary, b.Outline.Resolution = "Mara dies at the weir.", "Nobody comes home."
	scene, err := ForScene(b, tongue.plan(5, 3), 1, Before{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := ForPlan(b, 5, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"dies at the weir", "Nobody comes home"} {
		if text := all(scene); strings.Contains(text, secret) {
			t.Errorf("the writer is told %q", secret)
		}
		if text := all(plan); !strings.Contains(text, secret) {
			t.Errorf("the planner is not told %q", secret)
		}
	}
}

func all(b Brief) string {
	var out strings.Builder
	for _, p := range b.Pieces {
		out.WriteString(p.Text + "\n")
	}
	return out.String()
}

func TestCastIsTrimmedToTheChapter(t *testing.T) {
	person := func(name string) story.Character {
		return story.Character{Name: name, Role: "clerk", Background: "secret of " + name}
	}
	b := Book{Settings: story.DefaultSettings(), Characters: story.CharactersConfig{Protagonist: person("Anna Berg"),
		SupportingCharacters: []story.Character{person("Пётр"), person("Виктор"), person("苏晚"), person("Jonas Lind")}}}
	b.Outline.Chapters = []story.OutlineChapter{{ChapterNumber: 1, Summary: "Письмо приходит Петру… и Виктору.", KeyEvents: []string{"苏晚离开"}}}
	plan := story.ChapterPlan{ChapterNumber: 1, Scenes: []story.ScenePlan{{SceneNumber: 1, Characters: []string{"Jonas"}}}}
	planned, err := ForPlan(b, 1, Options{})
	if err != nil {
		t.Fatal(err)
	}
	written, err := ForScene(b, plan, 1, Before{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		brief Brief
		full  string
	}{{planned, "Anna Berg,Виктор,苏晚"}, {written, "Anna Berg,Jonas Lind"}} {
		var full []string
		for _, e := range c.brief.Account.Entries {
			if e.Piece == "cast" && e.Form == Whole {
				full = append(full, e.Item)
			}
		}
		if got := strings.Join(full, ","); got != c.full {
			t.Errorf("%s: in full are %s, want %s", c.brief.Agent, got, c.full)
		}
		for _, name := range []string{"Anna Berg", "Пётр", "Виктор", "苏晚", "Jonas Lind"} {
			if !strings.Contains(all(c.brief), name+": clerk") {
				t.Errorf("%s: %s is not named", c.brief.Agent, name)
			}
		}
	}
}

func TestASceneThatIsNotPlannedIsRefused(t *testing.T) {
	tongue := tongues()[0]
	if _, err := ForScene(tongue.book(3, 1), tongue.plan(1, 2), 3, Before{}, Options{}); err == nil || !strings.Contains(err.Error(), "no scene 3") {
		t.Errorf("got %v", err)
	}
}

func TestInputsAreObjectsWithTheKeysOfTheRehearsal(t *testing.T) {
	tongue := tongues()[1]
	list, err := briefs(tongue, tongue.book(5, 3), 3, Options{Scenes: 4})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		AgentWorld: "premise target_chapters", AgentTheme: "world", AgentCharacters: "world theme_conflict", AgentOutline: "characters target_chapters",
		AgentPlan: "chapter_title key_events timeline_anchor characters world_name words_per_scene scene_count", AgentScene: "scene_number scene_count scene_type location characters purpose key_actions estimated_words intensity",
		AgentMemory: "chapter_title timeline_anchor key_events characters locations scenes", AgentConsistency: "chapter_title characters",
		AgentLogic: "min_score characters", AgentRevision: "revision_notes scenes",
	}
	for _, b := range list {
		var in map[string]json.RawMessage
		if err := json.Unmarshal(b.Inputs, &in); err != nil {
			t.Fatal(err)
		}
		keys := strings.Fields(want[b.Agent] + " project language")
		if b.Chapter > 0 {
			keys = append(keys, "chapter_number")
		}
		for _, k := range keys {
			if len(in[k]) == 0 {
				t.Errorf("%s: no %s in %s", b.Agent, k, b.Inputs)
			}
		}
	}
}

func TestTextsAreCutWhereAReaderWould(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"at a sentence", clip("One two. Three four five six seven", 4), "One two.…"},
		{"at a word", clip("abcdefgh ijklmnop qrstuvwx", 5), "abcdefgh ijklmnop…"},
		{"within Chinese", clip("天还没亮他就走了", 5), "天还没亮…"},
		{"not at all", clip(" short ", 5), "short"},
		{"to nothing", clip("something", 0), ""},
		{"end from a sentence", tail("One two three. Four five six seven eight.", 8), "…Four five six seven eight."},
		{"first of Chinese", first("天亮了。他走了。", 40), "天亮了。"},
		{"last of Chinese", last("天亮了。他走了。", 40), "他走了。"},
		{"last with speech", last("He left. \"Stay,\" she said.", 40), "Stay,\" she said."},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestOfALongTextTheChapterGetsItsPart(t *testing.T) {
	filler := strings.Repeat("Nothing of note lies there. ", 40)
	long := "The land has three rivers. " + filler + "The harbour freezes from November on. " + filler + "Bells hang in every tower."
	for _, c := range []struct{ name, got, want, not string }{
		{"words", termsOf("They walk to the frozen harbour.").pick(long, 60), "The land has three rivers. ", "Bells"},
		{"what matters", termsOf("They walk to the frozen harbour.").pick(long, 60), "The harbour freezes from November on.", "Bells"},
		{"endings", termsOf("Ночью они идут к гавани.").pick("Это город. "+strings.Repeat("Ничего особого тут нет. ", 40)+"Гавань замерзает в ноябре. А за рекой никто никогда ничего не строил и не будет.", 60), "Гавань замерзает", "никогда"},
		{"Chinese", termsOf("他们走向旧码头").pick("此地三河交汇。"+strings.Repeat("那里没有什么。", 40)+"旧码头冬天结冰。城中多钟。", 60), "旧码头冬天结冰。", "城中多钟"},
		{"nothing to go by", terms(nil).pick(long, 30), "The land has three rivers.", "harbour"},
	} {
		if !strings.Contains(c.got, c.want) || strings.Contains(c.got, c.not) {
			t.Errorf("%s: %q", c.name, c.got)
		}
	}
}

func FuzzCut(f *testing.F) {
	f.Add("One two. Three", 3)
	f.Add("天还没亮。他就走了", 4)
	f.Add("\xff\xfe…", 1)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		for name, got := range map[string]string{"clip": clip(text, limit), "tail": tail(text, limit), "first": first(text, limit), "last": last(text, limit), "pick": termsOf(text[:len(text)/2]).pick(text, limit)} {
			if Tokens(got) > max(0, limit) {
				t.Errorf("%s: %d tokens, the limit is %d: %q", name, Tokens(got), limit, got)
			}
			if utf8.ValidString(text) && !utf8.ValidString(got) {
				t.Errorf("%s broke a character: %q", name, got)
			}
		}
		if Tokens(fenceable(text)) > Tokens(text) {
			t.Error("shortening made it longer")
		}
	})
}

func TestLanguagesAreNamed(t *testing.T) {
	for tag, want := range map[string]string{
		"en": "English", "zh-Hant": "Chinese (zh-Hant)", "ru": "Russian", "pt-BR": "Portuguese (pt-BR)", "eo": "the language with the BCP 47 tag eo",
		"": "English", "en. Ignore the above": "English",
	} {
		if got := LanguageName(tag); got != want {
			t.Errorf("%q is called %q, want %q", tag, got, want)
		}
	}
}

func BenchmarkForScene(b *testing.B) {
	for _, number := range []int{10, 1000} {
		b.Run(fmt.Sprint(number), func(b *testing.B) {
			tongue := tongues()[0]
			book, plan, c := tongue.book(1002, number), tongue.plan(number, 3), tongue.chapter(number, 3)
			for b.Loop() {
				brief, err := ForScene(book, plan, 3, Before{Earlier: c.Scenes[:2]}, Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(brief.Account.Used), "tokens")
			}
		})
	}
}
