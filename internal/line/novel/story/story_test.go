package story

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/fault"
)

func TestDecodeTolerates(t *testing.T) {
	want := GeneratedChapter{ChapterNumber: 1, ChapterTitle: "开端", TotalWords: 4,
		Scenes: []GeneratedScene{{SceneNumber: 1, Content: "夜色 falls hard", WordCount: 4}}}
	for name, body := range map[string]string{
		"plain":         `{"chapter_number":1,"chapter_title":"开端","scenes":[{"scene_number":1,"content":"夜色 falls hard","word_count":4}],"total_words":4}`,
		"bom and crlf":  "\ufeff{\r\n\"chapter_number\":1,\r\n\"chapter_title\":\"开端\",\"scenes\":[{\"scene_number\":1,\"content\":\"夜色 falls hard\"}]}\r\n",
		"unknown field": `{"mood":{"x":[1]},"chapter_number":1,"chapter_title":"开端","scenes":[{"scene_number":1,"content":"夜色 falls hard","word_count":99}],"total_words":99}`,
	} {
		got, err := Decode[GeneratedChapter]("chapters/chapter_001.json", []byte(body))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestDecodeNamesThePlace(t *testing.T) {
	for name, tt := range map[string]struct{ body, want string }{
		"empty":       {"", "the file is empty"},
		"truncated":   {"{\n  \"chapter_number\": 1,\n  \"chapter_title\": \"a", "line 3, column 21"},
		"two":         {`{} {}`, "more follows"},
		"not utf-8":   {"{\"chapter_title\":\"\xff\"}", "not UTF-8"},
		"list":        {`[]`, "the document is a list, not an object"},
		"missing":     {`{"chapter_number":1,"scenes":[]}`, "chapter_title is missing"},
		"null":        {`{"chapter_number":1,"chapter_title":null}`, "chapter_title is missing"},
		"wrong type":  {`{"chapter_number":1,"chapter_title":"a","scenes":[{"scene_number":1,"content":7}]}`, "scenes[0].content is a number, not text"},
		"fraction":    {`{"chapter_number":1.5,"chapter_title":"a"}`, "chapter_number is 1.5, not a whole number"},
		"twice":       {`{"chapter_number":1,"chapter_title":"a","scenes":[{"scene_number":1,"content":""},{"scene_number":1,"content":""}]}`, "scenes[1].scene_number"},
		"no list":     {`{"chapter_number":1,"chapter_title":"a","scenes":{}}`, "scenes is an object, not a list"},
		"not chapter": {`{"chapter_number":0,"chapter_title":"a","scenes":[]}`, "chapter_number is 0"},
	} {
		_, err := Decode[GeneratedChapter]("chapters/chapter_001.json", []byte(tt.body))
		if !errors.Is(err, fault.BadValue) || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "chapters/chapter_001.json: ") {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
}

func TestEncodeKeepsScriptsAndLists(t *testing.T) {
	got, err := Encode(ChapterMemoryEntry{ChapterNumber: 2, ChapterTitle: "<夜 & Ночь>"})
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "chapter_number": 2,
  "chapter_title": "<夜 & Ночь>",
  "summary": "",
  "timeline_anchor": "",
  "location_summary": "",
  "key_events": [],
  "character_states": {},
  "unresolved_threads": []
}
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDecodeListSkipsABadEntry(t *testing.T) {
	body := `[{"chapter_number":1,"chapter_title":"a","summary":"s"},{"chapter_number":"x"},7,{"chapter_number":3,"chapter_title":"c","summary":"s"}]`
	list, flaws, err := DecodeList[ChapterMemoryEntry](MemoryFile, []byte(body))
	if err != nil || len(list) != 2 || len(flaws) != 2 || list[1].ChapterNumber != 3 {
		t.Fatalf("got %v, flaws %v, %v", list, flaws, err)
	}
	if _, _, err := DecodeList[ChapterMemoryEntry](MemoryFile, []byte(`{}`)); err == nil {
		t.Error("an object was read as a list")
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "夜色降临。": 4, "The quick brown fox can't jump 32.3 feet, right?": 9, "Ночь, улица — фонарь.": 3,
		"Он сказал: «Да»": 3, "安娜said你好": 5, "e\u0301te\u0301 ici": 2, "U.S.A. today": 2, "1,000 ships": 2, "well-known": 2,
		"ラーメン": 4, "나는 학교에 간다": 3, "a_b": 1, "a.": 1, "don’t": 1, "...": 0, "—": 0,
	} {
		if got := Words(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

func TestParseName(t *testing.T) {
	for _, name := range []string{"mybook", "红楼梦", "Война_и-мир", "1984", "e\u0301te\u0301"} {
		if _, err := ParseName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"", "..", "a/b", "a b", "-a", "_a", ".git", "a.b", "con", strings.Repeat("红", 27), "a\x00", "\u0301a"} {
		if got, err := ParseName(name); err == nil {
			t.Errorf("%q was accepted as %q", name, got)
		}
	}
	if FoldName("MyBook") != FoldName("mybook") || FoldName("Ете\u0301") != FoldName("ете\u0301") {
		t.Error("names of one project differ")
	}
}

func TestParsePlaceTakesExactNamesOnly(t *testing.T) {
	for path, want := range map[string]Place{
		"chapters/chapter_001.json": {Kind: KindChapter, Chapter: 1}, "chapters/chapter_1000.json": {Kind: KindChapter, Chapter: 1000},
		"chapters/chapter_012_plan.json": {Kind: KindPlan, Chapter: 12}, "chapters/scene_002_003.json": {Kind: KindScene, Chapter: 2, Scene: 3},
		"reviews/chapter_001_logic_review.json": {Kind: KindReview, Chapter: 1}, "world.json": {Kind: KindWorld},
	} {
		got, ok := ParsePlace(path)
		if !ok || got != want || got.File() != path {
			t.Errorf("%s: got %+v %v", path, got, ok)
		}
	}
	for _, path := range []string{"chapters/chapter_1.json", "chapters/chapter_0001.json", "chapters/chapter_001.json.bak", "chapters/chapter_001_plan.json.tmp",
		"chapter_001.json", "chapters/chapter_000.json", "chapters/chapter_99999999999999999999.json", "chapters/x.json"} {
		if got, ok := ParsePlace(path); ok {
			t.Errorf("%s was taken for %+v", path, got)
		}
	}
}

func TestSettingsDefaultsAndChecks(t *testing.T) {
	got, err := DecodeSettings(SettingsFile, []byte(`{"project_name":"b","premise":"一个守夜人的故事","memory_context_chapters":0}`), DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	if got.Language != "zh" || got.TargetChapters != 20 || got.MemoryContextChapters != 0 || got.RevisionPolicy != RevisionNone {
		t.Errorf("got %+v", got)
	}
	for _, bad := range []string{`{"revision_policy":"maybe"}`, `{"logic_review_policy":"on"}`, `{"logic_review_min_score":101}`,
		`{"language":"not a tag!"}`, `{"target_chapters":0}`, `{"target_chapters":"3"}`} {
		if _, err := DecodeSettings(SettingsFile, []byte(bad), DefaultSettings()); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

func TestNotesAndTheLogicGate(t *testing.T) {
	c := ConsistencyReport{Issues: []ConsistencyIssue{{IssueType: "timeline", FixInstructions: "move it\nto dawn"}, {IssueType: "x", FixInstructions: " "}}}
	if got, want := c.Notes(), "- timeline: move it to dawn"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	l := LogicReviewReport{OverallScore: 75, Issues: []LogicIssue{{IssueType: "gap", Description: "why?", Severity: Low}}}
	if !l.IsPassed(75) || l.IsPassed(76) {
		t.Error("the score that equals the minimum must pass, a lower one must not")
	}
	l.Issues[0].Severity = High
	if l.IsPassed(0) {
		t.Error("a high issue must block")
	}
	if got, want := l.Notes(80), "- overall_score: 75, needed 80\n- gap: why?"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"chapter_number":1,"chapter_title":"a","scenes":[{"scene_number":1,"content":"b"}]}`))
	f.Add([]byte("\ufeff[{}]"))
	f.Fuzz(func(t *testing.T, body []byte) {
		v, err := Decode[GeneratedChapter]("f", body)
		if err != nil {
			return
		}
		once, err := Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode[GeneratedChapter]("f", once)
		if err != nil {
			t.Fatalf("what was written is not read: %v\n%s", err, once)
		}
		if diff := cmp.Diff(v, again); diff != "" {
			t.Fatal(diff)
		}
	})
}
