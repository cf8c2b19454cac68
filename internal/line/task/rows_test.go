package task

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/digest"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// wholeRows gives every row of a run whose document has these bytes, asked twice.
func wholeRows(t *testing.T, r *kernel.Run, body []byte) map[string]string {
	t.Helper()
	ask := func() []journal.Row {
		all, err := rows(line.Changed{Run: r, Whole: true, Body: func(*kernel.Version) ([]byte, error) { return body, nil }})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	all := ask()
	if diff := cmp.Diff(all, ask()); diff != "" {
		t.Errorf("other rows when asked again:\n%s", diff)
	}
	m := map[string]string{}
	for _, row := range all {
		if !json.Valid(row.Body) || row.Key == "" {
			t.Errorf("row %s %q has body %q", row.Table, row.Key, row.Body)
		}
		m[row.Table+" "+row.Key] = string(row.Body)
	}
	return m
}

func tablesOf(rows map[string]string) string {
	n := map[string]int{}
	for place := range rows {
		table, _, _ := strings.Cut(place, " ")
		n[table]++
	}
	return fmt.Sprint(n)
}

func TestRowsOfAPlan(t *testing.T) {
	d := soundPlan()
	body, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	r := driven(t, d, newScripted(map[string][]int{"design": {60}}).answer)
	got := wholeRows(t, r, body)
	want := "map[artifact:6 plan:1 plan_state:1 review:3 task_edge:4 task_node:5 task_state:5]"
	if tablesOf(got) != want {
		t.Errorf("got %s, want %s", tablesOf(got), want)
	}
	if s := got["plan_state "+string(r.ID())]; s != `{"status":"DONE"}` {
		t.Errorf("the plan is %s", s)
	}
	design, _ := r.Node(kernel.NodeID(tid("design")))
	state := got["task_state "+tid("design")]
	if want := fmt.Sprintf(`{"status":"DONE","attempt_count":2,"active_artifact_id":%q,"approved_artifact_id":%[1]q}`, design.Newest().ID); state != want {
		t.Errorf("design is %s, want %s", state, want)
	}
	if a := got["artifact "+string(design.Newest().ID)]; !strings.Contains(a, `"version":2`) || !strings.Contains(a, design.Newest().Parts[0].Digest.Hex()) || strings.Contains(a, "sha256:") {
		t.Errorf("the newest artifact is %s", a)
	}
}

// A person's review has a file of its own, which is what its CHECK has active.
func TestRowsOfAPersonsReview(t *testing.T) {
	d := soundPlan()
	body, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	r := driven(t, d, newScripted(nil).answer)
	at := kernel.Stamp{By: kernel.Actor{Kind: kernel.Person, Name: "ann"}, At: r.Updated().Add(time.Hour)}
	build, _ := r.Node(kernel.NodeID(tid("build")))
	content := kernel.Content{ID: "mine", Digest: digest.Of([]byte("x")), Size: 1, Schema: ProductSchema,
		Parts: []kernel.Part{{Path: "build.md", Digest: digest.Of([]byte("x")), Size: 1}}}
	if _, err := kernel.Apply(r, kernel.Submit{Stamp: at, Node: build.ID(), Content: content}); err != nil {
		t.Fatal(err)
	}
	j, err := Judge(r, *d.node("build"), Written{Reason: "no"})
	if err != nil {
		t.Fatal(err)
	}
	j.Stamp = at
	if _, err := kernel.Apply(r, j); err != nil {
		t.Fatal(err)
	}
	got := wholeRows(t, r, body)
	id := string(j.Review.ID)
	if state := got["task_state "+tid("check build")]; !strings.Contains(state, fmt.Sprintf(`"active_artifact_id":%q`, id)) {
		t.Errorf("the check is %s, without %s", state, id)
	}
	shown := personReviews(r, build)
	var file fileRow
	mustParse([]byte(got["artifact "+id]), &file)
	if len(shown) != 1 || file.Version != 2 || file.TaskID != tid("check build") || file.Path != shown[0].Path || file.SHA256 != digest.Of(shown[0].Body).Hex() {
		t.Errorf("the review's file is %+v", file)
	}
}

func TestRowsOfDocumentsThatAreNoPlan(t *testing.T) {
	d := soundPlan()
	r := driven(t, d, newScripted(nil).answer)
	if got := wholeRows(t, r, []byte("{no plan")); got["plan "+string(r.ID())] == "" || strings.Contains(tablesOf(got), "task_node") {
		t.Errorf("bytes that do not parse give %s", tablesOf(got))
	}
	d.Nodes = append(d.Nodes, d.Nodes...)
	d.Nodes[0].Title = "first \x00 \xff '; DROP TABLE run"
	d.Nodes = slices.Insert(d.Nodes, 0, Node{})
	twice, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	got := wholeRows(t, r, twice)
	if !strings.Contains(tablesOf(got), "task_node:5") || !strings.Contains(got["task_node "+tid("root")], "DROP TABLE") {
		t.Errorf("tasks that are named twice give %s", tablesOf(got))
	}
}
