package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sluice/internal/digest"
	"sluice/internal/fault"
)

const (
	pollEvery  = time.Second
	maxWatched = 100
)

// watch are the resources that clients subscribed to. They are read again every second and compared, so that what other
// processes change is noticed as well; without subscribers nothing is read.
type watch struct {
	mu   sync.Mutex
	uris map[string]*watched
}

type watched struct {
	count int
	last  digest.Digest
}

func (s *Server) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	body, _, err := s.content(ctx, req.Params.URI)
	if err != nil {
		return resourceError(req.Params.URI, err)
	}
	s.watch.mu.Lock()
	defer s.watch.mu.Unlock()
	w := s.watch.uris[req.Params.URI]
	if w == nil {
		if len(s.watch.uris) >= maxWatched {
			return resourceError(req.Params.URI, fault.New(fault.BadValue, req.Params.URI, "%d resources are watched already", maxWatched))
		}
		w = &watched{last: digest.Of(body)}
		s.watch.uris[req.Params.URI] = w
	}
	w.count++
	return nil
}

func (s *Server) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	s.watch.mu.Lock()
	defer s.watch.mu.Unlock()
	if w := s.watch.uris[req.Params.URI]; w != nil {
		if w.count--; w.count <= 0 {
			delete(s.watch.uris, req.Params.URI)
		}
	}
	return nil
}

// watching looks after subscriptions until ctx ends.
func (s *Server) watching(ctx context.Context) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.poll(ctx)
		}
	}
}

// poll tells subscribers what changed since the last time.
func (s *Server) poll(ctx context.Context) {
	s.watch.mu.Lock()
	uris := make([]string, 0, len(s.watch.uris))
	for uri := range s.watch.uris {
		uris = append(uris, uri)
	}
	s.watch.mu.Unlock()
	for _, uri := range uris {
		body, _, err := s.content(ctx, uri)
		if err != nil && ctx.Err() != nil {
			return
		}
		if !s.changed(uri, digest.Of(body)) {
			continue
		}
		for _, server := range []*mcp.Server{s.lasting, s.fleeting} {
			_ = server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri})
		}
	}
}

func (s *Server) changed(uri string, now digest.Digest) bool {
	s.watch.mu.Lock()
	defer s.watch.mu.Unlock()
	w := s.watch.uris[uri]
	if w == nil || w.last == now {
		return false
	}
	w.last = now
	return true
}
