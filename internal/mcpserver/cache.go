package mcpserver

import (
	"context"
	"sync"

	"sluice/internal/line/scene"
)

// maxKept is how many documents are kept; agents ask about few workflows, and often.
const maxKept = 256

// statuses keeps the status of workflows that are asked about again and again. A document is as good as the mark it was
// made under: whoever changes the workflow, in whatever process, moves the mark.
type statuses struct {
	mu   sync.Mutex
	kept map[string]keptStatus
}

type keptStatus struct {
	mark int64
	doc  scene.StatusDoc
}

// of gives the status of a workflow. Nobody changes what it gives.
func (s *statuses) of(ctx context.Context, v Verbs, id string) (scene.StatusDoc, error) {
	mark, err := v.WorkflowMark(ctx, id)
	if err != nil {
		return scene.StatusDoc{}, err
	}
	s.mu.Lock()
	kept, ok := s.kept[id]
	s.mu.Unlock()
	if ok && kept.mark == mark {
		return kept.doc, nil
	}
	doc, err := v.WorkflowStatus(ctx, id)
	if err != nil {
		return doc, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.kept) >= maxKept {
		clear(s.kept)
	}
	s.kept[id] = keptStatus{mark, doc} // of this mark or a later one, which the next call tells apart
	return doc, nil
}
