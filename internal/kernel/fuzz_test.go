package kernel

import (
	"bytes"
	"testing"

	"sluice/internal/fault"
)

// FuzzDecode reads what a store might give. Whatever decodes must fold, list its duties and be verified without panic,
// and come back the same when it is written again.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`[]`))
	f.Add([]byte(`[{"type":"run_opened","at":"2026-01-02T03:04:05Z","by":{"kind":"person"},"fact":{"run":"r","line":"x"}}]`))
	f.Add([]byte(`[{"type":"nodes_added","fact":{"nodes":[{"id":"a","kind":"group","parent":"a","needs":[{"node":"a"}]}]}},` +
		`{"type":"node_abandoned","fact":{"node":"a"}},{"type":"node_reopened","fact":{"node":"a"}}]`))
	f.Add([]byte(`[{"type":"nodes_added","fact":{"nodes":[{"id":"c","kind":"check","target":"c"}]}},{"type":"node_reopened","fact":{"node":"c"}}]`))
	for _, path := range mustGlob(f, "testdata/journals/*.jsonl") {
		for line := range bytes.Lines(mustRead(f, path)) {
			f.Add(line)
		}
		whole := bytes.ReplaceAll(bytes.TrimSpace(mustRead(f, path)), []byte("]\n["), []byte(","))
		f.Add(whole)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		events, err := Decode(raw)
		if err != nil {
			if code := fault.CodeOf(err); code != fault.StoreCorrupt && code != fault.StoreNewer {
				t.Fatalf("refused with %s: %v", code, err)
			}
			return
		}
		r := NewRun()
		Fold(r, events)
		VerifyJournal(events)
		r.Status()
		for range Pending(r) {
		}
		again, err := Encode(events)
		if err != nil {
			return // a raw message that is no JSON, or a year that JSON cannot hold
		}
		if _, err := Decode(again); err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
	})
}

// FuzzFromImage loads damaged images: they are refused, or give a run whose indexes hold.
func FuzzFromImage(f *testing.F) {
	h := NewRun()
	for line := range bytes.Lines(mustRead(f, "testdata/journals/hands.jsonl")) {
		events, err := Decode(line)
		if err != nil {
			f.Fatal(err)
		}
		Fold(h, events)
	}
	f.Add(mustImage(f, h))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := FromImage(raw)
		if err != nil {
			return
		}
		r.Status()
		for range Pending(r) {
		}
	})
}
