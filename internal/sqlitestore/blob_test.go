package sqlitestore

import (
	"bytes"
	"os"
	"testing"
)

func overwriteNew(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFrameForms(t *testing.T) {
	var p packer
	for name, c := range map[string]struct {
		body []byte
		want byte
	}{
		"empty":          {nil, formRaw},
		"small":          {bytes.Repeat([]byte("a"), compressFrom-1), formRaw},
		"compressible":   {bytes.Repeat([]byte("a"), compressFrom), formFlate},
		"incompressible": {incompressible(compressFrom), formRaw},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 { // the second time with a compressor that was used before
				packed := p.add(nil, c.body)
				if packed[0] != c.want {
					t.Errorf("got form %q, want %q", packed[0], c.want)
				}
				got, err := unpack(packed)
				if err != nil || !bytes.Equal(got, c.body) {
					t.Errorf("got %d bytes and error %v, want %d bytes", len(got), err, len(c.body))
				}
			}
		})
	}
}

func incompressible(n int) []byte {
	var b []byte
	x := uint64(88172645463325252)
	for len(b) < n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b = append(b, byte(x>>24))
	}
	return b
}

// FuzzFrames reads any bytes as frames: no panic, no more than there is, and what reads back packs back.
func FuzzFrames(f *testing.F) {
	var p packer
	f.Add([]byte{})
	f.Add(p.add(p.add(nil, []byte("one")), bytes.Repeat([]byte("two"), 3000)))
	f.Add(addFrame(nil, formFile, 2<<20, nil))
	f.Add([]byte{formRaw, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Add([]byte{formFlate, 9, 1, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		for len(b) > 0 {
			frame, rest, err := nextFrame(b)
			if err != nil {
				return
			}
			if len(rest) >= len(b) {
				t.Fatal("reading a frame did not move on")
			}
			b = rest
			body, err := frame.body()
			if err != nil {
				continue
			}
			if uint64(len(body)) != frame.size {
				t.Fatalf("got %d bytes, want %d", len(body), frame.size)
			}
			again, err := unpack(p.add(nil, body))
			if err != nil || !bytes.Equal(again, body) {
				t.Fatalf("packed again: %v", err)
			}
		}
	})
}
