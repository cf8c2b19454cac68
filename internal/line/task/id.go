package task

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"sluice/internal/kernel"
)

// deriveID makes a UUID from names alone: the same names give the same id, for ever and everywhere. It has the form of a
// version 5 UUID, over SHA-256 instead of SHA-1.
func deriveID(names ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(names, "\x00")))
	b := sum[:16]
	b[6] = b[6]&0x0f | 0x50
	b[8] = b[8]&0x3f | 0x80
	h := hex.EncodeToString(b)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// reviewUUID names a review in files and tables. One that was given through the inbox has a name of the kernel, which is no
// UUID.
func reviewUUID(id kernel.ReviewID) string {
	if isUUID(string(id)) {
		return string(id)
	}
	return deriveID("review", string(id))
}

// ReviewName is the id under which files, tables and bundles have a review.
func ReviewName(id string) string { return reviewUUID(kernel.ReviewID(id)) }

// isUUID accepts the canonical form in lower case.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		switch {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case c < '0' || c > 'f' || c > '9' && c < 'a':
			return false
		}
	}
	return true
}

// short is the part of an id that people read.
func short(id string) string { return id[:min(8, len(id))] }
