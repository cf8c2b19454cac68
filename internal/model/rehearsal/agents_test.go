package rehearsal

import (
	"encoding/json"
	"strings"
	"testing"

	"sluice/internal/model"
)

// agentCase is a request as one of the lines might make it. The schemas are drawn from the seeds' own models.
type agentCase struct{ agent, inputs, schema string }

const (
	text     = `{"type":"string"}`
	texts    = `{"type":"array","items":{"type":"string"}}`
	person   = `{"type":"object","required":["name","role"],"properties":{"name":{"type":"string"},"role":{"type":"string"},"gender":{"type":"string"},"age":{"type":"integer","minimum":0},"appearance":{"type":"string"},"motivation":{"type":"string"},"abilities":` + texts + `,"relationships":{"type":"object","additionalProperties":{"type":"string"}}},"additionalProperties":false}`
	issues   = `{"type":"array","items":{"type":"object","required":["issue_type","description"],"properties":{"issue_type":{"type":"string"},"description":{"type":"string"},"severity":{"enum":["low","medium","high"]}}}}`
	criteria = `{"type":"array","minItems":1,"items":{"type":"object","required":["id","type","statement","check_method","severity"],"properties":{"id":{"type":"string"},"type":{"type":"string"},"statement":{"type":"string"},"check_method":{"enum":["manual_review","static_check","run_smoke_test"]},"severity":{"enum":["blocker","major","minor"]}}}}`
)

func agentCases() []agentCase {
	object := func(fields string) string {
		return `{"type":"object","additionalProperties":false,` + fields + `}`
	}
	zh := `"premise":"雨城里的钟表匠发现时间在倒流","language":"zh"`
	return []agentCase{
		{"world", `{` + zh + `}`, object(`"required":["world_name","time_period","geography"],"properties":{"world_name":` + text + `,"time_period":` + text + `,"geography":` + text + `,"power_system":` + text + `}`)},
		{"characters", `{` + zh + `}`, object(`"required":["protagonist","supporting_characters"],"properties":{"protagonist":` + person + `,"antagonist":` + person + `,"supporting_characters":{"type":"array","minItems":3,"items":` + person + `}}`)},
		{"outline", `{` + zh + `,"target_chapters":5,"characters":{"protagonist":{"name":"程雨","role":"主角"}}}`, object(`"required":["chapters"],"properties":{"story_premise":` + text + `,"chapters":{"type":"array","minItems":1,"items":{"type":"object","required":["chapter_number","chapter_title","summary","key_events"],"properties":{"chapter_number":{"type":"integer"},"chapter_title":` + text + `,"summary":` + text + `,"key_events":` + texts + `,"timeline_anchor":` + text + `,"dependencies":{"type":"array","items":{"type":"object","required":["dependency_type","description"],"properties":{"dependency_type":` + text + `,"description":` + text + `,"chapter_number":{"type":"integer"}}}}}}}}`)},
		{"chapter-plan", `{"chapter_number":2,"chapter_title":"倒走的钟","words_per_scene":800,"characters":["程雨","阿禾"]}`, object(`"required":["chapter_number","chapter_title","scenes"],"properties":{"chapter_number":{"type":"integer"},"chapter_title":` + text + `,"scenes":{"type":"array","minItems":1,"items":{"type":"object","required":["scene_number","location","characters","purpose","key_actions","estimated_words","scene_type","intensity"],"properties":{"scene_number":{"type":"integer"},"location":` + text + `,"characters":` + texts + `,"purpose":` + text + `,"key_actions":` + texts + `,"estimated_words":{"type":"integer","minimum":1},"scene_type":` + text + `,"intensity":{"type":"integer","minimum":1,"maximum":10}}}}}`)},
		{"scene-text", `{"chapter_number":2,"scene":{"scene_number":1,"location":"钟楼","characters":["程雨"],"key_actions":["拆开停摆的钟"],"estimated_words":300}}`, ""},
		{"chapter-memory", `{"chapter":{"chapter_number":2,"chapter_title":"倒走的钟"},"characters":["程雨","阿禾"]}`, object(`"required":["chapter_number","chapter_title","summary","timeline_anchor","character_states"],"properties":{"chapter_number":{"type":"integer"},"chapter_title":` + text + `,"summary":` + text + `,"timeline_anchor":` + text + `,"key_events":` + texts + `,"character_states":{"type":"object","additionalProperties":{"type":"string"}},"unresolved_threads":` + texts + `}`)},
		{"logic-review", `{"chapter_number":2,"chapter_title":"倒走的钟"}`, object(`"required":["chapter_number","overall_score","summary","issues"],"properties":{"chapter_number":{"type":"integer"},"overall_score":{"type":"number","minimum":0,"maximum":100},"summary":` + text + `,"issues":` + issues + `}`)},
		{"revision", `{"chapter":{"chapter_number":2,"chapter_title":"倒走的钟","scenes":[{"scene_number":1,"content":"〔排练〕钟停了。"},{"scene_number":2,"content":"雨也停了。"}]},"revision_notes":"- 时间: 改为清晨"}`, object(`"required":["chapter_number","chapter_title","scenes"],"properties":{"chapter_number":{"type":"integer"},"chapter_title":` + text + `,"scenes":{"type":"array","items":{"type":"object","required":["scene_number","content"],"properties":{"scene_number":{"type":"integer"},"content":` + text + `}}}}`)},
		{"compile", `{"title":"Export as CSV","goal":"Let users export every report as CSV","acceptance_criteria":["opens in a spreadsheet"]}`, object(`"properties":{"goal":{"type":"string","minLength":10,"maxLength":500},"non_goals":` + texts + `,"background":` + text + `,"acceptance_criteria":{"type":"array","items":{"type":"object","required":["criteria"],"properties":{"id":` + text + `,"criteria":` + text + `,"test_hint":` + text + `}}}}`)},
		{"clarify-questions", `{"missing_fields":[{"path":"spec.goal","reason":"too short"},{"path":"spec.acceptance_criteria","reason":"none"}]}`, object(`"required":["questions"],"properties":{"questions":{"type":"array","items":{"type":"object","required":["path","question"],"properties":{"id":` + text + `,"path":` + text + `,"question":` + text + `}}}}`)},
		{"apply-answers", `{"spec":{"goal":"short","background":"kept"},"answers":[{"path":"spec.goal","value":"Let users export every report"}]}`, object(`"required":["goal"],"properties":{"goal":` + text + `,"background":` + text + `}`)},
		{"plan-tasks", `{"title":"Export as CSV","goal":"Let users export"}`, object(`"required":["tasks"],"properties":{"tasks":{"type":"array","minItems":1,"items":{"type":"object","required":["task_id","title","type","scope"],"properties":{"task_id":` + text + `,"title":` + text + `,"type":{"enum":["dev","test","doc","ops","design","research"]},"scope":` + text + `,"estimate":{"type":"object","required":["unit","value"],"properties":{"unit":{"enum":["hour","day"]},"value":{"type":"number","exclusiveMinimum":0}}},"dependencies":` + texts + `}}}}`)},
		{"generate-vv", `{"tasks":[{"task_id":"T-1","title":"write"},{"task_id":"T-2","title":"check"}]}`, object(`"required":["vv"],"properties":{"vv":{"type":"array","items":{"type":"object","required":["vv_id","task_id","type","procedure","expected_result"],"properties":{"vv_id":` + text + `,"task_id":` + text + `,"type":{"enum":["unit","integration","e2e"]},"procedure":` + text + `,"expected_result":` + text + `,"evidence_required":` + texts + `}}}}`)},
		{"plan-gen", `{"top_task":"Build a small game"}`, object(`"required":["plan","nodes","edges"],"properties":{"plan":{"type":"object","required":["title","root_task_id"],"properties":{"title":` + text + `,"root_task_id":` + text + `}},"nodes":{"type":"array","items":{"type":"object","required":["task_id","node_type","title"],"properties":{"task_id":` + text + `,"node_type":{"enum":["GOAL","ACTION","CHECK"]},"title":` + text + `,"estimated_person_days":{"type":"number","exclusiveMinimum":0},"deliverable_spec":{"type":"object","properties":{"format":` + text + `,"filename":` + text + `,"single_file":{"type":"boolean"}}},"acceptance_criteria":` + criteria + `,"review_target_task_id":` + text + `}}},"edges":{"type":"array","items":{"type":"object","required":["from_task_id","to_task_id","edge_type"],"properties":{"edge_id":` + text + `,"from_task_id":` + text + `,"to_task_id":` + text + `,"edge_type":{"enum":["DECOMPOSE","DEPENDS_ON","ALTERNATIVE"]}}}}}`)},
		{"plan-review", `{"title":"Game","rubric":{"completeness":40,"clarity":15}}`, object(`"required":["total_score","scores","problems"],"properties":{"total_score":{"type":"number","minimum":0,"maximum":100},"scores":{"type":"object","required":["completeness"],"properties":{"completeness":{"type":"number","minimum":0,"maximum":40}}},"problems":` + texts + `}`)},
		{"feasibility", `{"one_shot_threshold_person_days":10,"leaves":[{"task_id":"a","estimated_person_days":10},{"task_id":"b","estimated_person_days":25}]}`, object(`"required":["results"],"properties":{"results":{"type":"array","items":{"type":"object","required":["task_id","estimated_person_days","one_shot_pass","why"],"properties":{"task_id":` + text + `,"estimated_person_days":{"type":"number","exclusiveMinimum":0},"one_shot_pass":{"type":"boolean"},"why":` + text + `}}}}`)},
		{"split", `{"task_id":"b","title":"Engine","estimated_person_days":25,"one_shot_threshold_person_days":10,"parts":3}`, object(`"required":["children"],"properties":{"children":{"type":"array","minItems":2,"items":{"type":"object","required":["title","estimated_person_days","acceptance_criteria"],"properties":{"title":` + text + `,"estimated_person_days":{"type":"number","exclusiveMinimum":0},"acceptance_criteria":` + criteria + `}}}}`)},
		{"action", `{"title":"Rules of the game","deliverable_spec":{"format":"md","filename":"rules.md"},"acceptance_criteria":[{"id":"AC-1","statement":"names every move"}]}`, ""},
		{"check", `{"title":"Rules","acceptance_criteria":[{"id":"AC-1","statement":"names every move"},{"id":"AC-2","statement":"fits one page"}]}`, object(`"required":["verdict","total_score","acceptance_results","summary"],"properties":{"verdict":{"enum":["REJECTED","APPROVED"]},"total_score":{"type":"integer","minimum":0,"maximum":100},"acceptance_results":{"type":"array","items":{"type":"object","required":["criterion_id","pass","evidence"],"properties":{"criterion_id":` + text + `,"pass":{"type":"boolean"},"evidence":` + text + `}}},"summary":` + text + `}`)},
		{"verification-planner", `{"constraints":{"location":"архив","characters_present":["Анна","Пётр"],"characters_absent":["Виктор"],"word_count":400}}`, ""},
		{"prose-writer", `{"constraints":{"location":"архив","characters_present":["Анна","Пётр"],"characters_absent":["Виктор"],"beats":["Анна находит письмо","Виктор звонит"],"word_count":400}}`, ""},
		{"world-lorekeeper", `{"scene_id":"0204","draft":"Анна вошла в архив."}`, object(`"required":["verdict","violations","summary"],"properties":{"verdict":{"enum":["PASS","FAIL","WARNING"]},"violations":` + texts + `,"summary":` + text + `}`)},
		{"scenario-generator", `{"level":"scene","context":{"act":1,"chapter":2,"scene":4},"title":"Ночь в архиве"}`, object(`"required":["variants"],"properties":{"variants":{"type":"array","minItems":2,"maxItems":4,"items":{"type":"object","required":["id","title","description"],"properties":{"id":{"type":"string","pattern":"^[A-D]$"},"title":` + text + `,"description":` + text + `}}}}`)},
	}
}

func answer(t *testing.T, c agentCase, take int) string {
	t.Helper()
	reply, err := New(Script{}, nil).Complete(t.Context(), model.Request{
		Agent: c.agent, Prompt: "Work.", Inputs: json.RawMessage(c.inputs), Schema: json.RawMessage(c.schema), Scope: model.Scope{Take: take},
	})
	if err != nil {
		t.Fatalf("%s: %v", c.agent, err)
	}
	return reply.Content
}

func TestEveryAgentOfTheLinesGetsAReplyThatFits(t *testing.T) {
	schemas := model.NewSchemas()
	for _, c := range agentCases() {
		t.Run(c.agent, func(t *testing.T) {
			for take := range 4 {
				got := answer(t, c, take)
				if got != answer(t, c, take) {
					t.Error("the same request got another reply")
				}
				if next := answer(t, c, take+1); next == got && unlabel(got) != got {
					t.Errorf("take %d reads like take %d:\n%s", take+1, take, got)
				}
				if c.schema == "" {
					continue
				}
				problems, err := schemas.Check(json.RawMessage(c.schema), json.RawMessage(got))
				if err != nil || len(problems) > 0 {
					t.Errorf("take %d: %v, %v in %s", take, err, problems, got)
				}
			}
		})
	}
}

// reply decodes the answer to the first request of an agent.
func reply[T any](t *testing.T, agent string) T {
	t.Helper()
	for _, c := range agentCases() {
		if c.agent == agent {
			var v T
			if err := json.Unmarshal([]byte(answer(t, c, 0)), &v); err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	t.Fatalf("no agent %s", agent)
	return *new(T)
}

func TestOutlineHoldsTogether(t *testing.T) {
	got := reply[struct {
		Chapters []struct {
			Number       int    `json:"chapter_number"`
			Title        string `json:"chapter_title"`
			Dependencies []struct {
				Number int `json:"chapter_number"`
			}
		}
	}](t, "outline")
	if len(got.Chapters) != 5 {
		t.Fatalf("%d chapters, want the 5 asked for", len(got.Chapters))
	}
	titles := map[string]bool{}
	for i, c := range got.Chapters {
		if c.Number != i+1 || c.Title == "" || titles[c.Title] || unlabel(c.Title) != c.Title {
			t.Errorf("chapter %d is %+v", i+1, c)
		}
		titles[c.Title] = true
		for _, d := range c.Dependencies {
			if d.Number >= c.Number {
				t.Errorf("chapter %d depends on chapter %d", c.Number, d.Number)
			}
		}
	}
}

func TestJudgesApproveItemByItem(t *testing.T) {
	check := reply[struct {
		Verdict string
		Score   int `json:"total_score"`
		Results []struct {
			Criterion string `json:"criterion_id"`
			Pass      bool
			Evidence  string
		} `json:"acceptance_results"`
	}](t, "check")
	if check.Verdict != "APPROVED" || check.Score < 90 || len(check.Results) != 2 || check.Results[1].Criterion != "AC-2" ||
		!check.Results[1].Pass || !strings.Contains(check.Results[1].Evidence, "fits one page") {
		t.Errorf("check: %+v", check)
	}
	review := reply[struct {
		Number int     `json:"chapter_number"`
		Score  float64 `json:"overall_score"`
		Issues []any
	}](t, "logic-review")
	if review.Number != 2 || review.Score < 90 || review.Score > 100 || review.Issues == nil || len(review.Issues) != 0 {
		t.Errorf("logic-review: %+v", review)
	}
	feasible := reply[struct {
		Results []struct {
			Task string  `json:"task_id"`
			Days float64 `json:"estimated_person_days"`
			Pass bool    `json:"one_shot_pass"`
		}
	}](t, "feasibility")
	if r := feasible.Results; len(r) != 2 || r[0].Days != 10 || !r[0].Pass || r[1].Task != "b" || r[1].Days != 25 || r[1].Pass {
		t.Errorf("feasibility does not repeat the estimates: %+v", r)
	}
	split := reply[struct {
		Children []struct {
			Days float64 `json:"estimated_person_days"`
		}
	}](t, "split")
	if c := split.Children; len(c) != 3 || c[0].Days > 10 || c[0].Days+c[1].Days+c[2].Days < 25 {
		t.Errorf("split: %+v, want 3 parts of at most 10 days that add up", c)
	}
}

func TestWhatWasGivenComesBack(t *testing.T) {
	revision := reply[struct {
		Title  string `json:"chapter_title"`
		Scenes []struct {
			Number  int `json:"scene_number"`
			Content string
		}
	}](t, "revision")
	if revision.Title != "倒走的钟" || len(revision.Scenes) != 2 || revision.Scenes[1].Number != 2 ||
		!strings.Contains(revision.Scenes[1].Content, "雨也停了") || revision.Scenes[1].Content == "雨也停了。" {
		t.Errorf("revision: %+v", revision)
	}
	spec := reply[struct {
		Goal     string
		Criteria []struct{ ID, Criteria string } `json:"acceptance_criteria"`
	}](t, "compile")
	if spec.Goal != "Let users export every report as CSV" || len(spec.Criteria) != 1 || spec.Criteria[0].Criteria != "opens in a spreadsheet" {
		t.Errorf("compile: %+v", spec)
	}
	applied := reply[struct{ Goal, Background string }](t, "apply-answers")
	if applied.Goal != "Let users export every report" || applied.Background != "kept" {
		t.Errorf("apply-answers: %+v", applied)
	}
	vv := reply[struct {
		VV []struct {
			ID   string `json:"vv_id"`
			Task string `json:"task_id"`
		}
	}](t, "generate-vv")
	if len(vv.VV) != 2 || vv.VV[1].Task != "T-2" || vv.VV[1].ID != "VV-2" {
		t.Errorf("generate-vv: %+v", vv)
	}
	questions := reply[struct{ Questions []struct{ Path string } }](t, "clarify-questions")
	if len(questions.Questions) != 2 || questions.Questions[0].Path != "spec.goal" {
		t.Errorf("clarify-questions: %+v", questions)
	}
	variants := reply[struct{ Variants []struct{ ID string } }](t, "scenario-generator")
	if len(variants.Variants) != 3 || variants.Variants[0].ID != "A" || variants.Variants[2].ID != "C" {
		t.Errorf("scenario-generator: %+v, want A, B, C", variants)
	}
}

func TestPlanIsAGraph(t *testing.T) {
	plan := reply[struct {
		Nodes []struct {
			ID     string  `json:"task_id"`
			Kind   string  `json:"node_type"`
			Target string  `json:"review_target_task_id"`
			Days   float64 `json:"estimated_person_days"`
		}
		Edges []struct {
			From string `json:"from_task_id"`
			To   string `json:"to_task_id"`
		}
	}](t, "plan-gen")
	kinds, checked := map[string]string{}, map[string]int{}
	for _, n := range plan.Nodes {
		kinds[n.ID] = n.Kind
		if n.Kind == "CHECK" {
			checked[n.Target]++
		}
		if (n.Kind == "ACTION") != (n.Days > 0) {
			t.Errorf("%s %s is estimated at %v days", n.Kind, n.ID, n.Days)
		}
	}
	for id, kind := range kinds {
		if kind == "ACTION" && checked[id] != 1 {
			t.Errorf("action %s has %d checks", id, checked[id])
		}
	}
	for _, e := range plan.Edges {
		if kinds[e.From] == "" || kinds[e.To] == "" {
			t.Errorf("edge %s to %s leads nowhere", e.From, e.To)
		}
	}
}

func TestStoriesKeepToTheirBlueprint(t *testing.T) {
	for _, c := range agentCases() {
		if c.agent != "prose-writer" {
			continue
		}
		for take := range 5 {
			text := answer(t, c, take)
			if n := measure(text); n < 360 || n > 440 {
				t.Errorf("take %d has %d words, want 400 ± 10 %%", take, n)
			}
			for _, want := range []string{"Анна", "Пётр", "архив", "находит письмо"} {
				if !strings.Contains(text, want) {
					t.Errorf("take %d does not mention %q", take, want)
				}
			}
			if strings.Contains(text, "Виктор") {
				t.Errorf("take %d mentions who is absent", take)
			}
		}
	}
}

func TestEveryTextIsLabelledOnce(t *testing.T) {
	for _, c := range agentCases() {
		got := answer(t, c, 0)
		var texts []string
		if c.schema == "" {
			texts = []string{got}
		} else {
			v, err := decode([]byte(got))
			if err != nil {
				t.Fatal(err)
			}
			texts = all(v)
		}
		labelled := 0
		for _, s := range texts {
			n := strings.Count(s, "[rehearsal]") + strings.Count(s, "〔排练〕") + strings.Count(s, "[репетиция]")
			if n > 1 || n == 0 && measure(s) > 12 && !strings.Contains(c.inputs, s) {
				t.Errorf("%s: %d labels in %q", c.agent, n, s)
			}
			labelled += n
		}
		if labelled == 0 && c.agent != "plan-review" && c.agent != "apply-answers" {
			t.Errorf("%s: nothing tells that this is a rehearsal: %s", c.agent, got)
		}
	}
}

func all(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, item := range v {
			out = append(out, all(item)...)
		}
		return out
	case map[string]any:
		var out []string
		for _, item := range v {
			out = append(out, all(item)...)
		}
		return out
	}
	return nil
}

func TestWritersMentionWhatTheyMustAndNothingElse(t *testing.T) {
	for lang, given := range map[string]string{
		"en": `{"language":"en","location":"Harbour office","required_characters":["Anna","Ivan"],"must_mention":["Harbour office","Anna","Ivan","tide clock"],"must_not_mention":["Ann","lantern","Boris"],"words":60}`,
		"ru": `{"language":"ru","location":"Старая пристань","required_characters":["Анна"],"must_mention":["Старая пристань","Анна","приливные часы"],"must_not_mention":["фонарь","Борис"],"words":60}`,
		"zh": `{"language":"zh","location":"旧码头","required_characters":["李明"],"must_mention":["旧码头","李明","潮汐钟"],"must_not_mention":["一盏灯笼","王芳"],"words":60}`,
	} {
		for take := range 5 {
			r, err := New(Script{}, nil).Complete(t.Context(), model.Request{Agent: "prose-writer", Inputs: json.RawMessage(given), Scope: model.Scope{Take: take}})
			if err != nil {
				t.Fatal(err)
			}
			var in struct {
				Must []string `json:"must_mention"`
				Not  []string `json:"must_not_mention"`
			}
			if err := json.Unmarshal([]byte(given), &in); err != nil {
				t.Fatal(err)
			}
			for _, s := range in.Must {
				if !strings.Contains(strings.ToLower(r.Content), strings.ToLower(s)) {
					t.Errorf("%s: %q is missing: %s", lang, s, r.Content)
				}
			}
			for _, s := range in.Not {
				if names(r.Content, s) {
					t.Errorf("%s: %q must not occur: %s", lang, s, r.Content)
				}
			}
		}
	}
}

func TestNobodyIsInventedToBeAbsent(t *testing.T) {
	schema := `{"type":"object","required":["characters_present","characters_absent","limits"],"properties":{"characters_present":{"type":"array","items":{"type":"string"},"minItems":1},"characters_absent":{"type":"array","items":{"type":"string"}},"limits":{"type":"array","items":{"type":"string"}}}}`
	r, err := New(Script{}, nil).Complete(t.Context(), model.Request{Agent: "storyline-integrator", Schema: json.RawMessage(schema), Inputs: json.RawMessage(`{"scene_number":4,"limits":[]}`)})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.Content, `"characters_absent":[]`) || !strings.Contains(r.Content, `"limits":[]`) || strings.Contains(r.Content, `"characters_present":[]`) {
		t.Errorf("got %s", r.Content)
	}
}
