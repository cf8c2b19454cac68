package novel

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel/story"
	"sluice/internal/linetest"
)

// pen writes a small book and remembers who was asked for what.
type pen struct {
	asked    []string
	chapters int
	scenes   int
	say      map[string]func(in inputs) string // by agent, instead of what it would write
}

type inputs struct {
	Chapter int    `json:"chapter_number"`
	Scene   int    `json:"scene_number"`
	Notes   string `json:"revision_notes"`
	Wanted  []struct {
		Number int `json:"chapter_number"`
	} `json:"chapters"`
	Scenes []struct {
		SceneNumber int    `json:"scene_number"`
		Content     string `json:"content"`
	} `json:"scenes"`
}

func (p *pen) answer(c line.Call) string {
	var in inputs
	if err := json.Unmarshal(c.Inputs, &in); err != nil {
		return err.Error()
	}
	p.asked = append(p.asked, strings.TrimSuffix(fmt.Sprintf("%s %d.%d", c.Agent, in.Chapter, in.Scene), ".0"))
	if say := p.say[c.Agent]; say != nil {
		return say(in)
	}
	switch c.Agent {
	case "world":
		return `{"world_name":"Veyra","time_period":"the long dusk","geography":"a coast","social_system":"guilds","technology_level":"sail","culture_customs":"bells"}`
	case "theme":
		return `{"core_theme":"debt","sub_themes":["salt"],"main_conflict":"the tide","sub_conflicts":[],"tone":"dry"}`
	case "characters":
		one := `{"name":"%s","role":"r","gender":"f","appearance":"a","personality":"p","background":"b","motivation":"m"}`
		return fmt.Sprintf(`{"protagonist":`+one+`,"supporting_characters":[`+one+`,`+one+`,`+one+`]}`, "Ana", "Bo", "Cy", "Di")
	case "outline":
		o := p.outline()
		if len(in.Wanted) > 0 {
			from, to := in.Wanted[0].Number, in.Wanted[len(in.Wanted)-1].Number
			return mustEncode(outlineReply{StoryPremise: o.StoryPremise, Chapters: o.Chapters[from-1 : to], OpenThreads: []string{fmt.Sprintf("owed since %d", to)}})
		}
		return mustEncode(o)
	case "chapter-plan":
		plan := planReply{}
		for range p.scenes {
			plan.Scenes = append(plan.Scenes, story.ScenePlan{Location: "quay", Characters: []string{"Ana"}, Purpose: "leave", KeyActions: []string{"go"}, EstimatedWords: 20, SceneType: "action", Intensity: "low"})
		}
		return mustEncode(plan)
	case "scene-text":
		return fmt.Sprintf("Ana left the quay, chapter %d scene %d.", in.Chapter, in.Scene)
	case "chapter-memory":
		return mustEncode(story.ChapterMemoryEntry{Summary: fmt.Sprintf("chapter %d happened", in.Chapter), CharacterStates: map[string]string{"Ana": "alive"}})
	case "consistency":
		return `{"summary":"fine","issues":[]}`
	case "logic-review":
		return `{"overall_score":90,"summary":"fine","issues":[]}`
	case "revision":
		var reply revisionReply
		for _, s := range in.Scenes {
			reply.Scenes = append(reply.Scenes, revisedScene{s.SceneNumber, s.Content + " It was mended."})
		}
		return mustEncode(reply)
	}
	return ""
}

func (p *pen) outline() story.Outline {
	o := story.Outline{StoryPremise: "p", Beginning: "b", Development: "d", Climax: "c", Resolution: "r"}
	for n := range p.chapters {
		o.Chapters = append(o.Chapters, story.OutlineChapter{ChapterNumber: n + 1, ChapterTitle: fmt.Sprintf("Part %d", n+1), Summary: "s"})
	}
	return o
}

// count is how often an agent was asked.
func (p *pen) count(agent string) int {
	n := 0
	for _, a := range p.asked {
		if strings.HasPrefix(a, agent+" ") {
			n++
		}
	}
	return n
}

func mustEncode[T any](v T) string {
	body, err := story.Encode(v)
	if err != nil {
		panic(err)
	}
	return string(body)
}

// fixable is a reply of the consistency check with something to mend, in one chapter.
func fixable(chapter int) func(inputs) string {
	return func(in inputs) string {
		if in.Chapter != chapter {
			return `{"summary":"fine","issues":[]}`
		}
		return `{"summary":"one","issues":[{"issue_type":"timeline","description":"it is night","related_characters":[],"related_events":[],"severity":"medium","fix_instructions":"make it day"}]}`
	}
}

func scored(chapter, score int) func(inputs) string {
	return func(in inputs) string {
		if in.Chapter != chapter {
			return `{"overall_score":90,"summary":"fine","issues":[]}`
		}
		return fmt.Sprintf(`{"overall_score":%d,"summary":"thin","issues":[{"issue_type":"gap","description":"why","severity":"low"}]}`, score)
	}
}

// book drives a book to a goal with the guide, and gives back the run with its bodies.
type book struct {
	t    *testing.T
	pen  *pen
	run  *kernel.Run
	body line.Body
	ends []End
	also []kernel.NodeID // to perform after what a test does
}

// before lets a test do something each time the guide is asked; nil does nothing.
func write(t *testing.T, p *pen, s story.Settings, goal Goal, before func(b *book, stamp kernel.Stamp) []Deed) *book {
	t.Helper()
	l, err := New()
	if err != nil {
		t.Fatal(err)
	}
	s.ProjectName, s.Premise, s.TargetChapters, s.Language = "tide", "a debt and a tide", p.chapters, "en"
	open, err := Open("tide", s)
	if err != nil {
		t.Fatal(err)
	}
	b := &book{t: t, pen: p}
	guide := NewGuide(goal)
	drive := map[kernel.NodeID]bool{}
	isOpened := false
	b.run = linetest.Drive(t, l, open, linetest.World{
		Models: p.answer,
		Only:   func(n kernel.Node) bool { return drive[n.ID] },
		Next: func(r *kernel.Run, body line.Body, stamp kernel.Stamp) []linetest.Act {
			b.run, b.body = r, body
			var deeds []Deed
			if !isOpened {
				isOpened = true
				deeds = append(deeds, submit(stamp, SettingsNode, SchemaSettings, []byte(mustEncode(s)), ""))
			} else if before != nil {
				deeds = before(b, stamp)
			}
			if len(deeds) > 0 {
				guide = NewGuide(goal)
				clear(drive)
				for _, id := range b.also {
					drive[id] = true
				}
				b.also = nil
				return acts(deeds)
			}
			st, err := guide.Next(r, body, stamp)
			if err != nil {
				t.Fatal(err)
			}
			again, err := NewGuide(goal).peek(r, body, stamp)
			if err != nil || len(st.Deeds) != len(again.Deeds) || !slices.Equal(st.Drive, again.Drive) {
				t.Fatalf("a new guide says otherwise: %+v, %+v, %v", st, again, err)
			}
			clear(drive)
			for _, id := range st.Drive {
				drive[id] = true
			}
			b.ends = guide.Ends
			if before != nil && st.isEmpty() { // the end, unless the test goes on
				if deeds = before(b, stamp); len(deeds) > 0 {
					guide = NewGuide(goal)
				}
				return acts(deeds)
			}
			if len(st.Deeds) == 0 && len(st.Drive) > 0 {
				return []linetest.Act{{Command: kernel.Record{Stamp: stamp}}} // nothing, so that it drives on
			}
			return acts(st.Deeds)
		},
	})
	return b
}

// peek is Next of a guide that has seen nothing.
func (g *Guide) peek(r *kernel.Run, body line.Body, s kernel.Stamp) (Stage, error) {
	return g.Next(r, body, s)
}

func acts(deeds []Deed) []linetest.Act {
	var out []linetest.Act
	for _, d := range deeds {
		out = append(out, linetest.Act{Command: d.Command, Bodies: d.Bodies})
	}
	return out
}

func (b *book) text(chapter int) story.GeneratedChapter {
	b.t.Helper()
	c, err := TextOf(b.run, b.body, chapter)
	if err != nil || c == nil {
		b.t.Fatalf("chapter %d has no text: %v", chapter, err)
	}
	return *c
}

func (b *book) revision(chapter int) story.RevisionStatus {
	b.t.Helper()
	rev, err := RevisionOf(b.run, b.body, chapter)
	if err != nil || rev == nil {
		b.t.Fatalf("chapter %d has no revision: %v", chapter, err)
	}
	return *rev
}
