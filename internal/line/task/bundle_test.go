package task

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sluice/internal/kernel"
	"sluice/internal/line"
)

func bundlePlan(files ...string) Document {
	d := soundPlan()
	d.node("design").DeliverableSpec = &DeliverableSpec{Format: "md", Filename: "design.md", OutputDir: "out", SingleFile: yes(false), BundleMode: BundleManifest, Files: files}
	return d
}

func TestAModelNamesTheFilesOfAPattern(t *testing.T) {
	d := bundlePlan("README.md", "rules/*.md", "map-?.md")
	models := newScripted(nil)
	var slots []string
	r := driven(t, d, func(c line.Call) string {
		if c.Slot == slotFiles {
			if !strings.Contains(c.Prompt, "out/rules/*.md") || !strings.Contains(c.Prompt, "out/README.md") {
				t.Errorf("the prompt does not say what is wanted:\n%s", c.Prompt)
			}
			return `{"file_names":["out/rules/moves.md","out/rules/Moves.md","out/rules/end.md","../../etc/passwd","out/rules/../x.md","rules/elsewhere.md","out/rules/deep/er.md","out/README.md"]}`
		}
		if strings.Contains(string(c.Inputs), tid("design")) && c.Agent == AgentAction {
			slots = append(slots, c.Slot)
		}
		return models.answer(c)
	})
	if r.Status() != kernel.RunDone {
		t.Fatalf("run is %s", r.Status())
	}
	n, _ := r.Node(kernel.NodeID(tid("design")))
	var paths []string
	for _, p := range n.Approved().Parts {
		paths = append(paths, p.Path)
	}
	want := "[out/README.md out/rules/moves.md out/rules/end.md out/map-1.md]"
	if got := fmt.Sprint(paths); got != want || fmt.Sprint(slots) != want {
		t.Errorf("got %s, asked for %v", got, slots)
	}
}

func TestNamesOfABundle(t *testing.T) {
	many := filesReply{}
	for i := range 3 * maxFiles {
		many.FileNames = append(many.FileNames, fmt.Sprintf("out/f%d.md", i))
	}
	flood, err := json.Marshal(many)
	if err != nil {
		t.Fatal(err)
	}
	d := bundlePlan("*.md")
	node := *d.node("design")
	if got := bundleNames(node, string(flood)); len(got) != maxFiles {
		t.Errorf("%d files", len(got))
	}
	for _, reply := range []string{"", "no JSON", `{"file_names":["x.txt","out/CON.md","out/a b?.md"]}`} {
		if got := bundleNames(node, reply); !slices.Equal(got, []string{"out/design.md"}) {
			t.Errorf("%q: got %v", reply, got)
		}
	}
	sound := soundPlan()
	if patterns, fixed := patternsOf(*sound.node("design").DeliverableSpec); patterns != nil || fixed != nil {
		t.Error("a single file has patterns")
	}
}

func TestSubmittedFilesHaveTheirOwnPlaces(t *testing.T) {
	d := bundlePlan("rules/*.md", "*.txt")
	r := driven(t, d, newScripted(nil).answer)
	n, _ := r.Node(kernel.NodeID(tid("design")))
	out, err := Submission(r.ID(), n, *d.node("design"), []line.Part{{Path: "a.md", Body: []byte("a")}, {Path: "b.md", Body: []byte("b")}, {Path: "c.txt", Body: []byte("c")}})
	if err != nil || len(out.Parts) != 3 || out.Parts[1].Path != "out/rules/b.md" || out.Parts[2].Path != "out/c.txt" {
		t.Errorf("got %+v, %v", out.Parts, err)
	}
	if _, err := Submission(r.ID(), n, *d.node("design"), []line.Part{{Path: "x/a.md"}, {Path: "y/A.md"}}); err == nil {
		t.Error("two files take one place")
	}
}
