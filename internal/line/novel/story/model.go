package story

import (
	"encoding/json"
	"fmt"
)

// WorldSetting is world.json.
type WorldSetting struct {
	WorldName       string `json:"world_name"`
	TimePeriod      string `json:"time_period"`
	Geography       string `json:"geography"`
	SocialSystem    string `json:"social_system"`
	TechnologyLevel string `json:"technology_level"`
	CultureCustoms  string `json:"culture_customs"`
	PowerSystem     string `json:"power_system,omitempty"`
	SpecialRules    string `json:"special_rules,omitempty"`
}

// ThemeConflict is theme_conflict.json.
type ThemeConflict struct {
	CoreTheme    string   `json:"core_theme"`
	SubThemes    []string `json:"sub_themes"`
	MainConflict string   `json:"main_conflict"`
	SubConflicts []string `json:"sub_conflicts"`
	Tone         string   `json:"tone"`
}

func (t *ThemeConflict) fill() {
	t.SubThemes, t.SubConflicts = filled(t.SubThemes), filled(t.SubConflicts)
}

// Character is one person of the book.
type Character struct {
	Name          string            `json:"name"`
	Role          string            `json:"role"`
	Gender        string            `json:"gender"`
	Age           Age               `json:"age,omitempty"`
	Appearance    string            `json:"appearance"`
	Personality   string            `json:"personality"`
	Background    string            `json:"background"`
	Motivation    string            `json:"motivation"`
	Abilities     []string          `json:"abilities,omitempty"`
	Relationships map[string]string `json:"relationships,omitempty"`
}

// Age is in whatever words the book has for it; a bare number is read as well.
type Age string

// UnmarshalJSON reads text or a number.
func (a *Age) UnmarshalJSON(raw []byte) error {
	var text string
	if err := json.Unmarshal(raw, &text); err == nil {
		*a = Age(text)
		return nil
	}
	var number json.Number
	if err := json.Unmarshal(raw, &number); err != nil {
		return fmt.Errorf("age is neither text nor a number")
	}
	*a = Age(number)
	return nil
}

// CharactersConfig is characters.json.
type CharactersConfig struct {
	Protagonist          Character   `json:"protagonist"`
	Antagonist           *Character  `json:"antagonist,omitempty"`
	SupportingCharacters []Character `json:"supporting_characters"`
}

func (c *CharactersConfig) fill() { c.SupportingCharacters = filled(c.SupportingCharacters) }

// All lists the cast, the protagonist first.
func (c CharactersConfig) All() []Character {
	all := []Character{c.Protagonist}
	if c.Antagonist != nil {
		all = append(all, *c.Antagonist)
	}
	return append(all, c.SupportingCharacters...)
}

// Outline is outline.json.
type Outline struct {
	StoryPremise string           `json:"story_premise"`
	Beginning    string           `json:"beginning"`
	Development  string           `json:"development"`
	Climax       string           `json:"climax"`
	Resolution   string           `json:"resolution"`
	Chapters     []OutlineChapter `json:"chapters"`
}

func (o *Outline) fill() {
	o.Chapters = filled(o.Chapters)
	for i := range o.Chapters {
		c := &o.Chapters[i]
		c.KeyEvents, c.Dependencies = filled(c.KeyEvents), filled(c.Dependencies)
	}
}

// Chapter finds a chapter by its number.
func (o Outline) Chapter(number int) (OutlineChapter, bool) {
	if i := number - 1; i >= 0 && i < len(o.Chapters) && o.Chapters[i].ChapterNumber == number { // the usual order
		return o.Chapters[i], true
	}
	for _, c := range o.Chapters {
		if c.ChapterNumber == number {
			return c, true
		}
	}
	return OutlineChapter{}, false
}

// OutlineChapter is what the outline says of one chapter.
type OutlineChapter struct {
	ChapterNumber  int          `json:"chapter_number"`
	ChapterTitle   string       `json:"chapter_title"`
	Summary        string       `json:"summary"`
	KeyEvents      []string     `json:"key_events"`
	TimelineAnchor string       `json:"timeline_anchor,omitempty"`
	Dependencies   []Dependency `json:"dependencies"`
}

// Dependency is something a chapter builds on.
type Dependency struct {
	DependencyType string `json:"dependency_type"`
	Description    string `json:"description"`
	ChapterNumber  int    `json:"chapter_number,omitempty"` // 0: on no chapter
	EventID        string `json:"event_id,omitempty"`
}

// ChapterPlan is chapters/chapter_%03d_plan.json.
type ChapterPlan struct {
	ChapterNumber int         `json:"chapter_number"`
	ChapterTitle  string      `json:"chapter_title"`
	Scenes        []ScenePlan `json:"scenes"`
}

func (p *ChapterPlan) fill() {
	p.Scenes = filled(p.Scenes)
	for i := range p.Scenes {
		s := &p.Scenes[i]
		s.Characters, s.KeyActions = filled(s.Characters), filled(s.KeyActions)
	}
}

// Scene finds a scene of the plan by its number.
func (p ChapterPlan) Scene(number int) (ScenePlan, bool) {
	for _, s := range p.Scenes {
		if s.SceneNumber == number {
			return s, true
		}
	}
	return ScenePlan{}, false
}

// ScenePlan is what a plan says of one scene.
type ScenePlan struct {
	SceneNumber    int      `json:"scene_number"`
	Location       string   `json:"location"`
	Characters     []string `json:"characters"`
	Purpose        string   `json:"purpose"`
	KeyActions     []string `json:"key_actions"`
	EstimatedWords int      `json:"estimated_words" story:"may_lack"`
	SceneType      string   `json:"scene_type" story:"may_lack"`
	Intensity      string   `json:"intensity" story:"may_lack"`
}

// GeneratedScene is one written scene.
type GeneratedScene struct {
	SceneNumber int    `json:"scene_number"`
	Content     string `json:"content"`
	WordCount   int    `json:"word_count" story:"may_lack"`
}

func (s *GeneratedScene) fill() { s.WordCount = Words(s.Content) }

// GeneratedChapter is chapters/chapter_%03d.json, the only source of truth of a chapter's text.
type GeneratedChapter struct {
	ChapterNumber int              `json:"chapter_number"`
	ChapterTitle  string           `json:"chapter_title"`
	Scenes        []GeneratedScene `json:"scenes"`
	TotalWords    int              `json:"total_words" story:"may_lack"`
}

// fill counts the words anew: counts are ours, whoever wrote the document.
func (c *GeneratedChapter) fill() {
	c.Scenes = filled(c.Scenes)
	c.TotalWords = 0
	for i := range c.Scenes {
		c.Scenes[i].fill()
		c.TotalWords += c.Scenes[i].WordCount
	}
}

// ChapterMemoryEntry is what later chapters must know of a chapter. Every key is always written.
type ChapterMemoryEntry struct {
	ChapterNumber     int               `json:"chapter_number"`
	ChapterTitle      string            `json:"chapter_title"`
	Summary           string            `json:"summary"`
	TimelineAnchor    string            `json:"timeline_anchor" story:"may_lack"`
	LocationSummary   string            `json:"location_summary" story:"may_lack"`
	KeyEvents         []string          `json:"key_events"`
	CharacterStates   map[string]string `json:"character_states"`
	UnresolvedThreads []string          `json:"unresolved_threads"`
}

func (m *ChapterMemoryEntry) fill() {
	m.KeyEvents, m.UnresolvedThreads = filled(m.KeyEvents), filled(m.UnresolvedThreads)
	if m.CharacterStates == nil {
		m.CharacterStates = map[string]string{}
	}
}

// filled is the list, or an empty one: what is written is never null.
func filled[E any](list []E) []E {
	if list == nil {
		return []E{}
	}
	return list
}
