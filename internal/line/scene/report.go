package scene

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
)

// Report is what an outside agent says about a step that it finished.
type Report struct {
	Params     Params
	Artifacts  []Artifact
	Pass       bool
	Violations []string
	Choosing   bool     // a person will choose among variants
	Variants   []string // the labels, if the agent named them
}

// Made is a report as content: the files it names, each read once.
type Made struct {
	Content  kernel.Content
	Product  Product
	Blobs    []journal.Blob
	Warnings []string
}

// Bounds of what a report may hold.
const (
	maxTexts = 200
	maxText  = 4096
	maxLabel = 64
)

// Check refuses what could not be recorded.
func (r Report) Check() error {
	bad := func(field, format string, args ...any) error {
		return fault.New(fault.BadValue, field, format, args...).With(fault.Action{Action: "update", Why: "report it again without that"})
	}
	for _, a := range r.Artifacts {
		if !artifactKey.MatchString(a.Key) {
			return bad("artifacts", "artifact key %.80q is not 1 to 64 of a-z, 0-9 and _", a.Key)
		}
		if err := CheckPath(r.Params, a.Path); err != nil {
			return err
		}
	}
	if len(r.Artifacts) > maxTexts || len(r.Violations) > maxTexts || len(r.Variants) > maxTexts {
		return bad("artifacts", "a report names more than %d artifacts, violations or variants", maxTexts)
	}
	for _, v := range r.Violations {
		if v == "" || len(v) > maxText {
			return bad("violations", "a violation is empty or longer than %d bytes", maxText)
		}
	}
	for i, v := range r.Variants {
		if !isTitle(v) || len(v) > maxLabel || slices.Contains(r.Variants[:i], v) || v == AnswerRevise || v == AnswerReject {
			return bad("variants", "variant %.80q is no label of 1 to %d printable bytes, or is there twice", v, maxLabel)
		}
	}
	return nil
}

// Make reads the files that a report names and makes content of them.
func (r Report) Make(read Read) (Made, error) {
	if err := r.Check(); err != nil {
		return Made{}, err
	}
	var m Made
	variants := slices.Clone(r.Variants)
	var parts []journal.Blob
	for _, a := range r.Artifacts {
		a.SHA256 = ""
		body, there := read(a.Path)
		if there {
			d := digest.Of(body)
			a.SHA256 = d.Hex()
			if !slices.ContainsFunc(m.Content.Parts, func(p kernel.Part) bool { return p.Path == a.Path }) {
				m.Content.Parts = append(m.Content.Parts, kernel.Part{Path: a.Path, Digest: d, Size: int64(len(body))})
				parts = append(parts, journal.Blob{Digest: d, Body: body})
			}
			if r.Choosing && len(r.Variants) == 0 {
				variants = append(variants, labels(body)...)
			}
		} else {
			m.Warnings = append(m.Warnings, fmt.Sprintf("%s: there is no file %s; it is kept as an unverified reference", a.Key, a.Path))
		}
		m.Product.Artifacts = append(m.Product.Artifacts, a)
	}
	for _, key := range r.Params.Outputs {
		if !slices.ContainsFunc(r.Artifacts, func(a Artifact) bool { return a.Key == key }) {
			m.Warnings = append(m.Warnings, fmt.Sprintf("declared output %s is not among the artifacts", key))
		}
	}
	if len(r.Variants) == 0 {
		slices.Sort(variants)
		variants = slices.Compact(variants)
	}
	m.Content.Variants = variants
	var err error
	if m.Product.Result, err = r.result(); err != nil {
		return Made{}, err
	}
	body, err := m.Product.Encode()
	if err != nil {
		return Made{}, err
	}
	m.Content.Digest, m.Content.Size, m.Content.Schema = digest.Of(body), int64(len(body)), productSchema
	m.Blobs = append([]journal.Blob{{Digest: m.Content.Digest, Body: body}}, parts...)
	return m, nil
}

// result is what the rule reads.
func (r Report) result() (json.RawMessage, error) {
	said := struct {
		Pass     bool             `json:"pass"`
		Findings []kernel.Finding `json:"findings"`
	}{r.Pass, Findings(r.Violations)}
	return json.Marshal(said)
}

// Findings words violations as findings.
func Findings(violations []string) []kernel.Finding {
	out := make([]kernel.Finding, 0, len(violations))
	for _, v := range violations {
		out = append(out, kernel.Finding{Code: "violation", Severity: "high", Message: v})
	}
	return out
}

// variantHeading finds the variants that a text offers under headings of their own.
var variantHeading = regexp.MustCompile(`(?mi)^#{1,6}\s*(?:variant|scenario|option|вариант|сценарий|方案)[\s:：]*([A-Z0-9])(?:[^A-Za-z0-9]|$)`)

// labels gives the variants that a text offers.
func labels(body []byte) []string {
	var out []string
	for _, found := range variantHeading.FindAllSubmatch(body, -1) {
		out = append(out, strings.ToUpper(string(found[1])))
	}
	return out
}
