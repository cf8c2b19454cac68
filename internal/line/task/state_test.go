package task

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sluice/internal/golden"
)

func TestDoctorOfWhatBecameOfAPlan(t *testing.T) {
	sound := func() []TaskDoc {
		score := 95.0
		review := ReviewRow{ReviewID: "r1", CheckTaskID: "c", ReviewedArtifactID: "v1", Verdict: VerdictApproved, TotalScore: &score, Reviewer: "xiaojing", IdempotencyKey: "c:v1:xiaojing", Path: "reviews/r1", sum: "bb"}
		return []TaskDoc{
			{NodeStatus: NodeStatus{TaskID: "a", NodeType: Action, Title: "build", Status: Done, ApprovedArtifactID: "v1"}, CheckID: "c",
				Artifacts: []ArtifactRow{{ArtifactID: "v1", Files: []FileRow{{"a/v1/x.md", "aa"}}}}, Reviews: []ReviewRow{review}},
			{NodeStatus: NodeStatus{TaskID: "c", NodeType: Check, Title: "review", Status: Done}, Reviews: []ReviewRow{review}}}
	}
	disk := map[string]string{"a/v1/x.md": "aa", "reviews/r1": "bb"}
	ills := []struct {
		code string
		make func(d []TaskDoc, disk map[string]string)
	}{
		{"", func([]TaskDoc, map[string]string) {}},
		{BadStatus, func(d []TaskDoc, _ map[string]string) { d[1].Status = ToBeModify }},
		{DoneWithoutApproved, func(d []TaskDoc, _ map[string]string) { d[0].ApprovedArtifactID = "" }},
		{ApprovedWithoutReview, func(d []TaskDoc, _ map[string]string) { d[0].ApprovedArtifactID = "v2" }},
		{CheckWithoutReview, func(d []TaskDoc, _ map[string]string) { d[1].Reviews = nil }},
		{DuplicateReview, func(d []TaskDoc, _ map[string]string) { d[0].Reviews = append(d[0].Reviews, d[0].Reviews[0]) }},
		{FileMissing, func(_ []TaskDoc, disk map[string]string) { delete(disk, "a/v1/x.md") }},
		{FileChanged, func(_ []TaskDoc, disk map[string]string) { disk["a/v1/x.md"] = "cc" }},
		{ReviewFileMissing, func(_ []TaskDoc, disk map[string]string) { delete(disk, "reviews/r1") }},
		{FileChanged, func(_ []TaskDoc, disk map[string]string) { disk["reviews/r1"] = "dd" }},
	}
	var b strings.Builder
	for _, ill := range ills {
		d, files := sound(), map[string]string{}
		for k, v := range disk {
			files[k] = v
		}
		ill.make(d, files)
		sum := func(p string) (string, bool) { s, ok := files[p]; return s, ok }
		found := append(DoctorState(d, sum), DoctorReviews(d, sum)...)
		if ill.code != "" && !slices.ContainsFunc(found, func(f Finding) bool { return f.Code == ill.code }) || ill.code == "" && len(found) > 0 {
			t.Errorf("%q: found %+v", ill.code, found)
		}
		for _, f := range found {
			fmt.Fprintf(&b, "%s %s\n  node %q path %q\n  %s\n  hint: %s\n", f.Severity, f.Code, f.Node, f.Path, f.Message, f.Hint)
		}
	}
	golden.Check(t, "state.golden", b.String())
}

// Whoever imports a plan may leave open what it must fulfil as a whole; whoever makes one may not.
func TestADraftSaysWhatThePlanMustFulfil(t *testing.T) {
	d := soundPlan()
	d.node("root").RootAcceptanceCriteria = nil
	body, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := round(1, stepPlanGen, DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	if res, err := rule(nodes[0], body); err != nil || res.Pass || len(res.Findings) != 1 || res.Findings[0].Code != RootCriteriaMissing {
		t.Errorf("got %+v, %v", res, err)
	}
	if HasErrors(Doctor(d, DefaultSettings())) {
		t.Error("an imported plan is stopped by it")
	}
}
