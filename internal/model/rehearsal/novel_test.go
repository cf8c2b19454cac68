package rehearsal_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/line/novel/briefing"
	"sluice/internal/line/novel/continuity"
	"sluice/internal/line/novel/story"
	"sluice/internal/model"
	. "sluice/internal/model/rehearsal"
	"sluice/internal/schema"
)

var replySchemas = model.NewSchemas()

// ask has the rehearsal answer a brief.
func ask(t *testing.T, b briefing.Brief, err error, take int, shape json.RawMessage) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	reply, err := New(Script{}, nil).Complete(t.Context(), model.Request{Agent: b.Agent, Prompt: "Work.", Inputs: b.Inputs, Schema: shape, Scope: model.Scope{Take: take}})
	if err != nil {
		t.Fatal(err)
	}
	return reply.Content
}

// answered decodes the reply to a brief into a type whose schema was asked for.
func answered[T any](t *testing.T, b briefing.Brief, err error, take int, opts ...schema.Option) T {
	t.Helper()
	shape, serr := schema.For[T](opts...)
	if serr != nil {
		t.Fatal(serr)
	}
	content := ask(t, b, err, take, shape)
	problems, cerr := replySchemas.Check(shape, json.RawMessage(content))
	if cerr != nil || len(problems) > 0 {
		t.Fatalf("%s: %v %v in %s", b.Agent, cerr, problems, content)
	}
	var v T
	if err := json.Unmarshal([]byte(content), &v); err != nil {
		t.Fatalf("%s: %v in %s", b.Agent, err, content)
	}
	return v
}

// rehearsed is a book of which one chapter was written.
type rehearsed struct {
	briefing.Book
	plan    story.ChapterPlan
	chapter story.GeneratedChapter
	memory  story.ChapterMemoryEntry
}

// write has the rehearsal make everything up to the memory of a chapter.
func write(t *testing.T, language, premise string, take int) rehearsed {
	t.Helper()
	s := story.DefaultSettings()
	s.ProjectName, s.Premise, s.Language, s.TargetChapters, s.WordsPerScene = "b", premise, language, 5, 120
	r := rehearsed{Book: briefing.Book{Settings: s}}
	o := briefing.Options{}
	b, err := briefing.ForWorld(r.Book, o)
	r.World = answered[story.WorldSetting](t, b, err, take)
	b, err = briefing.ForTheme(r.Book, o)
	r.Theme = answered[story.ThemeConflict](t, b, err, take)
	b, err = briefing.ForCharacters(r.Book, o)
	r.Characters = answered[story.CharactersConfig](t, b, err, take, schema.Items("supporting_characters", 3, -1))
	b, err = briefing.ForOutline(r.Book, o)
	r.Outline = answered[story.Outline](t, b, err, take)
	r.next(t, 1, take)
	return r
}

// next has the rehearsal plan, write and remember a chapter.
func (r *rehearsed) next(t *testing.T, number, take int) {
	t.Helper()
	o := briefing.Options{}
	b, err := briefing.ForPlan(r.Book, number, o)
	r.plan = answered[story.ChapterPlan](t, b, err, take)
	r.chapter = story.GeneratedChapter{ChapterNumber: number, ChapterTitle: r.plan.ChapterTitle}
	for _, scene := range r.plan.Scenes {
		b, err = briefing.ForScene(r.Book, r.plan, scene.SceneNumber, briefing.Before{Earlier: r.chapter.Scenes}, o)
		text := ask(t, b, err, take, nil)
		r.chapter.Scenes = append(r.chapter.Scenes, story.GeneratedScene{SceneNumber: scene.SceneNumber, Content: text, WordCount: story.Words(text)})
	}
	b, err = briefing.ForMemory(r.Book, r.plan, r.chapter, o)
	r.memory = answered[story.ChapterMemoryEntry](t, b, err, take)
}

// TestARehearsedBookContradictsNothing writes chapters one after the other and checks them as the line does before it asks
// a model.
func TestARehearsedBookContradictsNothing(t *testing.T) {
	for _, p := range premises() {
		for take := range 3 {
			r := write(t, p.language, p.text, take)
			if got := continuity.CheckOutline(r.Outline); len(got) > 0 {
				t.Errorf("%s, take %d: the outline has %+v", p.language, take, got)
			}
			for n := 1; n <= len(r.Outline.Chapters); n++ {
				r.next(t, n, take)
				found := continuity.Check(continuity.Input{Language: p.language, Chapter: r.chapter, Plan: r.plan, Outline: r.Outline.Chapters[n-1], Cast: r.Characters, Memory: r.Memory})
				if len(found) > 0 {
					t.Errorf("%s, take %d, chapter %d: %+v", p.language, take, n, found)
				}
				r.Memory = append(r.Memory, r.memory)
			}
		}
	}
}

type premise struct {
	language, text, label string
	people                []string
	world                 string
}

func premises() []premise {
	return []premise{
		{"en", "Mira Holt, a lighthouse keeper in Saltmere, and her brother Tom find a ship that was never built.", "[rehearsal]", []string{"Mira Holt", "Tom"}, "Saltmere"},
		{"zh", "雨城的钟表匠魏岚发现一座钟在倒走，学徒周小满却说没有。", "〔排练〕", []string{"魏岚", "周小满"}, "雨城"},
		{"ru", "Часовщица Вера и её брат Гурам из Дождевого города замечают, что одни часы идут назад.", "[репетиция]", []string{"Вера", "Гурам"}, ""},
	}
}

func TestABookComesFromItsPremise(t *testing.T) {
	for _, p := range premises() {
		r := write(t, p.language, p.text, 0)
		if got := r.Characters.Protagonist.Name; got != p.people[0] {
			t.Errorf("%s: the protagonist is %s, want %s", p.language, got, p.people[0])
		}
		names := map[string]bool{}
		for _, c := range r.Characters.All() {
			if names[c.Name] {
				t.Errorf("%s: two people are called %s", p.language, c.Name)
			}
			names[c.Name] = true
			if c.Relationships[c.Name] != "" {
				t.Errorf("%s: %s is related to nobody but that same person", p.language, c.Name)
			}
			for other := range c.Relationships {
				if !strings.Contains(fmt.Sprint(r.Characters), "{"+other+" ") {
					t.Errorf("%s: %s is related to %s, who does not exist", p.language, c.Name, other)
				}
			}
		}
		for _, want := range p.people {
			if !names[want] {
				t.Errorf("%s: %s of the premise is not in the cast", p.language, want)
			}
		}
		if p.world != "" && r.World.WorldName != p.world {
			t.Errorf("%s: the world is called %s, want %s", p.language, r.World.WorldName, p.world)
		}
		if len(r.Outline.Chapters) != 5 {
			t.Errorf("%s: %d chapters, want 5", p.language, len(r.Outline.Chapters))
		}
	}
}

func TestAChapterKeepsToItsPlan(t *testing.T) {
	for _, p := range premises() {
		r := write(t, p.language, p.text, 0)
		if len(r.plan.Scenes) != 3 {
			t.Fatalf("%s: %d scenes, want 3", p.language, len(r.plan.Scenes))
		}
		places := map[string]bool{}
		for i, s := range r.plan.Scenes {
			text := r.chapter.Scenes[i].Content
			places[s.Location] = true
			for _, want := range append([]string{p.label, s.Location}, s.Characters...) {
				if !strings.Contains(strings.ToLower(text), strings.ToLower(want)) {
					t.Errorf("%s, scene %d: no %q in %s", p.language, i+1, want, text)
				}
			}
			for _, c := range r.Characters.All() {
				if !slices.Contains(s.Characters, c.Name) && strings.Contains(text, c.Name) {
					t.Errorf("%s, scene %d: %s is not of the plan: %s", p.language, i+1, c.Name, text)
				}
			}
			if n := r.chapter.Scenes[i].WordCount; n < 90 || n > 150 {
				t.Errorf("%s, scene %d: %d words, want about 120", p.language, i+1, n)
			}
		}
		if len(places) != 3 {
			t.Errorf("%s: the scenes happen in %v", p.language, places)
		}
		if m := r.memory; m.TimelineAnchor != r.Outline.Chapters[0].TimelineAnchor || len(m.UnresolvedThreads) == 0 || m.CharacterStates[p.people[0]] == "" {
			t.Errorf("%s: memory %+v", p.language, m)
		}
		for name := range r.memory.CharacterStates {
			if !slices.ContainsFunc(r.Characters.All(), func(c story.Character) bool { return c.Name == name }) {
				t.Errorf("%s: the memory knows %s, who does not exist", p.language, name)
			}
		}
	}
}

func TestJudgesOfAChapterApproveAndItsReviserChangesIt(t *testing.T) {
	type checked struct {
		Summary string                   `json:"summary"`
		Issues  []story.ConsistencyIssue `json:"issues"`
	}
	type reviewed struct {
		OverallScore int                `json:"overall_score"`
		Summary      string             `json:"summary"`
		Issues       []story.LogicIssue `json:"issues"`
	}
	type revised struct {
		Scenes []struct {
			SceneNumber int    `json:"scene_number"`
			Content     string `json:"content"`
		} `json:"scenes"`
	}
	for _, p := range premises() {
		r := write(t, p.language, p.text, 0)
		b, err := briefing.ForConsistency(r.Book, r.plan, r.chapter, nil, briefing.Options{})
		if got := answered[checked](t, b, err, 0); len(got.Issues) > 0 || got.Summary == "" {
			t.Errorf("%s: consistency %+v", p.language, got)
		}
		b, err = briefing.ForLogic(r.Book, r.plan, r.chapter, briefing.Options{})
		if got := answered[reviewed](t, b, err, 0, schema.Range("overall_score", 0, 100)); got.OverallScore < 90 || len(got.Issues) > 0 {
			t.Errorf("%s: logic review %+v", p.language, got)
		}
		b, err = briefing.ForRevision(r.Book, r.plan, r.chapter, "- timeline: begin at dawn", briefing.Options{})
		got := answered[revised](t, b, err, 0)
		if len(got.Scenes) != len(r.chapter.Scenes) {
			t.Fatalf("%s: %d scenes after the revision", p.language, len(got.Scenes))
		}
		for i, s := range got.Scenes {
			if s.SceneNumber != i+1 || s.Content == r.chapter.Scenes[i].Content || !strings.HasPrefix(s.Content, r.chapter.Scenes[i].Content[:60]) || !strings.Contains(s.Content, "begin at dawn") {
				t.Errorf("%s: scene %d became %+v", p.language, i+1, s)
			}
		}
	}
}

func TestAnotherTakeIsAnotherBook(t *testing.T) {
	for _, p := range premises() {
		a, again, b := write(t, p.language, p.text, 0), write(t, p.language, p.text, 0), write(t, p.language, p.text, 1)
		if diff := cmp.Diff(a.chapter, again.chapter); diff != "" {
			t.Errorf("%s: the same book twice differs: %s", p.language, diff)
		}
		if a.World.Geography == b.World.Geography || cmp.Equal(a.Outline, b.Outline) || cmp.Equal(a.plan, b.plan) || a.chapter.Scenes[0].Content == b.chapter.Scenes[0].Content {
			t.Errorf("%s: another take reads the same", p.language)
		}
	}
}

func BenchmarkOutlineOfThreeHundredChapters(b *testing.B) {
	s := story.DefaultSettings()
	s.Premise, s.Language, s.TargetChapters = premises()[0].text, "en", 300
	brief, err := briefing.ForOutline(briefing.Book{Settings: s}, briefing.Options{})
	if err != nil {
		b.Fatal(err)
	}
	shape, err := schema.For[story.Outline]()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := New(Script{}, nil).Complete(b.Context(), model.Request{Agent: brief.Agent, Inputs: brief.Inputs, Schema: shape}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSceneText(b *testing.B) {
	inputs := json.RawMessage(`{"language":"en","chapter_number":1,"scene_number":1,"location":"Saltmere","characters":["Mira Holt","Tom"],"key_actions":["Mira waits"],"estimated_words":800}`)
	for b.Loop() {
		if _, err := New(Script{}, nil).Complete(b.Context(), model.Request{Agent: briefing.AgentScene, Inputs: inputs}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestAsManyScenesAsAreAskedFor(t *testing.T) {
	r := write(t, "en", premises()[0].text, 0)
	for _, want := range []int{1, 5, 12} {
		b, err := briefing.ForPlan(r.Book, 2, briefing.Options{Scenes: want})
		if got := answered[story.ChapterPlan](t, b, err, 0); len(got.Scenes) != want || got.Scenes[want-1].SceneNumber != want {
			t.Errorf("%d scenes, want %d", len(got.Scenes), want)
		}
	}
}
