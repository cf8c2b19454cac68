package novel

import (
	"encoding/json"
	"fmt"
	"strings"

	"sluice/internal/line"
	"sluice/internal/line/novel/story"
	"sluice/internal/schema"
)

// planReply is what a model says of a chapter to be planned. Number and title are the outline's.
type planReply struct {
	Scenes []story.ScenePlan `json:"scenes"`
}

// consistencyReply is what a model finds.
type consistencyReply struct {
	Summary string                   `json:"summary"`
	Issues  []story.ConsistencyIssue `json:"issues"`
}

// logicReply is what a reviewer says. Whether it is enough is decided by code.
type logicReply struct {
	OverallScore int                `json:"overall_score"`
	Summary      string             `json:"summary"`
	Issues       []story.LogicIssue `json:"issues"`
}

// revisionReply is the text of a revised chapter; everything else of it stays.
type revisionReply struct {
	Scenes []revisedScene `json:"scenes"`
}

// revisionPartReply is the text of some scenes of a revised chapter, with what the scenes after them must agree with.
type revisionPartReply struct {
	Scenes  []revisedScene `json:"scenes"`
	Changes []string       `json:"changes"`
}

type revisedScene struct {
	SceneNumber int    `json:"scene_number"`
	Content     string `json:"content"`
}

// maxScenes bounds what a model may plan for one chapter.
const maxScenes = 40

// schemas are those of the replies, made once.
type schemas struct {
	world, theme, characters, plan, memory, consistency, logic json.RawMessage
}

func newSchemas() (schemas, error) {
	var s schemas
	severity := schema.EnumType(story.Severities()...)
	issue := []schema.Option{severity, schema.Optional("issues.severity")}
	for _, one := range []struct {
		into *json.RawMessage
		make func() (json.RawMessage, error)
	}{
		{&s.world, func() (json.RawMessage, error) { return schema.For[story.WorldSetting]() }},
		{&s.theme, func() (json.RawMessage, error) { return schema.For[story.ThemeConflict]() }},
		{&s.characters, func() (json.RawMessage, error) {
			return schema.For[story.CharactersConfig](schema.Items("supporting_characters", leastSupporting, -1))
		}},
		{&s.plan, func() (json.RawMessage, error) {
			return schema.For[planReply](schema.Items("scenes", 1, maxScenes), schema.Optional("scenes.scene_number"))
		}},
		{&s.memory, func() (json.RawMessage, error) {
			return schema.For[story.ChapterMemoryEntry](schema.Without("chapter_number"), schema.Without("chapter_title"))
		}},
		{&s.consistency, func() (json.RawMessage, error) {
			return schema.For[consistencyReply](append(issue, schema.Optional("issues.related_characters"), schema.Optional("issues.related_events"))...)
		}},
		{&s.logic, func() (json.RawMessage, error) {
			return schema.For[logicReply](append(issue, schema.Range("overall_score", 0, 100))...)
		}},
	} {
		raw, err := one.make()
		if err != nil {
			return s, err
		}
		*one.into = raw
	}
	return s, nil
}

// leastSupporting is how many supporting characters are asked for.
const leastSupporting = 3

// outlineSchema asks for exactly as many chapters as the book has.
func outlineSchema(chapters int) (json.RawMessage, error) {
	return schema.For[story.Outline](schema.Items("chapters", chapters, chapters), schema.Optional("chapters.chapter_number"))
}

// outlinePartSchema asks for exactly as many chapters as the part has, and of the first part for the book as a whole.
func outlinePartSchema(chapters int, isFirst bool) (json.RawMessage, error) {
	opts := []schema.Option{schema.Items("chapters", chapters, chapters), schema.Optional("chapters.chapter_number")}
	if !isFirst {
		for _, field := range []string{"story_premise", "beginning", "development", "climax", "resolution"} {
			opts = append(opts, schema.Without(field))
		}
	}
	return schema.For[outlineReply](opts...)
}

// revisionSchema asks for exactly as many scenes as the chapter has.
func revisionSchema(scenes int) (json.RawMessage, error) {
	return schema.For[revisionReply](schema.Items("scenes", scenes, scenes))
}

// revisionPartSchema asks for exactly as many scenes as the part has.
func revisionPartSchema(scenes int) (json.RawMessage, error) {
	return schema.For[revisionPartReply](schema.Items("scenes", scenes, scenes))
}

// decodeReply reads a reply that fits its schema.
func decodeReply[T any](r line.Reply) (T, error) {
	var v T
	if err := json.Unmarshal([]byte(r.Content), &v); err != nil {
		return v, line.Unusable{Reason: err.Error()}
	}
	return v, nil
}

// sceneText takes the prose out of a reply: a fence around all of it is not part of it.
func sceneText(reply string) string {
	text := strings.TrimSpace(strings.ReplaceAll(reply, "\r\n", "\n"))
	if rest, ok := strings.CutPrefix(text, "```"); ok {
		if _, body, ok := strings.Cut(rest, "\n"); ok {
			if inner, ok := strings.CutSuffix(strings.TrimSpace(body), "```"); ok {
				text = strings.TrimSpace(inner)
			}
		}
	}
	return text
}

func sceneFlaws(content string) []string {
	if story.Words(sceneText(content)) == 0 {
		return []string{"the scene has no words"}
	}
	if rest, ok := strings.CutPrefix(sceneText(content), "{"); ok && strings.HasPrefix(strings.TrimSpace(rest), `"`) {
		return []string{"the scene is a JSON document; its prose alone is needed"} // also one that breaks off
	}
	return nil
}

// revisedFlaws says what is wrong with a revised chapter: other scenes than it had, or one without text.
func revisedFlaws(c story.GeneratedChapter) func(string) []string {
	return func(content string) []string {
		var reply revisionReply
		if err := json.Unmarshal([]byte(content), &reply); err != nil {
			return []string{err.Error()}
		}
		if len(reply.Scenes) != len(c.Scenes) {
			return []string{fmt.Sprintf("there are %d scenes, and %d are revised", len(reply.Scenes), len(c.Scenes))}
		}
		var flaws []string
		for i, s := range reply.Scenes {
			if s.SceneNumber != c.Scenes[i].SceneNumber {
				flaws = append(flaws, fmt.Sprintf("scenes[%d].scene_number is %d, and scene %d is there", i, s.SceneNumber, c.Scenes[i].SceneNumber))
			}
			if story.Words(s.Content) == 0 {
				flaws = append(flaws, fmt.Sprintf("scenes[%d].content has no words", i))
			}
		}
		return flaws
	}
}
