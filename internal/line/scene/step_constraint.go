package scene

import (
	"encoding/json"
	"path"
	"strconv"
	"strings"

	"sluice/internal/digest"
	"sluice/internal/kernel"
)

// constraints gives what the scene must keep to, with what people changed when they approved. The list of step 2 is
// trusted unless a client reported it: then the blueprint itself is read again. While that is missing, what to read is
// given instead.
func (g given) constraints() (c Constraints, reads []string) {
	if a, ok := g.artifact("constraints_list"); ok && a.by.Kind != kernel.Client {
		if json.Unmarshal(a.body, &c) == nil && c.Revision == constraintsRevision && c.Location.Name != "" {
			return c.with(g.wishes()), nil
		}
	}
	pattern := g.blueprintPattern()
	files, done := g.asked(pattern)
	if !done {
		return c, []string{pattern}
	}
	if len(files) == 0 {
		return Constraints{SceneID: g.p.SceneID, Language: "en"}.with(g.wishes()), nil
	}
	c, _ = ParseBlueprint(files[0].Body)
	c.SceneID = g.p.SceneID
	c.Blueprint = Artifact{Key: "blueprint_path", Path: g.p.story(files[0].Path), SHA256: digest.Of(files[0].Body).Hex()}
	return c.with(g.wishes()), nil
}

// blueprintPattern is where the blueprint is: where an earlier stage found it, or anywhere in its chapter.
func (g given) blueprintPattern() string {
	if a, ok := g.artifact("blueprint_path"); ok && a.Path != "" {
		return literal(g.p.story(a.Path))
	}
	return blueprintPatterns(g.p.SceneID)[0]
}

// chapterOf gives the chapter's two digits of a scene's four.
func chapterOf(sceneID string) string {
	if len(sceneID) < 4 {
		return sceneID
	}
	return sceneID[:len(sceneID)-2]
}

// contentPath is where the finished text of a scene stands: beside the directory its blueprint is in.
func contentPath(blueprint, sceneID string) string {
	return path.Join(path.Dir(path.Dir(blueprint)), "content", "scene-"+sceneID+".md")
}

// with lays what a person changed over the constraints. Keys that name a constraint replace it, others are notes.
func (c Constraints) with(wishes []wish) Constraints {
	for _, w := range wishes {
		list, isText := stringsOf(w.raw)
		switch key := partOf(w.Key); {
		case key == partWords:
			if n, err := strconv.Atoi(strings.TrimSpace(w.Text)); err == nil && n > 0 {
				c.WordCount = wordCountOf(n, n)
				continue
			}
		case !isText || len(list) == 0:
		case key == partLocation && len(list) == 1:
			c.Location = locationOf(list[0])
			continue
		case key == partPresent:
			c.RequiredCharacters = charactersOf(list)
			continue
		case key == partAbsent:
			c.ForbiddenCharacters = charactersOf(list)
			continue
		case key == partBeats:
			c.Beats = list
			continue
		case key == partContinuity:
			c.Continuity = list
			continue
		case key == partMechanics:
			c.Mechanics.Required = list
			continue
		case key == partNoMechanic:
			c.Mechanics.Forbidden = list
			continue
		}
		c.Notes = append(c.Notes[:len(c.Notes):len(c.Notes)], Note{Label: w.Key, Text: w.Text})
	}
	return c
}

func charactersOf(list []string) []Character {
	out := []Character{}
	for _, s := range list {
		for _, name := range splitNames(s) {
			if c := characterOf(name); c.Name != "" && !isNone(c.Name) {
				out = append(out, c)
			}
		}
	}
	return distinct(out)
}
