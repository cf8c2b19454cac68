package publish_test

import (
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/internal/publish"
	"sluice/internal/publishtest"
	"sluice/internal/workspace"
)

// countingTree counts how often it is reached.
type countingTree struct {
	*workspace.Tree
	mu    sync.Mutex
	calls int
}

func (c *countingTree) Read(path string) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	return c.Tree.Read(path)
}

func (c *countingTree) Write(path string, body []byte, perm fs.FileMode) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	return c.Tree.Write(path, body, perm)
}

func newTree(t *testing.T) *countingTree {
	t.Helper()
	tree, err := workspace.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tree.Close() })
	return &countingTree{Tree: tree}
}

func TestFileConforms(t *testing.T) {
	publishtest.Run(t, func(t *testing.T) publishtest.Outside {
		tree := newTree(t)
		list := func() []string {
			var names []string
			entries, err := tree.List("published")
			if err != nil {
				return nil // nothing was published yet
			}
			for _, e := range entries {
				names = append(names, "published/"+e.Name())
			}
			return names
		}
		return publishtest.Outside{Target: publish.NewFile(tree, "published"),
			Records: func() int { return len(list()) },
			Text: func() string {
				body, err := tree.Tree.Read(list()[0])
				if err != nil {
					t.Fatal(err)
				}
				return string(body)
			},
			Calls: func() int { return tree.calls }}
	})
}

// hook receives posts, checks their signature, and drops those whose key it has.
type hook struct {
	mu     sync.Mutex
	calls  int
	failed int
	lost   bool
	keys   map[string]string // feature to the last body
	seen   []string
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls++
	body, err := io.ReadAll(r.Body)
	if err != nil || publish.Sign("s3cret", r.Header.Get(publish.HeaderTimestamp), body) != r.Header.Get(publish.HeaderSignature) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if h.failed > 0 {
		h.failed--
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	key := r.Header.Get(publish.HeaderKey)
	h.seen = append(h.seen, key)
	h.keys[key[:strings.Index(key, ":")]] = string(body)
	if h.lost {
		h.lost = false
		if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
			_ = c.Close()
		}
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]string{"id": "hook-" + key[:strings.Index(key, ":")]})
}

func newHook(t *testing.T) (*hook, *publish.Webhook) {
	h := &hook{keys: map[string]string{}}
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return h, publish.NewWebhook(publish.WebhookOptions{URL: srv.URL + "/in", Secret: func() (string, error) { return "s3cret", nil }, Timeout: 5 * time.Second})
}

func TestWebhookConforms(t *testing.T) {
	publishtest.Run(t, func(t *testing.T) publishtest.Outside {
		h, w := newHook(t)
		return publishtest.Outside{Target: w,
			Records: func() int { h.mu.Lock(); defer h.mu.Unlock(); return len(h.keys) },
			Text: func() string {
				for _, body := range h.keys {
					return body
				}
				return ""
			},
			Calls: func() int { h.mu.Lock(); defer h.mu.Unlock(); return h.calls },
			Fail:  func(n int) { h.failed = n },
			Lose:  func() { h.lost = true }}
	})
}

func TestWebhookSendsTheSameKeyAgain(t *testing.T) {
	h, w := newHook(t)
	h.lost = true
	d := publish.NewDesk(publishtest.Open(t, t.TempDir()), publish.Options{Retry: publishtest.Retry()}, w)
	if _, err := d.Publish(t.Context(), "webhook", publishtest.Request("F-2026-001", "S-20260113-0001", "goal of ours")); err != nil {
		t.Fatal(err)
	}
	if want := []string{"F-2026-001:webhook:S-20260113-0001", "F-2026-001:webhook:S-20260113-0001"}; !slices.Equal(h.seen, want) {
		t.Errorf("keys %v", h.seen)
	}
}
