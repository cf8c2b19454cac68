package task

import (
	"path"
	"slices"
	"strings"

	"sluice/internal/kernel"
)

// Delivered is a task whose deliverable goes out, and the directory it goes to.
type Delivered struct {
	Task Node
	Dir  string
}

// BundleDir is where the deliverables of a plan are exported to.
func BundleDir(plan string) string { return path.Join("workspace/deliverables", plan, "bundle") }

// Deliverables gives the tasks whose deliverables make up the final one: those that the root includes, or all leaves;
// with ASSEMBLE the assembled one first, and alone if only the final one is wanted.
func (v View) Deliverables(finalOnly bool) []Delivered {
	c := NewChart(&v.Doc)
	ids := c.Leaves()
	if root, ok := c.Node(v.Doc.Plan.RootTaskID); ok && root.FinalDeliverableSpec != nil {
		f := *root.FinalDeliverableSpec
		switch {
		case f.Mode == Assemble && c.typeOf(f.AssembleTaskID) == Action:
			ids = slices.DeleteFunc(ids, func(id string) bool { return finalOnly || id == f.AssembleTaskID })
			ids = append([]string{f.AssembleTaskID}, ids...)
		case len(f.IncludeChildren) > 0:
			ids = c.assembled(FinalSpec{IncludeChildren: f.IncludeChildren})
		}
	}
	var out []Delivered
	taken := map[string]bool{}
	for _, id := range ids {
		n, ok := v.Run.Node(kernel.NodeID(id))
		if !ok || n.Status() == kernel.StatusAbandoned {
			continue
		}
		t := *c.nodes[id]
		dir := Slug(t.Title) + "_" + short(id)
		if taken[strings.ToLower(dir)] {
			dir = Slug(t.Title) + "_" + id
		}
		taken[strings.ToLower(dir)] = true
		out = append(out, Delivered{t, dir})
	}
	return out
}

// ManifestItem is what this line says of a task in the manifest of an export.
type ManifestItem struct {
	TaskID              string          `json:"task_id"`
	TaskTitle           string          `json:"task_title"`
	DeliverableSpec     ManifestSpec    `json:"deliverable_spec"`
	ApprovedArtifactID  string          `json:"approved_artifact_id,omitempty"`
	CandidateArtifactID string          `json:"candidate_artifact_id,omitempty"` // not approved, and here because it was asked for
	Review              *ManifestReview `json:"review"`
	Rehearsal           bool            `json:"rehearsal,omitempty"` // in a plan that is real otherwise: it came from the rehearsal model
}

// ManifestSpec is the short form of what a task hands over.
type ManifestSpec struct {
	Format     string `json:"format"`
	Filename   string `json:"filename"`
	SingleFile bool   `json:"single_file"`
	BundleMode string `json:"bundle_mode,omitempty"`
}

// ManifestReview is the verdict by which a version may be here.
type ManifestReview struct {
	CheckTaskID string   `json:"check_task_id"`
	ReviewID    string   `json:"review_id"`
	Verdict     string   `json:"verdict"`
	Score       *float64 `json:"score"`
	Rehearsal   bool     `json:"rehearsal,omitempty"` // in a plan that is real otherwise: the rehearsal model gave it
}

// PartlyRehearsed labels the bundle of a plan in which some of it was rehearsed.
const PartlyRehearsed = "REHEARSAL: what is marked so was made or judged by the built-in rehearsal model, not by a real one"

// IsRehearsed tells whether rehearsal made the version, or gave the verdict by which it is here.
func (m ManifestItem) IsRehearsed() bool { return m.Rehearsal || m.Review != nil && m.Review.Rehearsal }

// ManifestFile is what this line says of a file.
type ManifestFile struct {
	DestPath   string `json:"dest_path"`
	SourcePath string `json:"source_path"`
}

// ManifestItem describes one version of a task: its last review of the verdict that counts.
func (v View) ManifestItem(t Node, version *kernel.Version, candidate bool) ManifestItem {
	item := ManifestItem{TaskID: t.TaskID, TaskTitle: t.Title, Rehearsal: v.isRehearsed(version)}
	if s := t.DeliverableSpec; s != nil {
		item.DeliverableSpec = ManifestSpec{s.Format, s.Filename, s.IsSingle(), s.BundleMode}
	}
	if candidate {
		item.CandidateArtifactID = string(version.ID)
	} else {
		item.ApprovedArtifactID = string(version.ID)
	}
	for _, r := range version.Reviews() {
		if candidate || r.Verdict == kernel.ForIt {
			item.Review = &ManifestReview{orText(string(r.Check), checkIn(v.Run, version.Node)), reviewUUID(r.ID), VerdictWord(r.Verdict), r.Score, v.isReviewRehearsed(*r)}
		}
	}
	return item
}
