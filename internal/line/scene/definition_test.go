package scene

import (
	"strings"
	"testing"
	"time"

	"sluice/internal/fault"
	"sluice/internal/kernel"
)

func TestBuiltinDefinitionsOpen(t *testing.T) {
	subjects := map[string]Subject{
		"generation-scene-0204-20251110-143000": {Workflow: Generation, SceneID: "0204", Chapter: 2, Scene: 4},
		"planning-scene-0204-20251110-143000":   {Workflow: Planning, Level: LevelScene, SceneID: "0204", Act: 1, Chapter: 2, Scene: 4},
		"planning-chapter-02-20251110-143000":   {Workflow: Planning, Level: LevelChapter, Act: 1, Chapter: 2},
		"planning-act-1-20251110-143000":        {Workflow: Planning, Level: LevelAct, Act: 1},
	}
	now := time.Date(2025, 11, 10, 14, 30, 0, 0, time.UTC)
	for want, s := range subjects {
		t.Run(want, func(t *testing.T) {
			if got := s.ID(now, 1); string(got) != want {
				t.Errorf("the id is %s", got)
			}
			if got := s.ID(now, 2); string(got) != want+"-2" {
				t.Errorf("the second id is %s", got)
			}
			open, err := Open(mustBuiltin(t, s.Workflow), s.ID(now, 1), s)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := kernel.Apply(kernel.NewRun(), open); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestNodesOfGeneration(t *testing.T) {
	open, err := Open(mustBuiltin(t, Generation), "x", Subject{Workflow: Generation, SceneID: "0204"})
	if err != nil {
		t.Fatal(err)
	}
	plan, draft, check, full := open.Nodes[2], open.Nodes[3], open.Nodes[4], open.Nodes[5]
	if !plan.Gate.Person || plan.Ask.Kind != kernel.AskApprove {
		t.Errorf("step 3 asks nobody: %+v", plan)
	}
	if draft.Attempts != 3 || !draft.Gate.Checks || draft.OnReject != kernel.Rework || draft.OnExhausted != kernel.FailNode {
		t.Errorf("step 4 is not tried three times: %+v", draft)
	}
	if check.Kind != kernel.Check || check.Target != draft.ID || len(check.Needs) != 3 {
		t.Errorf("step 5 does not judge step 4: %+v", check)
	}
	if full.Gate.Rule != RulePassed || len(full.Needs) != 5 {
		t.Errorf("step 6 does not stand on all before it: %+v", full)
	}
}

const small = `{"generation_steps":[
 {"step":1,"name":"Draw","agent":"drawer","description":"d","prerequisites":[],"outputs":["sketch"],"human_approval":false,"retry_enabled":true,"max_attempts":2},
 {"step":2,"name":"Look","agent":"looker","description":"d","prerequisites":[1],"outputs":[],"human_approval":false,"retry_enabled":false,"triggers_retry":true}]}`

func TestDefinitionsAreRefusedWithTheirPlace(t *testing.T) {
	if _, err := ParseDefinition(Generation, []byte(small)); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct{ old, new, at string }{
		"no JSON":                       {`{"generation_steps"`, `{generation_steps`, ""},
		"another list":                  {`"generation_steps"`, `"steps"`, "/steps"},
		"an unknown field":              {`"agent":"looker"`, `"agent":"looker","mood":1`, "/generation_steps/1/mood"},
		"a field twice":                 {`"agent":"looker"`, `"agent":"looker","agent":"x"`, "/generation_steps/1/agent"},
		"a wrong number":                {`"step":2`, `"step":3`, "/generation_steps/1/step"},
		"a number that is none":         {`"step":2`, `"step":"2"`, "/generation_steps/1/step"},
		"a later prerequisite":          {`"prerequisites":[]`, `"prerequisites":[2]`, "/generation_steps/0/prerequisites/0"},
		"a prerequisite twice":          {`"prerequisites":[1]`, `"prerequisites":[1,1]`, "/generation_steps/1/prerequisites/1"},
		"no agent":                      {`"agent":"looker"`, `"agent":""`, "/generation_steps/1/agent"},
		"no name":                       {`"name":"Look"`, `"name":" "`, "/generation_steps/1/name"},
		"an output that is no key":      {`"sketch"`, `"../x"`, "/generation_steps/0/outputs/0"},
		"nothing to send back":          {`"retry_enabled":true,"max_attempts":2`, `"retry_enabled":false`, "/generation_steps/1/triggers_retry"},
		"attempts without retry":        {`"retry_enabled":true`, `"retry_enabled":false`, "/generation_steps/0/max_attempts"},
		"a way to approve that is none": {`"human_approval":false,"retry_enabled":true`, `"human_approval":true,"approval_type":"vote","retry_enabled":true`, "/generation_steps/0/approval_type"},
		"nothing at all":                {small, `{"generation_steps":[]}`, "/generation_steps"},
		"a missing field":               {`"outputs":["sketch"],`, ``, "/generation_steps/0/outputs"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			raw := strings.Replace(small, tt.old, tt.new, 1)
			_, err := ParseDefinition(Generation, []byte(raw))
			want := "workspace/definitions/generation.json#" + tt.at
			if f := fault.From(err); f == nil || f.Code != fault.BadValue || f.Subject != want {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

func FuzzParseDefinition(f *testing.F) {
	f.Add([]byte(small))
	for _, w := range []string{Generation, Planning} {
		d, err := Builtin(w)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(d.Raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, w := range []string{Generation, Planning} {
			d, err := ParseDefinition(w, raw)
			if err != nil {
				continue
			}
			for level := range d.Levels {
				open, err := Open(d, "x", Subject{Workflow: w, Level: level})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := kernel.Apply(kernel.NewRun(), open); err != nil {
					t.Errorf("a definition that parses does not open: %v", err)
				}
			}
		}
	})
}

func FuzzParseState(f *testing.F) {
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, err := ParseState(raw)
		if err != nil {
			return
		}
		def, err := Builtin(d.WorkflowType)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = Import(def, d, noFiles) // refuses or imports, and never panics
	})
}

func TestPathsThatAgentsMayName(t *testing.T) {
	p := Params{Workflow: Generation, SceneID: "0204", Chapter: 2, Scene: 4, WorkingDir: "workspace/generation-runs/w"}
	for path, ok := range map[string]bool{
		"workspace/generation-runs/w/draft.md":                          true,
		"acts/act-1/chapters/chapter-02/scenes/scene-0204-blueprint.md": true,
		"acts/act-3/chapters/chapter-02/content/scene-0204.md":          true,
		"acts/act-1/chapters/chapter-03/content/scene-0204.md":          false,
		"workspace/generation-runs/w":                                   false,
		"workspace/generation-runs/w/":                                  false,
		"workspace/generation-runs/other/draft.md":                      false,
		"workspace/generation-runs/w/../other/draft.md":                 false,
		"../x":                             false,
		"..":                               false,
		"":                                 false,
		"/etc/passwd":                      false,
		`workspace\generation-runs\w\x`:    false,
		"C:/x":                             false,
		".sluice/sluice.db":                false,
		"workspace/generation-runs/w/\x00": false,
		strings.Repeat("a", 1<<20):         false,
	} {
		if err := CheckPath(p, path); (err == nil) != ok {
			t.Errorf("%.60q: %v", path, err)
		}
	}
}
