package scene

import (
	"fmt"
	"path"
	"strconv"
	"unicode/utf8"
)

// maxContext bounds how much of each neighbouring document goes into a prompt, in characters.
const maxContext = 12_000

// storyPatterns are the documents of the story around a scene, chapter or act that those who work on it should know.
func (g given) storyPatterns() []string {
	chapter, scene := g.p.Chapter, g.p.Scene
	dir := fmt.Sprintf("acts/act-%d", g.p.Act)
	if g.p.Act == 0 {
		dir = "acts/*"
		if a, ok := g.artifact("blueprint_path"); ok { // acts/act-1/chapters/chapter-02/scenes/…
			at := g.p.story(a.Path)
			for range 4 {
				at = path.Dir(at)
			}
			dir = literal(at)
		}
	}
	if n, err := strconv.Atoi(g.p.SceneID); err == nil && len(g.p.SceneID) == 4 {
		chapter, scene = n/100, n%100
	}
	var out []string
	if g.p.Level != "act" {
		out = append(out, dir+"/strategic-plan.md")
	}
	if chapter == 0 {
		return out
	}
	here := fmt.Sprintf("%s/chapters/chapter-%02d", dir, chapter)
	if scene == 0 {
		return append(out, fmt.Sprintf("%s/chapters/chapter-%02d/plan.md", dir, chapter-1))
	}
	out = append(out, here+"/plan.md")
	if scene > 1 {
		out = append(out, fmt.Sprintf("%s/content/scene-%02d%02d.md", here, chapter, scene-1))
	}
	return out
}

// story gives the documents that were found, each with its path as label.
func (g given) story(patterns []string) []labelled {
	var out []labelled
	for _, p := range patterns {
		files, _ := g.asked(p)
		for _, f := range files {
			out = append(out, labelled{g.p.story(f.Path), tail(string(f.Body))})
		}
	}
	return out
}

// tail keeps the end of a long document: what comes next follows from there.
func tail(text string) string {
	if utf8.RuneCountInString(text) <= maxContext {
		return text
	}
	r := []rune(text)
	return "…" + string(r[len(r)-maxContext:])
}
