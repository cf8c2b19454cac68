package novel

import (
	"encoding/json"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel/story"
)

// decodeVersion reads a document that the journal holds.
func decodeVersion[T any](body line.Body, v *kernel.Version) (T, error) {
	var doc T
	raw, err := body(v)
	if err != nil {
		return doc, err
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return doc, fault.Wrap(fault.StoreCorrupt, string(v.ID), err, "version %s is not what it was stored as", v.ID).
			With(fault.Action{Action: "doctor", Command: "sluice doctor"})
	}
	return doc, nil
}

// SettingsOf are the settings that stand.
func SettingsOf(r *kernel.Run, body line.Body) (story.Settings, error) {
	if v := r.Approved(SettingsNode); v != nil {
		return settingsIn(body, v)
	}
	s := DefaultsOf(r)
	s.ProjectName = ProjectOf(r)
	return s, nil
}

// settingsIn reads settings of any age: what they were too old to say is as by default.
func settingsIn(body line.Body, v *kernel.Version) (story.Settings, error) {
	s := story.DefaultSettings()
	raw, err := body(v)
	if err != nil {
		return s, err
	}
	return s, stored(line.Doc{Version: *v, Body: raw}, &s)
}

// OutlineOf is the outline that stands; nil where there is none.
func OutlineOf(r *kernel.Run, body line.Body) (*story.Outline, error) {
	v := r.Approved(OutlineNode)
	if v == nil {
		return nil, nil
	}
	o, err := decodeVersion[story.Outline](body, v)
	return &o, err
}

// TextOf is the text of a chapter that stands; nil where there is none.
func TextOf(r *kernel.Run, body line.Body, chapter int) (*story.GeneratedChapter, error) {
	v := r.Approved(ChapterNode(chapter, StepText))
	if v == nil {
		return nil, nil
	}
	c, err := decodeVersion[story.GeneratedChapter](body, v)
	return &c, err
}

// RevisionOf is the newest RevisionStatus of a chapter; nil where there is none, or none that can be read.
func RevisionOf(r *kernel.Run, body line.Body, chapter int) (*story.RevisionStatus, error) {
	n, ok := r.Node(ChapterNode(chapter, StepRevision))
	if !ok || n.Newest() == nil || n.Newest().Schema == SchemaUnreadable || n.Status() == kernel.StatusAbandoned {
		return nil, nil
	}
	rev, err := decodeVersion[story.RevisionStatus](body, n.Newest())
	return &rev, err
}
