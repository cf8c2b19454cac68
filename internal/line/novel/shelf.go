package novel

import (
	"sync"

	"sluice/internal/digest"
	"sluice/internal/line"
)

// shelf keeps documents that were read lately, since every step of a chapter needs nearly the same ones. They are known by
// their digests, so that none can be out of date. Nobody changes what it gives.
type shelf struct {
	mu       sync.Mutex
	now, old map[digest.Digest]any // by content; what is asked for again outlives the change of generations
}

// maxShelved is how many documents a generation has: more than the steps of a chapter read.
const maxShelved = 128

// open gives a document that the journal holds. What it does not say is as in base, which is the same for all of its kind.
func open[T any](s *shelf, d line.Doc, base T) (T, error) {
	if v, ok := s.get(d.Version.Digest).(T); ok {
		return v, nil
	}
	if err := stored(d, &base); err != nil {
		return base, err
	}
	s.put(d.Version.Digest, base)
	return base, nil
}

func (s *shelf) get(d digest.Digest) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.now[d]; ok {
		return v
	}
	v, ok := s.old[d]
	if ok {
		s.keep(d, v)
	}
	return v
}

func (s *shelf) put(d digest.Digest, v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(d, v)
}

func (s *shelf) keep(d digest.Digest, v any) {
	if s.now == nil || len(s.now) >= maxShelved {
		s.now, s.old = make(map[digest.Digest]any, maxShelved), s.now
	}
	s.now[d] = v
}
