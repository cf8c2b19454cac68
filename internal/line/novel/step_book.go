package novel

import (
	"cmp"
	"encoding/json"
	"fmt"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel/briefing"
	"sluice/internal/line/novel/story"
	"sluice/internal/prompt"
)

// Schemas of versions, by which their content is known.
const (
	SchemaSettings    = "novel/settings"
	SchemaWorld       = "novel/world"
	SchemaTheme       = "novel/theme_conflict"
	SchemaCharacters  = "novel/characters"
	SchemaOutline     = "novel/outline"
	SchemaPlan        = "novel/chapter_plan"
	SchemaScene       = "novel/scene"
	SchemaText        = "novel/chapter"
	SchemaMemory      = "novel/memory"
	SchemaConsistency = "novel/consistency"
	SchemaLogic       = "novel/logic_review"
	SchemaCandidate   = "novel/candidate"
	SchemaRevision    = "novel/revision"
	SchemaUnreadable  = "novel/revision_unreadable" // a revision file that nobody can read, as it was found
)

// steps are those of the line.
type steps struct {
	prompts *prompt.Set
	schemas schemas
	shelf   *shelf
}

// call renders the prompt of a brief. What people said when they had it made again goes in as their wish.
func (s steps) call(in line.In, b briefing.Brief, schema json.RawMessage) (line.Call, error) {
	c := line.Call{Slot: "1", Agent: b.Agent, Model: b.Model, Schema: schema, Inputs: b.Inputs, Sources: sources(in)}
	var err error
	c.System, c.Prompt, err = s.prompts.Render(cmp.Or(b.Template, b.Agent), b)
	return c, err
}

func asking(c line.Call, err error) (line.Move, error) {
	if err != nil {
		return line.Move{}, err
	}
	return line.Move{Calls: []line.Call{c}}, nil
}

func options(in line.In) briefing.Options { return briefing.Options{Wishes: in.Attempt.Notes} }

// settings are people's. Where their file was removed, what the book is stays and the rest is as by default.
func (s steps) settings(in line.In) (line.Move, error) {
	v := DefaultsOf(in.Run)
	if in.Subject != nil {
		var last story.Settings
		if err := stored(*in.Subject, &last); err != nil {
			return line.Move{}, err
		}
		v.Title, v.Premise, v.Theme, v.Language, v.Author = last.Title, last.Premise, last.Theme, last.Language, last.Author
	}
	v.ProjectName = ProjectOf(in.Run)
	if v.Language == "" {
		v.Language = story.LanguageOf(v.Premise)
	}
	return ours(v, SchemaSettings)
}

// DefaultsOf are the settings that hold where a book's own file says nothing.
func DefaultsOf(r *kernel.Run) story.Settings {
	v := story.DefaultSettings()
	if raw := r.Settings(); len(raw) > 0 {
		_ = json.Unmarshal(raw, &v) // as they were recorded; what cannot be read leaves the defaults
	}
	return v
}

func (s steps) world(in line.In) (line.Move, error) {
	m, lacking, err := s.gather(in)
	if err != nil || len(lacking) > 0 {
		return line.Move{Wants: lacking}, err
	}
	if len(in.Replies) > 0 {
		v, err := decodeReply[story.WorldSetting](in.Replies[0])
		if err != nil {
			return line.Move{}, err
		}
		return ours(v, SchemaWorld)
	}
	if story.IsBlank(m.book.Settings.Premise) {
		return line.Move{}, noPremise(in.Run)
	}
	b, err := briefing.ForWorld(m.book, options(in))
	if err != nil {
		return line.Move{}, err
	}
	return asking(s.call(in, b, s.schemas.world))
}

func noPremise(r *kernel.Run) error {
	return fault.New(fault.MissingPrerequisite, pathOf(r, story.SettingsFile), "%s has no premise", pathOf(r, story.SettingsFile)).
		With(fault.Action{Action: "set", Command: fmt.Sprintf("sluice novel set %s premise=TEXT", ProjectOf(r)), Why: "a book begins with what it is about"})
}

func (s steps) theme(in line.In) (line.Move, error) {
	m, lacking, err := s.gather(in, WorldNode)
	if err != nil || len(lacking) > 0 {
		return line.Move{Wants: lacking}, err
	}
	if len(in.Replies) > 0 {
		v, err := decodeReply[story.ThemeConflict](in.Replies[0])
		if err != nil {
			return line.Move{}, err
		}
		return ours(v, SchemaTheme)
	}
	b, err := briefing.ForTheme(m.book, options(in))
	if err != nil {
		return line.Move{}, err
	}
	return asking(s.call(in, b, s.schemas.theme))
}

func (s steps) characters(in line.In) (line.Move, error) {
	m, lacking, err := s.gather(in, WorldNode, ThemeNode)
	if err != nil || len(lacking) > 0 {
		return line.Move{Wants: lacking}, err
	}
	if len(in.Replies) > 0 {
		v, err := decodeReply[story.CharactersConfig](in.Replies[0])
		if err != nil {
			return line.Move{}, err
		}
		return ours(v, SchemaCharacters)
	}
	b, err := briefing.ForCharacters(m.book, options(in))
	if err != nil {
		return line.Move{}, err
	}
	return asking(s.call(in, b, s.schemas.characters))
}
