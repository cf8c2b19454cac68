package engine

import (
	"context"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// Adopt looks at the run's files and takes over what people changed in them. It gives what it found.
func (e *Engine) Adopt(ctx context.Context, id kernel.RunID) ([]journal.Edit, error) {
	if e.Files == nil || e.driving(id) != nil {
		return nil, nil
	}
	edits, err := e.Files.Scan(ctx, string(id))
	if err != nil || len(edits) == 0 {
		return nil, err
	}
	t, err := e.begin(ctx, id)
	if err != nil {
		return nil, err
	}
	return edits, t.adopt(ctx, edits)
}

// TakeOver adopts edits that were found while files were brought in place on start.
func (e *Engine) TakeOver(ctx context.Context, edits []journal.Edit) error {
	byRun := map[string][]journal.Edit{}
	for _, edit := range edits {
		if edit.Kept == "" { // else it was put right already
			byRun[edit.Row.Run] = append(byRun[edit.Row.Run], edit)
		}
	}
	for id, edits := range byRun {
		t, err := e.begin(ctx, kernel.RunID(id))
		if err == nil {
			err = t.adopt(ctx, edits)
		}
		if err != nil && fault.CodeOf(err) != fault.Conflict { // whoever moved the run on finds them too
			return err
		}
	}
	return nil
}

// adopt turns changed files into commands and commits them. Nothing a person wrote is lost: what cannot be used is
// kept beside the store and the last good version is put back.
//
// The commands are a person's and need no lease.
func (t *turn) adopt(ctx context.Context, edits []journal.Edit) error {
	for try := 0; ; try++ {
		for _, edit := range edits {
			if err := t.adoptOne(ctx, edit); err != nil {
				return err
			}
		}
		err := t.commit(ctx, 0, false)
		if fault.CodeOf(err) != fault.Conflict || try == retries {
			return err
		}
		// Decided again here and not by the caller, whose own commands are committed already.
		now, err := t.e.begin(ctx, t.run.ID())
		if err != nil {
			return err
		}
		*t = *now
	}
}

func (t *turn) adoptOne(ctx context.Context, edit journal.Edit) error {
	n, ok := t.run.Node(kernel.NodeID(edit.Row.Node))
	if !ok || edit.Row.Role != journal.Working && edit.Row.Role != journal.Given {
		return t.reset(ctx, edit)
	}
	s := kernel.Stamp{By: kernel.Actor{Kind: kernel.File, Name: edit.Row.Path, Via: "file"}, At: t.e.stamp(kernel.File).At}
	if edit.Kind == journal.Vanished {
		return t.tolerate(t.apply(Act{Command: kernel.Revise{Stamp: s, Nodes: []kernel.NodeID{n.ID()}, Note: edit.Row.Path + " was removed"}}))
	}
	out, err := t.reading(ctx, n, edit)
	if err != nil {
		return t.putBack(ctx, edit, err)
	}
	content, blobs := contentOf(out)
	if newest := n.Newest(); newest != nil && newest.Digest == content.Digest {
		if edit.Digest != content.Digest && edit.Row.Digest == content.Digest {
			return t.reset(ctx, edit) // only its form differs, and by its form an edit is known
		}
		return nil
	}
	if edit.Digest != content.Digest && edit.Kept == "" {
		if err := t.take(ctx, edit); err != nil {
			return err
		}
	}
	rule, err := t.rule(n.Node(), out.Body)
	if err != nil {
		return err
	}
	return t.tolerate(t.apply(Act{Command: kernel.Submit{Stamp: s, Node: n.ID(), Content: content, Rule: rule,
		Note: "changed in " + edit.Row.Path}, Blobs: blobs}))
}

// take lets the content that was made of an edit stand in its place: it is in another form, so that the bytes on disk would
// be taken for another edit when the file is next replaced. They are kept as they were written.
func (t *turn) take(ctx context.Context, edit journal.Edit) error {
	if _, err := t.e.Files.Keep(ctx, edit.Row.Path, edit.Body); err != nil {
		return err
	}
	if t.taken == nil {
		t.taken = map[string]digest.Digest{}
	}
	t.taken[edit.Row.Path] = edit.Digest
	return nil
}

// reset puts a file back that shows what the journal says and is not for people to write.
func (t *turn) reset(ctx context.Context, edit journal.Edit) error {
	kept := edit.Kept
	if kept == "" { // found, and not put right yet
		replaced, err := t.e.Files.Restore(ctx, true, edit.Row)
		if err != nil {
			return err
		}
		for _, r := range replaced {
			kept = r.Kept
		}
	}
	attrs := []any{"path", edit.Row.Path, "kind", edit.Kind}
	if kept != "" {
		attrs = append(attrs, "kept", kept)
	}
	t.e.Log.Warn("a file was changed and put back", attrs...)
	return nil
}

// reading lets the line make content of a changed file.
func (t *turn) reading(ctx context.Context, n kernel.View, edit journal.Edit) (*line.Out, error) {
	e := line.Edited{Run: t.run, Node: n.Node(), Path: edit.Row.Path, File: edit.Body}
	if v, ok := t.run.Version(kernel.VersionID(edit.Row.Version)); ok {
		doc, err := t.doc(ctx, v.ID)
		if err != nil {
			return nil, err
		}
		e.Newest = *doc
		for _, p := range v.Parts {
			if p.Digest == edit.Row.Digest {
				e.Part = p.Path
			}
		}
	}
	if t.line.Adopt == nil {
		return &line.Out{Body: edit.Body, Schema: e.Newest.Version.Schema}, nil
	}
	out, err := t.line.Adopt(e)
	return &out, err
}

// tolerate keeps a refusal of one file from stopping the others: what was changed stays on disk and is seen again.
func (t *turn) tolerate(err error) error {
	if f := fault.From(err); f != nil && f.Code != fault.Unexpected {
		t.e.Log.Warn("a changed file was not taken over", "code", f.Code, "error", f.Message)
		return nil
	}
	return err
}

// putBack restores the last good version of a file that no longer parses, and keeps the broken bytes.
func (t *turn) putBack(ctx context.Context, edit journal.Edit, why error) error {
	kept, err := t.e.Files.Keep(ctx, edit.Row.Path, edit.Body)
	if err != nil {
		return err
	}
	if _, err := t.e.Files.Restore(ctx, true, edit.Row); err != nil {
		return err
	}
	t.e.Log.Warn("a changed file does not parse; the last good version was put back", "path", edit.Row.Path, "error", why, "kept", kept)
	return nil
}

// rule evaluates the gate rule that a node names, or gives nil.
func (t *turn) rule(n kernel.Node, body []byte) (*kernel.RuleResult, error) {
	if n.Gate.Rule == "" {
		return nil, nil
	}
	if t.line.Rule == nil {
		return nil, fault.New(fault.BadNode, string(n.ID), "node %s names rule %s and line %s has none", n.ID, n.Gate.Rule, t.line.Name)
	}
	res, err := t.line.Rule(n, body)
	if err != nil {
		return nil, err
	}
	return &res, nil
}
