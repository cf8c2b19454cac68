package scene

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"sluice/internal/kernel"
	"sluice/internal/line"
)

func mustOpen(t *testing.T, s Subject) *kernel.Run {
	t.Helper()
	d, err := Builtin(s.Workflow)
	if err != nil {
		t.Fatal(err)
	}
	open, err := Open(d, "run-1", s)
	if err != nil {
		t.Fatal(err)
	}
	open.Stamp = kernel.Stamp{By: kernel.Actor{Kind: kernel.Person, Name: "test"}, At: time.Unix(1, 0)}
	r := kernel.NewRun()
	if _, err := kernel.Apply(r, open); err != nil {
		t.Fatal(err)
	}
	return r
}

// reported is content that a client named.
func reported(t *testing.T, node kernel.NodeID, key, path, body string) line.Doc {
	t.Helper()
	raw, err := json.Marshal(Product{Artifacts: []Artifact{{Key: key, Path: path}}})
	if err != nil {
		t.Fatal(err)
	}
	return line.Doc{Version: kernel.Version{Node: node, By: kernel.Actor{Kind: kernel.Client, Name: "agent"}}, Body: raw,
		Parts: []line.Part{{Path: path, Body: []byte(body)}}}
}

// check performs step 5 on a draft of a client, with a blueprint to read.
func check(t *testing.T, draft, blueprint string, inputs ...line.Doc) *line.Out {
	t.Helper()
	r := mustOpen(t, scene0204)
	n, _ := r.Node("step/5")
	subject := reported(t, "step/4", "draft", "workspace/generation-runs/run-1/mine.md", draft)
	in := line.In{Run: r, Node: n.Node(), Subject: &subject, Inputs: inputs}
	for range 3 {
		m, err := fastCompliance(in)
		if err != nil {
			t.Fatal(err)
		}
		if m.Done != nil {
			return m.Done
		}
		for _, pattern := range m.Reads {
			f := line.Found{Pattern: pattern}
			if blueprint != "" {
				f.Path, f.Body = blueprintPlace, []byte(blueprint)
			}
			in.Files = append(in.Files, f)
		}
	}
	t.Fatal("step 5 reads for ever")
	return nil
}

func TestAClientsOwnConstraintsAreNotTrusted(t *testing.T) {
	lenient, err := json.Marshal(Constraints{Revision: constraintsRevision, Location: Location{Name: "anywhere"}})
	if err != nil {
		t.Fatal(err)
	}
	list := reported(t, "step/2", "constraints_list", "workspace/generation-runs/run-1/constraints-list.json", string(lenient))
	place := reported(t, "step/1", "blueprint_path", blueprintPlace, "")
	const bad = "Boris walked anywhere."
	for name, out := range map[string]*line.Out{
		"with a list of its own": check(t, bad, blueprintEnglish, place, list),
		"with nothing":           check(t, bad, blueprintEnglish),
	} {
		if out.Verdict != kernel.AgainstIt || !strings.Contains(out.Review.Findings[0].Message+out.Review.Findings[1].Message, "Boris must be absent") {
			t.Errorf("%s: %s %+v", name, out.Verdict, out.Review.Findings)
		}
	}
	good := "In the harbour office Anna and Ivan heard the tide clock."
	if out := check(t, good, blueprintEnglish, place, list); out.Verdict != kernel.ForIt {
		t.Errorf("a good draft: %+v", out.Review.Findings)
	}
}

func TestADraftThatWasNeverSeenDoesNotPass(t *testing.T) {
	r := mustOpen(t, scene0204)
	n, _ := r.Node("step/5")
	subject := reported(t, "step/4", "draft", "workspace/generation-runs/run-1/mine.md", "")
	subject.Parts = nil
	in := line.In{Run: r, Node: n.Node(), Subject: &subject, Files: []line.Found{{Pattern: blueprintPatterns("0204")[0], Path: blueprintPlace, Body: []byte(blueprintEnglish)}}}
	m, err := fastCompliance(in)
	if err != nil || m.Done == nil || m.Done.Verdict != kernel.AgainstIt {
		t.Errorf("got %+v, %v", m, err)
	}
}

func TestInASessionFilesOfTheStoryKeepTheirNames(t *testing.T) {
	w := newWorld(t)
	s := scene0204
	s.Session = "s1"
	if r := w.run(Generation, s, approves, map[string]string{blueprintPlace: blueprintEnglish}); r.Status() != kernel.RunDone {
		t.Fatalf("the run is %s", r.Status())
	}
	if w.parts["acts/act-1/chapters/chapter-02/content/scene-0204.md"] == "" || w.parts["workspace/sessions/s1/generation-runs/run-1/final-report.md"] == "" {
		t.Errorf("the files are %v", w.parts)
	}
}

func TestNeighboursOfASceneAreRead(t *testing.T) {
	w := newWorld(t)
	w.run(Generation, scene0204, approves, map[string]string{
		blueprintPlace:                                         blueprintEnglish,
		"acts/act-1/chapters/chapter-02/plan.md":               "the plan of the chapter",
		"acts/act-1/chapters/chapter-02/content/scene-0203.md": "what came before",
		"acts/act-2/strategic-plan.md":                         "another act",
	})
	for _, agent := range []string{"prose-writer", "chronicle-keeper"} {
		if p := w.called(agent)[0].Prompt; !strings.Contains(p, "the plan of the chapter") || !strings.Contains(p, "what came before") || strings.Contains(p, "another act") {
			t.Errorf("%s:\n%s", agent, p)
		}
	}
}

func TestReadingNamesIsLiteral(t *testing.T) {
	if got := literal(`a*b[c]?\`); got != `a\*b\[c]\?\\` {
		t.Errorf("got %s", got)
	}
}
