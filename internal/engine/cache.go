package engine

import "sluice/internal/digest"

// Limits of a bodyCache.
const (
	maxCachedBody = 512 << 10
	maxCached     = 16 << 20
)

// bodyCache keeps bytes that an owner of a run has read: documents that many steps need, and entries of files that show
// them all. When it is full it begins again.
type bodyCache struct {
	bodies map[digest.Digest][]byte
	size   int
}

func (c *bodyCache) get(d digest.Digest) ([]byte, bool) {
	b, ok := c.bodies[d]
	return b, ok
}

func (c *bodyCache) put(d digest.Digest, body []byte) {
	if len(body) > maxCachedBody {
		return
	}
	if c.bodies == nil || c.size+len(body) > maxCached {
		c.bodies, c.size = map[digest.Digest][]byte{}, 0
	}
	if _, there := c.bodies[d]; !there {
		c.size += len(body)
	}
	c.bodies[d] = body
}
