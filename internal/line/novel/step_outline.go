package novel

import (
	"encoding/json"
	"fmt"
	"strings"

	"sluice/internal/line"
	"sluice/internal/line/novel/briefing"
	"sluice/internal/line/novel/continuity"
	"sluice/internal/line/novel/story"
)

// maxOutlined is how many chapters one reply outlines: a chapter takes some 300 tokens, and models end at 8,000. A longer
// outline is made in parts, one reply after the other, each of which is stored when it comes.
const maxOutlined = 20

// outlineReply is what a model says of a part: of the first also the book as a whole.
type outlineReply struct {
	StoryPremise string                 `json:"story_premise"`
	Beginning    string                 `json:"beginning"`
	Development  string                 `json:"development"`
	Climax       string                 `json:"climax"`
	Resolution   string                 `json:"resolution"`
	Chapters     []story.OutlineChapter `json:"chapters"`
	OpenThreads  []string               `json:"open_threads"`
}

// outlining is an outline on its way.
type outlining struct {
	steps
	book  briefing.Book
	so    briefing.Outlined
	order continuity.Order
	parts int // that there are so far
}

func (s steps) outline(in line.In) (line.Move, error) {
	m, lacking, err := s.gather(in, WorldNode, ThemeNode, CharactersNode)
	if err != nil || len(lacking) > 0 {
		return line.Move{Wants: lacking}, err
	}
	if m.book.Settings.TargetChapters > maxOutlined {
		return outlining{steps: s, book: m.book}.next(in)
	}
	if len(in.Replies) > 0 {
		v, flaws := readOutline(in.Replies[0].Content, m.book.Settings.TargetChapters)
		if len(flaws) > 0 {
			return line.Move{}, line.Unusable{Reason: strings.Join(flaws, "; ")}
		}
		return ours(v, SchemaOutline)
	}
	b, err := briefing.ForOutline(m.book, options(in))
	if err != nil {
		return line.Move{}, err
	}
	schema, err := outlineSchema(m.book.Settings.TargetChapters)
	if err != nil {
		return line.Move{}, err
	}
	c, err := s.call(in, b, schema)
	c.Check = func(content string) []string {
		_, flaws := readOutline(content, m.book.Settings.TargetChapters)
		return flaws
	}
	return asking(c, err)
}

// next takes in the replies that are there and asks for the part that comes next. It holds what it has read, so that each
// reply is read once however many there are.
func (o outlining) next(in line.In) (line.Move, error) {
	for ; o.parts < len(in.Replies); o.parts++ {
		var flaws []string
		if o, flaws = o.with(in.Replies[o.parts].Content); len(flaws) > 0 {
			return line.Move{}, line.Unusable{Reason: strings.Join(flaws, "; ")}
		}
	}
	from, to := o.wanted()
	if from > to {
		return ours(o.so.Outline, SchemaOutline)
	}
	b, err := briefing.ForOutlinePart(o.book, o.so, from, to, options(in))
	if err != nil {
		return line.Move{}, err
	}
	schema, err := outlinePartSchema(to-from+1, from == 1)
	if err != nil {
		return line.Move{}, err
	}
	c, err := o.call(in, b, schema)
	c.Slot, c.Earlier = fmt.Sprint(o.parts+1), spoilt(in)
	c.Check = func(content string) []string {
		_, flaws := o.with(content)
		return flaws
	}
	m, err := asking(c, err)
	m.Then = o.next
	return m, err
}

// wanted are the chapters of the next part. Parts are about as long as each other.
func (o outlining) wanted() (from, to int) {
	chapters := o.book.Settings.TargetChapters
	parts := outlineParts(chapters)
	return len(o.so.Chapters) + 1, min(chapters, (o.parts+1)*chapters/parts)
}

// outlineParts is how many replies the outline of a book takes.
func outlineParts(chapters int) int { return max(1, (chapters+maxOutlined-1)/maxOutlined) }

// with is the outline with one more part, or what is wrong with that. The outline itself stays as it is.
func (o outlining) with(content string) (outlining, []string) {
	var reply outlineReply
	if err := json.Unmarshal([]byte(content), &reply); err != nil {
		return o, []string{err.Error()}
	}
	from, to := o.wanted()
	if len(reply.Chapters) != to-from+1 {
		return o, []string{fmt.Sprintf("there are %d chapters, and chapters %d to %d are %d", len(reply.Chapters), from, to, to-from+1)}
	}
	for i := range reply.Chapters {
		reply.Chapters[i].ChapterNumber = from + i
	}
	var found []continuity.Problem
	if o.order, found = o.order.After(reply.Chapters); len(found) > 0 {
		return o, flawsOf(found)
	}
	if from == 1 {
		o.so.Outline = story.Outline{StoryPremise: reply.StoryPremise, Beginning: reply.Beginning, Development: reply.Development,
			Climax: reply.Climax, Resolution: reply.Resolution}
	}
	o.so.Chapters, o.so.Open = append(o.so.Chapters[:len(o.so.Chapters):len(o.so.Chapters)], reply.Chapters...), reply.OpenThreads
	return o, nil
}

// readOutline numbers the chapters of a reply and says what is wrong with them.
func readOutline(content string, chapters int) (story.Outline, []string) {
	var o story.Outline
	if err := json.Unmarshal([]byte(content), &o); err != nil {
		return o, []string{err.Error()}
	}
	if len(o.Chapters) != chapters {
		return o, []string{fmt.Sprintf("there are %d chapters, and the book has %d", len(o.Chapters), chapters)}
	}
	for i := range o.Chapters {
		o.Chapters[i].ChapterNumber = i + 1
	}
	return o, flawsOf(continuity.CheckOutline(o))
}
