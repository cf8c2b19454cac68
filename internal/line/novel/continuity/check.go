package continuity

import (
	"slices"
	"strings"
	"unicode/utf8"

	"sluice/internal/line/novel/story"
)

// Types of issues that the checks find.
const (
	DeadCharacterActs   = "dead_character_acts"
	UnplannedCharacter  = "unplanned_character"
	TimelineBackwards   = "timeline_backwards"
	NameVariant         = "name_variant"
	UnreachableLocation = "unreachable_location"
)

// Input is all that the checks look at. What is empty is not known, and nothing is said about it.
type Input struct {
	Language string // of what is found
	Chapter  story.GeneratedChapter
	Plan     story.ChapterPlan
	Outline  story.OutlineChapter // what the outline says of this chapter
	Cast     story.CharactersConfig
	Memory   []story.ChapterMemoryEntry // in any order; entries of this chapter and later ones are left out
	Known    []string                   // further texts whose words are no misspelt names: world, outline
}

// reading is an input prepared once for all checks.
type reading struct {
	Input
	say    voice
	scenes []sceneText
	cast   *cast
	states map[int]state
	acts   [][]act // per scene
	unreal []bool  // per scene: somebody is dreamt, haunts or is told of
}

// Check finds what contradicts the memory, plan and cast, in the order of the constants above. The same input gives the
// same issues.
func Check(in Input) []story.ConsistencyIssue {
	in.Memory = slices.DeleteFunc(slices.Clone(in.Memory), func(m story.ChapterMemoryEntry) bool {
		return m.ChapterNumber >= in.Chapter.ChapterNumber
	})
	slices.SortStableFunc(in.Memory, func(a, b story.ChapterMemoryEntry) int { return a.ChapterNumber - b.ChapterNumber })
	r := &reading{Input: in, say: voiceOf(in.Language), scenes: readScenes(in.Chapter), cast: castOf(in.Cast, in.Memory)}
	r.states = statesOf(r.cast, in.Memory)
	for _, s := range r.scenes {
		var acts []act
		for i, p := range s.paragraphs {
			for _, a := range r.cast.actsIn(p) {
				a.paragraph = i
				acts = append(acts, a)
			}
		}
		r.acts = append(r.acts, acts)
		r.unreal = append(r.unreal, len(acts) > 0 && (unreal.isIn(s.low) || unreal.in(r.planText(s.number))))
	}
	found := r.dead()
	found = append(found, r.unplanned()...)
	found = append(found, r.backwards()...)
	found = append(found, r.variants()...)
	return append(found, r.unreachable()...)
}

// dead finds people who act though the memory says for certain that they are dead, outside of memories and dreams.
func (r *reading) dead() []story.ConsistencyIssue {
	var found []story.ConsistencyIssue
	dead := make(map[int]bool) // whose death has not been told yet
	for who, st := range r.states {
		if st.isDead() {
			dead[who] = true
		}
	}
	if len(dead) == 0 || IsFlashback(r.Outline.TimelineAnchor, r.Outline.ChapterTitle, r.Outline.Summary) || r.anyScene(alive) {
		return nil
	}
	for i, s := range r.scenes {
		seen := make(map[int]bool)
		for _, a := range r.acts[i] {
			if r.unreal[i] || !dead[a.person] || seen[a.person] {
				continue
			}
			if seen[a.person] = true; s.isRemembered(a.paragraph) { // and so is what follows
				continue
			}
			delete(dead, a.person)
			st := r.states[a.person]
			name := r.cast.people[a.person].name
			found = append(found, issue(DeadCharacterActs, story.High, name, r.say.dead(name, st.chapter, short(st.text), s.number, a.quote), r.say.deadFix(name, s.number)))
		}
	}
	return found
}

// isRemembered tells whether somebody thinks back in a paragraph or shortly before.
func (s sceneText) isRemembered(at int) bool {
	const shortly = 3
	for _, p := range s.paragraphs[max(0, at-shortly) : at+1] {
		if remembered.in(p.text) {
			return true
		}
	}
	return false
}

func (r *reading) anyScene(l phraseList) bool {
	return slices.ContainsFunc(r.scenes, func(s sceneText) bool { return l.isIn(s.low) })
}

// planText is all that the plan says of a scene.
func (r *reading) planText(scene int) string {
	s, _ := r.Plan.Scene(scene)
	return strings.Join(append([]string{s.Purpose, s.SceneType, s.Location}, s.KeyActions...), " ")
}

// unplanned finds people of the cast who speak though no scene of the plan has them. They may be meant, so no fix is said.
func (r *reading) unplanned() []story.ConsistencyIssue {
	if len(r.Plan.Scenes) == 0 || slices.ContainsFunc(r.Plan.Scenes, func(s story.ScenePlan) bool { return len(s.Characters) == 0 }) {
		return nil
	}
	var found []story.ConsistencyIssue
	isDone := make(map[int]bool)
	for i, s := range r.scenes {
		for _, a := range r.acts[i] {
			p := r.cast.people[a.person]
			if isDone[a.person] || !a.isSpeech || !p.isIn || r.unreal[i] {
				continue
			}
			if isDone[a.person] = true; r.isPlanned(p) {
				continue
			}
			found = append(found, issue(UnplannedCharacter, story.Low, p.name, r.say.unplanned(p.name, s.number, a.quote), ""))
		}
	}
	return found
}

func (r *reading) isPlanned(p person) bool {
	for _, s := range r.Plan.Scenes {
		if slices.ContainsFunc(s.Characters, p.isNamedBy) || p.isNamedBy(r.planText(s.SceneNumber)) {
			return true
		}
	}
	return false
}

// backwards finds times that lie certainly before those that the memory or the chapter itself has passed: the outline's
// anchor, and lines of the text that are nothing but a time.
func (r *reading) backwards() []story.ConsistencyIssue {
	var clock timeline
	for _, m := range r.Memory {
		if !IsFlashback(m.TimelineAnchor, m.ChapterTitle, m.Summary) {
			clock.pass(moment{m.ChapterNumber, m.TimelineAnchor, ParseAnchor(m.TimelineAnchor)})
		}
	}
	o := r.Outline
	if IsFlashback(o.TimelineAnchor, o.ChapterTitle, o.Summary) {
		return nil
	}
	var found []story.ConsistencyIssue
	if before, is := clock.pass(moment{r.Chapter.ChapterNumber, o.TimelineAnchor, ParseAnchor(o.TimelineAnchor)}); is {
		found = append(found, timeIssue(r.say.anchor(short(o.TimelineAnchor), before.chapter, short(before.text)), "", o.TimelineAnchor, before.text))
	}
	for _, s := range r.scenes {
		if !slices.ContainsFunc(s.paragraphs, func(p paragraph) bool { return isTimeLine(p.text) }) ||
			IsFlashback(s.raw, r.planText(s.number)) || unreal.in(r.planText(s.number)) {
			continue
		}
		for _, p := range s.paragraphs {
			if !isTimeLine(p.text) {
				continue
			}
			if before, is := clock.pass(moment{r.Chapter.ChapterNumber, p.text, ParseAnchor(p.text)}); is {
				found = append(found, timeIssue(r.say.heading(s.number, short(p.text), before.chapter, short(before.text)),
					r.say.headingFix(s.number, short(before.text)), p.text, before.text))
			}
		}
	}
	return found
}

// isTimeLine tells of a line that only says when: short and no sentence.
func isTimeLine(text string) bool {
	if utf8.RuneCountInString(text) > 40 || strings.ContainsAny(text, "\"“”«»「」『』?？!！") {
		return false
	}
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	return !strings.ContainsRune("—–-―", first) && !strings.ContainsRune(".。…", last)
}

// unreachable finds people who act somewhere though the memory says that they are locked up elsewhere and nothing says
// that they came out. Whether one place lies in the other cannot be told, so no fix is said.
func (r *reading) unreachable() []story.ConsistencyIssue {
	prisons := make(map[int]string) // of those of whom nothing was said yet
	for who, st := range r.states {
		if place, ok := st.prison(); ok {
			prisons[who] = place
		}
	}
	plan := append([]string{r.Outline.Summary}, r.Outline.KeyEvents...)
	for _, s := range r.Plan.Scenes {
		plan = append(plan, r.planText(s.SceneNumber))
	}
	if len(prisons) == 0 || freedom.in(plan...) || r.anyScene(freedom) {
		return nil
	}
	var found []story.ConsistencyIssue
	for i, s := range r.scenes {
		ps, isPlanned := r.Plan.Scene(s.number)
		if !isPlanned || story.IsBlank(ps.Location) || r.unreal[i] {
			continue
		}
		for _, a := range r.acts[i] {
			prison, ok := prisons[a.person]
			p, st := r.cast.people[a.person], r.states[a.person]
			if !ok || !slices.ContainsFunc(ps.Characters, p.isNamedBy) || sharesPlace(prison, ps.Location) || sharesPlace(prison, s.raw) {
				continue
			}
			delete(prisons, a.person)
			found = append(found, issue(UnreachableLocation, story.Medium, p.name,
				r.say.unreachable(p.name, st.chapter, short(st.text), s.number, short(ps.Location)), ""))
		}
	}
	return found
}

// sharesPlace tells whether a text names any part of a place.
func sharesPlace(place, text string) bool {
	text = lower(text)
	for _, h := range hanParts(place) {
		r := []rune(h)
		for i := 0; i+2 <= len(r); i++ {
			if strings.Contains(text, string(r[i:i+2])) {
				return true
			}
		}
	}
	for _, w := range keysOf(place) {
		r := []rune(w)
		if len(r) > 3 && strings.Contains(text, string(r[:max(4, len(r)-3)])) { // whatever its case
			return true
		}
	}
	return false
}

func issue(kind string, severity story.Severity, name, description, fix string) story.ConsistencyIssue {
	return story.ConsistencyIssue{IssueType: kind, Description: description, RelatedCharacters: []string{name}, RelatedEvents: []string{},
		Severity: severity, FixInstructions: fix}
}

func timeIssue(description, fix string, events ...string) story.ConsistencyIssue {
	x := story.ConsistencyIssue{IssueType: TimelineBackwards, Description: description, RelatedCharacters: []string{}, Severity: story.Medium, FixInstructions: fix}
	for _, e := range events {
		x.RelatedEvents = append(x.RelatedEvents, short(e))
	}
	return x
}
