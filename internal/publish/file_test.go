package publish_test

import (
	"strings"
	"testing"

	"sluice/internal/fault"
	"sluice/internal/golden"
	"sluice/internal/line/spec/ledger"
	"sluice/internal/publish"
	"sluice/internal/publishtest"
)

func fileDesk(t *testing.T) (*countingTree, *publish.Desk) {
	t.Helper()
	tree := newTree(t)
	return tree, publish.NewDesk(publishtest.Open(t, t.TempDir()), publish.Options{}, publish.NewFile(tree, "published"))
}

func mustRead(t *testing.T, tree *countingTree, path string) string {
	t.Helper()
	body, err := tree.Tree.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestDocument(t *testing.T) {
	tree, d := fileDesk(t)
	rec, err := d.Publish(t.Context(), "file", request)
	if err != nil || rec.ExternalID != "published/F-2026-001.md" {
		t.Fatalf("%+v, %v", rec, err)
	}
	golden.Check(t, "document.md", mustRead(t, tree, rec.ExternalID))
}

func TestWhatAPersonChangedStays(t *testing.T) {
	tree, d := fileDesk(t)
	rec, err := d.Publish(t.Context(), "file", request)
	if err != nil {
		t.Fatal(err)
	}
	edited := mustRead(t, tree, rec.ExternalID) + "\nA remark of mine.\n"
	if err := tree.Write(rec.ExternalID, []byte(edited), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Publish(t.Context(), "file", publishtest.Request("F-2026-001", "S-20260113-0002", "another goal of ours")); err != nil {
		t.Fatal(err)
	}
	entries, err := tree.List("published")
	if err != nil || len(entries) != 2 {
		t.Fatalf("%v, %v", entries, err)
	}
	kept := ""
	for _, e := range entries {
		if strings.Contains(e.Name(), ".edited-") {
			kept = mustRead(t, tree, "published/"+e.Name())
		}
	}
	if kept != edited || !strings.Contains(mustRead(t, tree, rec.ExternalID), "another goal of ours") {
		t.Errorf("kept %q", kept)
	}
}

func TestAFileOfSomebodyElseIsNotReplaced(t *testing.T) {
	tree, d := fileDesk(t)
	if err := tree.Write("published/F-2026-001.md", []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	rec, err := d.Publish(t.Context(), "file", request)
	if fault.CodeOf(err) != fault.PublishFailed || rec.Status != ledger.Failed || rec.Errors[0].ErrorCode != "occupied" {
		t.Errorf("%+v, %v", rec, err)
	}
	if mustRead(t, tree, "published/F-2026-001.md") != "mine" {
		t.Error("it was replaced")
	}
}

func TestAFeatureThatIsNoNameOfAFile(t *testing.T) {
	_, d := fileDesk(t)
	for _, id := range []string{"../../x", "F-2026-001/../x", "", "CON", "F-2026-001\x00"} {
		r := request
		r.Spec.Feature.FeatureID = id
		if _, err := d.Publish(t.Context(), "file", r); fault.CodeOf(err) != fault.BadValue {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestARequestThatIsNoLongerMeant(t *testing.T) {
	tree, d := fileDesk(t)
	r := publishtest.Request("F-2026-001", "S-20261115-0001", "a goal that is long enough")
	r.Still = func() error { return fault.New(fault.StaleVerdict, "F-2026-001", "it was decided otherwise") }
	if rec, err := d.Publish(t.Context(), publish.FileName, r); fault.CodeOf(err) != fault.StaleVerdict || rec.LedgerID != "" || tree.calls > 0 {
		t.Errorf("%d calls, %+v: %v", tree.calls, rec, err)
	}
	r.Still = func() error { return nil }
	if rec, err := d.Publish(t.Context(), publish.FileName, r); err != nil || rec.Operation != ledger.Created { // its turn was given back
		t.Errorf("%+v: %v", rec, err)
	}
}
