package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
)

// The part of CycloneDX 1.6 that is used, in the order of its schema.
type bom struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Serial     string      `json:"serialNumber"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Timestamp string     `json:"timestamp"`
	Component component  `json:"component"`
	Props     []property `json:"properties,omitempty"`
}

type component struct {
	Type     string          `json:"type"`
	Ref      string          `json:"bom-ref"`
	Name     string          `json:"name"`
	Version  string          `json:"version"`
	Hashes   []hash          `json:"hashes,omitempty"`
	Licences []licenceChoice `json:"licenses,omitempty"`
	PURL     string          `json:"purl"`
	Props    []property      `json:"properties,omitempty"`
}

type hash struct {
	Alg     string `json:"alg"`
	Content string `json:"content"`
}

type licenceChoice struct {
	Licence licence `json:"license"`
}

type licence struct {
	ID string `json:"id"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// sbom lists what a binary was built from, read out of the binary itself.
func (r *release) sbom(ctx context.Context, file string) ([]byte, error) {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return nil, err
	}
	body, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	known, err := r.licences(ctx)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body)
	doc := bom{Format: "CycloneDX", Spec: "1.6", Serial: serial(sum), Version: 1,
		Metadata: metadata{Timestamp: r.date, Component: r.program(info, sum, known)}}
	for _, s := range info.Settings {
		switch s.Key {
		case "GOOS", "GOARCH", "CGO_ENABLED", "-trimpath":
			doc.Metadata.Props = append(doc.Metadata.Props, property{"go:build:" + strings.TrimPrefix(s.Key, "-"), s.Value})
		}
	}
	goVersion := strings.TrimPrefix(info.GoVersion, "go")
	std := component{Type: "library", Ref: "pkg:golang/std@" + goVersion, Name: "std", Version: goVersion, PURL: "pkg:golang/std@" + goVersion,
		Licences: choose("BSD-3-Clause")}
	doc.Components = []component{std}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		hashes, err := sumHash(m.Sum)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Path, err)
		}
		c := component{Type: "library", Name: m.Path, Version: m.Version, PURL: purl(m.Path, m.Version), Hashes: hashes,
			Licences: choose(known[m.Path+"@"+m.Version]), Props: []property{{"go:sum", m.Sum}}}
		c.Ref = c.PURL
		doc.Components = append(doc.Components, c)
	}
	slices.SortFunc(doc.Components, func(a, b component) int { return strings.Compare(a.PURL, b.PURL) })
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err = enc.Encode(doc)
	return b.Bytes(), err
}

// program is the component that the list is about.
func (r *release) program(info *buildinfo.BuildInfo, sum [32]byte, known map[string]string) component {
	version := strings.TrimPrefix(r.version, "v")
	c := component{Type: "application", Name: info.Main.Path, Version: version, PURL: purl(info.Main.Path, version),
		Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}}, Licences: choose(known[info.Main.Path+"@"]),
		Props: []property{{"vcs:commit", r.commit}}}
	c.Ref = c.PURL
	return c
}

func choose(id string) []licenceChoice {
	if id == "" {
		return nil
	}
	return []licenceChoice{{licence{id}}}
}

// serial is a UUID (version 8) made of the binary's digest, so that the same binary has the same list.
func serial(sum [32]byte) string {
	u := sum[:16]
	u[6], u[8] = u[6]&0x0f|0x80, u[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

// purl names a Go module as the package URL specification does: the path in small letters, each segment escaped.
func purl(path, version string) string {
	segments := strings.Split(strings.ToLower(path), "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	return "pkg:golang/" + strings.Join(segments, "/") + "@" + strings.ReplaceAll(url.PathEscape(version), "+", "%2B")
}

// sumHash gives the digest inside of a sum of go.sum: the SHA-256 of the list of the module's files with their digests.
func sumHash(sum string) ([]hash, error) {
	text, ok := strings.CutPrefix(sum, "h1:")
	raw, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(raw) != sha256.Size {
		return nil, fmt.Errorf("%q is no sum of a module", sum)
	}
	return []hash{{"SHA-256", hex.EncodeToString(raw)}}, nil
}
