package digest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Digest names bytes: "sha256:" and 64 hexadecimal digits. The zero value names nothing.
type Digest string

const prefix = "sha256:"

// Of names the bytes.
func Of(b []byte) Digest {
	sum := sha256.Sum256(b)
	var text [len(prefix) + 2*sha256.Size]byte
	copy(text[:], prefix)
	hex.Encode(text[len(prefix):], sum[:])
	return Digest(text[:])
}

// Parse checks the form of a digest that came from outside.
func Parse(s string) (Digest, error) {
	digits, ok := strings.CutPrefix(s, prefix)
	if !ok || len(digits) != 2*sha256.Size || strings.ToLower(digits) != digits {
		return "", fmt.Errorf("digest %q is not %s and %d lower-case hexadecimal digits", s, prefix, 2*sha256.Size)
	}
	if _, err := hex.DecodeString(digits); err != nil {
		return "", fmt.Errorf("digest %q: %w", s, err)
	}
	return Digest(s), nil
}

// Hex is the digest without its prefix.
func (d Digest) Hex() string { return strings.TrimPrefix(string(d), prefix) }

// Short is enough of the digest for a person to recognise it.
func (d Digest) Short() string {
	if h := d.Hex(); len(h) > 12 {
		return h[:12]
	}
	return d.Hex()
}

// Canonical renders a value as JSON with sorted keys and no spaces; numbers keep the digits they were written with.
func Canonical(v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return CanonicalJSON(raw)
}

// CanonicalJSON brings one JSON document to canonical form.
func CanonicalJSON(raw []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("more than one JSON document")
	}
	var out bytes.Buffer
	if err := write(&out, v); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// OfValue names a value by its canonical JSON.
func OfValue(v any) (Digest, error) {
	b, err := Canonical(v)
	if err != nil {
		return "", err
	}
	return Of(b), nil
}

func write(out *bytes.Buffer, v any) error {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		out.WriteByte('{')
		for i, k := range keys {
			if i > 0 {
				out.WriteByte(',')
			}
			if err := write(out, k); err != nil {
				return err
			}
			out.WriteByte(':')
			if err := write(out, v[k]); err != nil {
				return err
			}
		}
		out.WriteByte('}')
	case []any:
		out.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				out.WriteByte(',')
			}
			if err := write(out, item); err != nil {
				return err
			}
		}
		out.WriteByte(']')
	default:
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			return err
		}
		out.Truncate(out.Len() - 1)
	}
	return nil
}
