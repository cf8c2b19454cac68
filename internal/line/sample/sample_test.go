package sample

import (
	"strings"
	"testing"

	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/linetest"
)

func mustDrive(t *testing.T, definition string, models linetest.Models, person linetest.Person) *kernel.Run {
	t.Helper()
	l, err := New()
	if err != nil {
		t.Fatal(err)
	}
	d, err := ParseDefinition([]byte(definition))
	if err != nil {
		t.Fatal(err)
	}
	open, err := Open("r1", d)
	if err != nil {
		t.Fatal(err)
	}
	return linetest.Drive(t, l, open, linetest.World{Models: models, Person: person})
}

func polite(c line.Call) string {
	switch c.Agent {
	case "sample-judge":
		return `{"score":90,"summary":"good","findings":[]}`
	case "sample-variants":
		return `{"variants":[{"text":"plain"},{"text":"warm"}]}`
	}
	return strings.Repeat("word ", 80)
}

func agreeable(_ *kernel.Run, a *kernel.Ask) *kernel.Answer {
	return &kernel.Answer{Choice: a.Options[0].Value}
}

func TestDemoKeepsTheContract(t *testing.T) {
	chosen := ""
	r := mustDrive(t, string(Demo()), func(c line.Call) string {
		if c.Agent == "sample-write" {
			chosen = c.Prompt
		}
		return polite(c)
	}, agreeable)
	if r.Status() != kernel.RunDone {
		t.Errorf("the demo ends %s, want done", r.Status())
	}
	if !strings.Contains(chosen, "plain") || strings.Contains(chosen, "warm") {
		t.Errorf("the writer is told more than the chosen variant:\n%s", chosen)
	}
}

func TestFindingsReachTheNextAttempt(t *testing.T) {
	var prompts []string
	judged := 0
	r := mustDrive(t, string(Demo()), func(c line.Call) string {
		switch c.Agent {
		case "sample-write":
			prompts = append(prompts, c.Prompt)
		case "sample-judge":
			if judged++; judged == 1 {
				return `{"score":40,"summary":"bad","findings":[{"message":"the hours are wrong","severity":"high","fix":"say ten to four"}]}`
			}
		}
		return polite(c)
	}, agreeable)
	if r.Status() != kernel.RunDone || len(prompts) != 2 {
		t.Fatalf("the run is %s after %d drafts, want done after 2", r.Status(), len(prompts))
	}
	if !strings.Contains(prompts[1], "the hours are wrong say ten to four") {
		t.Errorf("the second draft is not told what was found:\n%s", prompts[1])
	}
}

func TestEachLineUnfoldsIntoNodes(t *testing.T) {
	r := mustDrive(t, `{"title":"parts","nodes":[
		{"id":"list","kind":"make","step":"text","performer":"engine","attempts":1,"unfolds":true,"params":{"text":"one\ntwo \"2\"\n","each":[
			{"id":"part/{n}","kind":"make","step":"text","performer":"engine","attempts":1,"title":"{item}","needs":[{"node":"list"}],"params":{"text":"about {item}","path":"parts/{n}.md"}}]}}]}`,
		polite, agreeable)
	n, ok := r.Node("part/002")
	if !ok || n.Status() != kernel.StatusDone || n.Node().Title != `two "2"` {
		t.Fatalf("the second part is %+v", n)
	}
}

func FuzzParseDefinition(f *testing.F) {
	f.Add(Demo())
	f.Add([]byte(`{"title":"x","nodes":[{"id":"a"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, err := ParseDefinition(raw)
		if err != nil {
			return
		}
		open, err := Open("r1", d)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = kernel.Apply(kernel.NewRun(), open) // refuses or opens, and never panics
	})
}
