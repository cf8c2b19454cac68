package task

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"sluice/internal/digest"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// ProductSchema names the form of what an ACTION hands over: the list of its files, which are its parts.
const ProductSchema = "task/deliverable"

// Product lists the files of a deliverable.
type Product struct {
	Files []ProductFile `json:"files"`
}

// ProductFile is one of them, relative to the version's directory.
type ProductFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Size   int    `json:"size"`
}

// ProductOf makes a deliverable of files.
func ProductOf(id kernel.VersionID, parts []line.Part) (line.Out, error) {
	var p Product
	for _, part := range parts {
		p.Files = append(p.Files, ProductFile{Path: part.Path, SHA256: digest.Of(part.Body).Hex(), Size: len(part.Body)})
	}
	body, err := json.MarshalIndent(p, "", "  ")
	return line.Out{ID: id, Body: append(body, '\n'), Parts: parts, Schema: ProductSchema}, err
}

// ArtifactID names the version that an attempt makes.
func ArtifactID(run kernel.RunID, attempt kernel.AttemptID) kernel.VersionID {
	return kernel.VersionID(deriveID("artifact", string(run), string(attempt)))
}

// reviewID names the review that an attempt at a CHECK makes.
func reviewID(run kernel.RunID, attempt kernel.AttemptID) string {
	return deriveID("review", string(run), string(attempt))
}

// ArtifactDir is where the files of a version are shown.
func ArtifactDir(task string, artifact kernel.VersionID) string {
	return path.Join("workspace/artifacts", task, string(artifact))
}

// ReviewPath is where a review is shown.
func ReviewPath(check, review string, verdict kernel.Verdict) string {
	file := RejectedFilename
	if verdict == kernel.ForIt {
		file = ApprovedFilename
	}
	return path.Join("workspace/reviews", check, review, file)
}

// fileNames gives the files that a task hands over, by plain names: a pattern becomes the plainest name that fits it.
func fileNames(n Node) []string {
	s := *n.DeliverableSpec
	wanted := []string{s.Filename}
	if !s.IsSingle() {
		wanted = s.Files
	}
	var out []string
	seen := map[string]bool{}
	for _, w := range wanted {
		name := path.Join(s.OutputDir, strings.NewReplacer("*", Slug(n.Title), "?", "1").Replace(w))
		if !matchesPath(path.Join(s.OutputDir, w), name) || pathFlaw(name, false) != "" {
			name = path.Join(s.OutputDir, Slug(n.Title)+"."+Slug(s.Format))
		}
		if !seen[strings.ToLower(name)] {
			seen[strings.ToLower(name)] = true
			out = append(out, name)
		}
	}
	return out
}

// misfits says how a set of files differs from what a task should hand over.
func misfits(n Node, parts []line.Part) []string {
	var found []string
	s := *n.DeliverableSpec
	wanted := []string{s.Filename}
	if !s.IsSingle() {
		wanted = s.Files
	} else if len(parts) != 1 {
		found = append(found, "the deliverable is one file, and there are "+days(float64(len(parts))))
	}
	for _, w := range wanted {
		pattern := path.Join(s.OutputDir, w)
		if !slices.ContainsFunc(parts, func(p line.Part) bool { return matchesPath(pattern, p.Path) }) {
			found = append(found, "no file fits "+pattern)
		}
	}
	return found
}
