package bookfile

import (
	"strings"
	"testing"

	"sluice/internal/line/novel/story"
)

// TestRehearsedChaptersAreLabelled: of a book with some real chapters those that are not say so, in front and at the chapter.
func TestRehearsedChaptersAreLabelled(t *testing.T) {
	b := Book{Project: "tide", Language: "en", Rehearsed: []int{2}}
	for n := 1; n <= 3; n++ {
		b.Chapters = append(b.Chapters, story.GeneratedChapter{ChapterNumber: n, ChapterTitle: "x", Scenes: []story.GeneratedScene{{SceneNumber: 1, Content: "Text."}}})
	}
	for _, f := range []Format{Text, Markdown} {
		body, err := Render(b, f)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(body), "REHEARSAL"); got != 2 || !strings.Contains(string(body), "not by a real one") || !strings.Contains(string(body), "(2)") {
			t.Errorf("%s has %d labels:\n%s", f, got, body)
		}
	}
	if body, err := Render(b, Markdown); err != nil || !strings.Contains(string(body), "\nrehearsal_chapters: [2]\n---\n") {
		t.Errorf("front matter: %v\n%s", err, body)
	}
	body, err := Render(b, JSON)
	if err != nil || !strings.Contains(string(body), "\"rehearsal_chapters\": [\n    2\n  ]") {
		t.Errorf("%v\n%s", err, body)
	}
	v := volume{Book: b, tongue: tongueOf("en")}
	if !strings.Contains(v.titlePage(), "(2)") || !strings.Contains(pagesOf(2, b.Chapters[1], v.tongue, true)[0].body, "REHEARSAL") ||
		strings.Contains(pagesOf(1, b.Chapters[0], v.tongue, false)[0].body, "REHEARSAL") {
		t.Error("the EPUB does not say it")
	}
	b.Rehearsed = nil
	if body, err := Render(b, Text); err != nil || strings.Contains(string(body), "REHEARSAL") {
		t.Errorf("a real book is labelled: %v", err)
	}
}
