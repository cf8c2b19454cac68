package kernel

import (
	"bytes"
	"math/rand/v2"
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

// TestDamagedImages loads images with changed bytes: they are refused, or give a run that can be read.
func TestDamagedImages(t *testing.T) {
	h := NewRun()
	for line := range bytes.Lines(mustRead(t, "testdata/journals/hands.jsonl")) {
		events, err := Decode(line)
		if err != nil {
			t.Fatal(err)
		}
		Fold(h, events)
	}
	image := mustImage(t, h)
	chance := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for range 2000 {
		broken := bytes.Clone(image)
		for range 1 + chance.IntN(3) {
			broken[chance.IntN(len(broken))] = byte(chance.IntN(256))
		}
		r, err := FromImage(broken[:len(broken)-chance.IntN(2)])
		if err != nil {
			refused++
			continue
		}
		r.Status()
		for range Pending(r) {
		}
	}
	if refused == 0 {
		t.Error("no damaged image was refused")
	}
	if _, err := FromImage([]byte("not an image")); fault.CodeOf(err) != fault.StoreCorrupt {
		t.Errorf("text for an image gives %v", err)
	}
}
