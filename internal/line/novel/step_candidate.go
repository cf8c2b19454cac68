package novel

import (
	"fmt"
	"slices"
	"strings"

	"sluice/internal/line"
	"sluice/internal/line/novel/bookfile"
	"sluice/internal/line/novel/briefing"
	"sluice/internal/line/novel/story"
)

// Parts of a candidate.
const (
	PartChapter = "chapter.json"
	PartReading = "revised.txt"
)

// maxRevised is how many tokens of text one reply revises: it grows by a tenth and its quotes and line breaks are escaped, and
// models end at 8,000. A longer chapter is revised in parts, one reply after the other, each of which is stored when it comes.
const maxRevised = 6000

// maxChanges is how many lines a part may hand on to those after it.
const maxChanges = 5

// revising is a candidate on its way.
type revising struct {
	steps
	of   judged
	ends []int // of the parts, in scenes
	done int   // parts that there are so far
	so   briefing.Revised
}

// candidate revises a chapter by notes. What comes back keeps its number, its title and its scenes.
func (s steps) candidate(in line.In) (line.Move, error) {
	j, lacking, err := s.judging(in)
	if err != nil || len(lacking) > 0 {
		return line.Move{Wants: lacking}, err
	}
	v := revising{steps: s, of: j, ends: revisionParts(j.text), so: briefing.Revised{Chapter: j.text}}
	v.so.Chapter.Scenes = slices.Clone(j.text.Scenes)
	return v.next(in)
}

// revisionParts are the places after the last scene of each part. A scene is never divided.
func revisionParts(c story.GeneratedChapter) []int {
	var ends []int
	sum := 0
	for i, s := range c.Scenes {
		n := briefing.Tokens(s.Content)
		if i > 0 && sum+n > maxRevised {
			ends, sum = append(ends, i), 0
		}
		sum += n
	}
	return append(ends, len(c.Scenes))
}

// next takes in the replies that are there and asks for the part that comes next.
func (v revising) next(in line.In) (line.Move, error) {
	for ; v.done < len(in.Replies); v.done++ {
		var flaws []string
		if v, flaws = v.with(in.Replies[v.done].Content); len(flaws) > 0 {
			return line.Move{}, line.Unusable{Reason: strings.Join(flaws, "; ")}
		}
	}
	if v.done == len(v.ends) {
		return v.finished()
	}
	c, err := v.ask(in)
	c.Check = func(content string) []string {
		_, flaws := v.with(content)
		return flaws
	}
	m, err := asking(c, err)
	m.Then = v.next
	return m, err
}

// ask is the call for the next part: one that is all of the chapter goes without what is said of parts.
func (v revising) ask(in line.In) (line.Call, error) {
	if len(v.ends) == 1 {
		b, err := briefing.ForRevision(v.of.book, v.of.plan, v.of.text, v.of.params.Notes, options(in))
		if err != nil {
			return line.Call{}, err
		}
		schema, err := revisionSchema(len(v.of.text.Scenes))
		if err != nil {
			return line.Call{}, err
		}
		return v.call(in, b, schema)
	}
	v.so.To = v.ends[v.done]
	b, err := briefing.ForRevisionPart(v.of.book, v.of.plan, v.so, v.of.params.Notes, options(in))
	if err != nil {
		return line.Call{}, err
	}
	schema, err := revisionPartSchema(v.so.To - v.so.From)
	if err != nil {
		return line.Call{}, err
	}
	c, err := v.call(in, b, schema)
	c.Slot, c.Earlier = fmt.Sprint(v.done+1), spoilt(in)
	return c, err
}

// with is the candidate with one more part, or what is wrong with that. The candidate itself stays as it is.
func (v revising) with(content string) (revising, []string) {
	part := v.of.text
	part.Scenes = v.of.text.Scenes[v.so.From:v.ends[v.done]]
	if flaws := revisedFlaws(part)(content); len(flaws) > 0 {
		return v, flaws
	}
	reply, err := decodeReply[revisionPartReply](line.Reply{Content: content})
	if err != nil {
		return v, []string{err.Error()}
	}
	v.so.Chapter.Scenes = slices.Clone(v.so.Chapter.Scenes)
	for i, s := range reply.Scenes {
		v.so.Chapter.Scenes[v.so.From+i] = story.GeneratedScene{SceneNumber: s.SceneNumber, Content: strings.TrimSpace(s.Content)}
	}
	v.so.Changes = slices.Concat(v.so.Changes, reply.Changes[:min(maxChanges, len(reply.Changes))])
	v.so.From = v.ends[v.done]
	return v, nil
}

// finished is the candidate with its reading view.
func (v revising) finished() (line.Move, error) {
	m, err := ours(v.so.Chapter, SchemaCandidate)
	if err != nil {
		return m, err
	}
	view := bookfile.ReadingView(v.of.book.Settings.Language, v.so.Chapter, v.of.params.Notes)
	m.Done.Parts = []line.Part{{Path: PartChapter, Body: m.Done.Body}, {Path: PartReading, Body: []byte(view)}}
	return m, nil
}
