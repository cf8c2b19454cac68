package publish

import (
	"strings"
	"testing"

	"sluice/internal/line/spec"
	"sluice/internal/line/spec/ledger"
)

func TestNothingInvisibleIsPublished(t *testing.T) {
	s := spec.CanonicalSpec{Feature: spec.Feature{FeatureID: "F-2026-001", Title: "Se\x1b[31march\u202e\x00"},
		Spec: spec.Requirement{Goal: "find\x07 a book\u2066\r\nby \u200fany word 👩\u200d🚀 می\u200cخواهم", NonGoals: []string{"no\x1b]0;title\x07thing\u009b"}},
		Meta: spec.Meta{SpecVersion: "S-20261115-0001"}}
	r := ledger.Request{Spec: s, Origin: "here"}
	all := document(r)
	for _, text := range sources(r) {
		all += text
	}
	if i := strings.IndexAny(all, "\x1b\x00\x07\u009b\r\u202e\u2066\u200f"); i >= 0 || strings.ContainsRune(all, '\ufffd') {
		t.Errorf("published %q", all[max(0, i-10):])
	}
	for _, want := range []string{"# Se[31march\n", "find a book\nby any word 👩\u200d🚀 می\u200cخواهم\n"} {
		if !strings.Contains(document(r), want) {
			t.Errorf("%q is missing in %q", want, document(r))
		}
	}
}
