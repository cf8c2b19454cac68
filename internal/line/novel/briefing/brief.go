package briefing

import (
	"cmp"
	"encoding/json"
	"fmt"

	"sluice/internal/fault"
	"sluice/internal/line/novel/story"
)

// Agents of the line, by the names of their prompts.
const (
	AgentWorld       = "world"
	AgentTheme       = "theme"
	AgentCharacters  = "characters"
	AgentOutline     = "outline"
	AgentPlan        = "chapter-plan"
	AgentScene       = "scene-text"
	AgentMemory      = "chapter-memory"
	AgentConsistency = "consistency"
	AgentLogic       = "logic-review"
	AgentRevision    = "revision"
)

// Book is what is known of a book when a prompt is made. What is not there yet is its zero value.
type Book struct {
	Settings   story.Settings
	World      story.WorldSetting
	Theme      story.ThemeConflict
	Characters story.CharactersConfig
	Outline    story.Outline
	Memory     []story.ChapterMemoryEntry // of the chapters that Reach names, in any order
}

// Options are what a person may set or add.
type Options struct {
	Budget int      // in tokens; 0: that of the book's settings
	Scenes int      // of a chapter to be planned; 0: as many as it needs
	Wishes []string // what people asked for
}

// Brief is what the prompt of an agent is rendered from. Everything that a model or a file wrote is in Pieces, which the
// templates fence; the rest is ours.
type Brief struct {
	Agent    string
	Template string // of the prompt; empty: the agent's
	Model    string // that the book's settings name for the step; empty leaves it to the configuration
	Language string // its name in English
	Unit     string // of lengths
	Chapters int    // of the book
	From, To int    // of a part: the chapters or scenes wanted
	Chapter  int
	Scene    int
	Scenes   int  // of the chapter; 0: not decided
	Words    int  // of a scene
	First    bool // nothing of the book was written before this
	Follows  bool // the text before is among the pieces
	Wishes   []string
	Pieces   []Piece
	Account  Account
	Inputs   json.RawMessage // what a rehearsal and the record are given
	budget   int
}

// given is the part of the inputs that every agent has.
type given struct {
	Project  string `json:"project"`
	Language string `json:"language"`
}

// begin is a brief with what the settings say.
func begin(agent string, b Book, o Options) (Brief, given) {
	s := b.Settings
	chapters := s.TargetChapters
	if n := len(b.Outline.Chapters); n > 0 {
		chapters = n
	}
	return Brief{Agent: agent, Model: modelOf(s.Models, agent), Language: LanguageName(s.Language), Unit: unitOf(s.Language), Chapters: chapters,
		Words: s.WordsPerScene, Wishes: o.Wishes, budget: cmp.Or(o.Budget, s.ContextTokens)}, given{s.ProjectName, s.Language}
}

// modelOf finds the model of a step: by the agent's own name, else by the step it works for.
func modelOf(models map[string]string, agent string) string {
	if m := models[agent]; m != "" {
		return m
	}
	switch agent {
	case AgentPlan:
		return models["plan"]
	case AgentScene, AgentMemory, AgentConsistency, AgentLogic, AgentRevision:
		return models["text"]
	}
	return ""
}

// end fills the brief with pieces and inputs.
func (b *Brief) end(inputs any, weighty []part, reading ...string) error {
	b.Pieces, b.Account = fill(b.budget, weighty, reading)
	b.Account.Agent, b.Account.Chapter, b.Account.Scene = b.Agent, b.Chapter, b.Scene
	var err error
	if b.Inputs, err = json.Marshal(inputs); err != nil {
		return fault.Wrap(fault.Unexpected, b.Agent, err, "the inputs of %s cannot be written", b.Agent)
	}
	return nil
}

// foundation is the inputs of the four steps that come before the chapters.
type foundation struct {
	given
	Premise        string                  `json:"premise"`
	Theme          string                  `json:"theme,omitempty"`
	TargetChapters int                     `json:"target_chapters"`
	World          *story.WorldSetting     `json:"world,omitempty"`
	ThemeConflict  *story.ThemeConflict    `json:"theme_conflict,omitempty"`
	Characters     *story.CharactersConfig `json:"characters,omitempty"`
}

// ForWorld briefs the agent that makes the world, from the premise.
func ForWorld(b Book, o Options) (Brief, error) {
	brief, g := begin(AgentWorld, b, o)
	err := brief.end(b.foundation(g), []part{b.premise(90)}, "premise")
	return brief, err
}

// ForTheme briefs the agent that makes themes and conflicts, from premise and world.
func ForTheme(b Book, o Options) (Brief, error) {
	brief, g := begin(AgentTheme, b, o)
	in := b.foundation(g)
	in.World = &b.World
	err := brief.end(in, []part{b.premise(50), b.world(50, nil)}, "premise", "world")
	return brief, err
}

// ForCharacters briefs the agent that makes the cast, from premise, world and theme.
func ForCharacters(b Book, o Options) (Brief, error) {
	brief, g := begin(AgentCharacters, b, o)
	in := b.foundation(g)
	in.World, in.ThemeConflict = &b.World, &b.Theme
	err := brief.end(in, []part{b.premise(40), b.theme(25), b.world(35, nil)}, "premise", "world", "theme")
	return brief, err
}

// ForOutline briefs the agent that makes the outline, from all that was made before.
func ForOutline(b Book, o Options) (Brief, error) {
	brief, g := begin(AgentOutline, b, o)
	brief.Chapters = b.Settings.TargetChapters // the outline that is there does not decide how long the new one is
	in := b.foundation(g)
	in.World, in.ThemeConflict, in.Characters = &b.World, &b.Theme, &b.Characters
	weighty := []part{b.premise(25), b.cast(nil, 40), b.theme(15), b.world(30, nil)}
	err := brief.end(in, weighty, "premise", "world", "theme", "cast")
	return brief, err
}

func (b Book) foundation(g given) foundation {
	return foundation{given: g, Premise: b.Settings.Premise, Theme: b.Settings.Theme, TargetChapters: b.Settings.TargetChapters}
}

// chapterInputs is what the inputs of every step of a chapter begin with.
type chapterInputs struct {
	given
	ChapterNumber int      `json:"chapter_number"`
	ChapterTitle  string   `json:"chapter_title"`
	Characters    []string `json:"characters"`
}

type planInputs struct {
	chapterInputs
	KeyEvents      []string `json:"key_events"`
	TimelineAnchor string   `json:"timeline_anchor,omitempty"`
	WorldName      string   `json:"world_name,omitempty"`
	WordsPerScene  int      `json:"words_per_scene"`
	SceneCount     int      `json:"scene_count,omitempty"`
}

// ForPlan briefs the agent that plans a chapter. The number is one of the outline.
func ForPlan(b Book, number int, o Options) (Brief, error) {
	brief, g := begin(AgentPlan, b, o)
	entry, _ := b.Outline.Chapter(number)
	brief.Chapter, brief.Scenes = number, o.Scenes
	who := b.presence(entry, story.ChapterPlan{}, number)
	in := planInputs{chapterInputs: chapterInputs{g, number, entry.ChapterTitle, who.names()}, KeyEvents: entry.KeyEvents,
		TimelineAnchor: entry.TimelineAnchor, WorldName: b.World.WorldName, WordsPerScene: b.Settings.WordsPerScene, SceneCount: o.Scenes}
	weighty := []part{b.entry(entry, 15), b.memory(number, 36), b.threads(number, 10), b.cast(who, 22), b.buildsOn(entry, 10),
		b.world(14, entryTerms(entry)), b.around(number, 8), b.theme(7), b.arc(8)}
	err := brief.end(in, weighty, "world", "theme", "cast", "arc", "memory", "threads", "builds_on", "around", "entry")
	return brief, err
}

// Before is the text that a scene comes after.
type Before struct {
	Earlier []story.GeneratedScene // of the same chapter, in order
	Last    string                 // for the first scene of a chapter: how the chapter before ends, if there is one
}

func (b Before) text() string {
	if n := len(b.Earlier); n > 0 {
		return b.Earlier[n-1].Content
	}
	return b.Last
}

type sceneInputs struct {
	chapterInputs
	SceneNumber    int      `json:"scene_number"`
	SceneCount     int      `json:"scene_count"`
	SceneType      string   `json:"scene_type,omitempty"`
	Location       string   `json:"location"`
	Purpose        string   `json:"purpose"`
	KeyActions     []string `json:"key_actions"`
	EstimatedWords int      `json:"estimated_words"`
	Intensity      string   `json:"intensity,omitempty"`
}

// ForScene briefs the agent that writes a scene of a plan. What lies ahead in the book is not in it: nobody can give away
// what he was not told.
func ForScene(b Book, plan story.ChapterPlan, scene int, before Before, o Options) (Brief, error) {
	brief, g := begin(AgentScene, b, o)
	entry, _ := b.Outline.Chapter(plan.ChapterNumber)
	sp, ok := plan.Scene(scene)
	if !ok {
		return brief, fault.New(fault.BadValue, fmt.Sprintf("chapter %d", plan.ChapterNumber), "the plan of chapter %d has no scene %d", plan.ChapterNumber, scene)
	}
	number := plan.ChapterNumber
	brief.Chapter, brief.Scene, brief.Scenes = number, scene, len(plan.Scenes)
	if sp.EstimatedWords > 0 {
		brief.Words = sp.EstimatedWords
	}
	brief.Follows = !story.IsBlank(before.text())
	brief.First = !brief.Follows && len(b.upTo(number)) == 0
	in := sceneInputs{chapterInputs: chapterInputs{g, number, plan.ChapterTitle, sp.Characters}, SceneNumber: scene, SceneCount: len(plan.Scenes),
		SceneType: sp.SceneType, Location: sp.Location, Purpose: sp.Purpose, KeyActions: sp.KeyActions, EstimatedWords: brief.Words, Intensity: sp.Intensity}
	who := b.presence(entry, story.ChapterPlan{Scenes: []story.ScenePlan{sp}}, number)
	weighty := []part{scenePlan(sp, 14), textBefore(before, 12), b.memory(number, 36), b.cast(who, 22), otherScenes(plan, scene, 6),
		b.theme(7), b.threads(number, 7), b.world(14, entryTerms(entry, sp)), soFar(before, 6), b.buildsOn(entry, 8)}
	err := brief.end(in, weighty, "world", "theme", "cast", "memory", "threads", "builds_on", "other_scenes", "so_far", "scene", "before")
	return brief, err
}
