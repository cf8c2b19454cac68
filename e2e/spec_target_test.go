package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"sluice/internal/feishutest"
	"sluice/internal/publish"
)

// targetCommands are the words for scripts about targets outside.
func targetCommands() map[string]func(*testscript.TestScript, bool, []string) {
	tables := &byScript[*feishutest.Server]{}
	posts := &byScript[*postbox]{}
	return map[string]func(*testscript.TestScript, bool, []string){
		"feishu":  func(ts *testscript.TestScript, neg bool, args []string) { feishuCommand(tables, ts, neg, args) },
		"webhook": func(ts *testscript.TestScript, neg bool, args []string) { webhookCommand(posts, ts, neg, args) },
	}
}

// byScript keeps what a script started for the commands that come after, while other scripts run beside it.
type byScript[T any] struct {
	mu  sync.Mutex
	all map[*testscript.TestScript]T
}

func (b *byScript[T]) put(ts *testscript.TestScript, v T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all == nil {
		b.all = map[*testscript.TestScript]T{}
	}
	b.all[ts] = v
}

func (b *byScript[T]) of(ts *testscript.TestScript) T {
	b.mu.Lock()
	defer b.mu.Unlock()
	v, ok := b.all[ts]
	if !ok {
		ts.Fatalf("it was not started")
	}
	return v
}

// feishuCommand is a table at Feishu: feishu start | fail OP FAULT… | records N | calls OP N | field NAME TEXT.
func feishuCommand(all *byScript[*feishutest.Server], ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: feishu start|fail|records|calls|field")
	}
	if args[0] == "start" {
		f := feishutest.Start()
		ts.Defer(f.Close)
		all.put(ts, f)
		for name, value := range map[string]string{"SLUICE_PUBLISH_FEISHU_BASE_URL": f.URL, "SLUICE_PUBLISH_FEISHU_APP_ID": feishutest.AppID,
			"FEISHU_APP_SECRET": feishutest.AppSecret, "SLUICE_PUBLISH_FEISHU_APP_TOKEN": feishutest.AppToken,
			"SLUICE_PUBLISH_FEISHU_TABLE_ID": feishutest.TableID} {
			ts.Setenv(name, value)
		}
		return
	}
	f := all.of(ts)
	switch {
	case args[0] == "fail" && len(args) > 2:
		for _, a := range args[2:] {
			f.Inject(feishutest.Op(args[1]), feishutest.Fault(a))
		}
	case args[0] == "records" && len(args) == 2:
		wantCount(ts, "records at Feishu", len(f.Records()), args[1])
	case args[0] == "calls" && len(args) == 3:
		wantCount(ts, args[1]+" calls", f.Calls(feishutest.Op(args[1])), args[2])
	case args[0] == "field" && len(args) == 3:
		records := f.Records()
		if len(records) == 0 || !strings.Contains(string(records[0].Fields[args[1]]), args[2]) {
			ts.Fatalf("the record has %s", records[0].Fields[args[1]])
		}
	default:
		ts.Fatalf("usage: feishu start|fail|records|calls|field")
	}
}

func wantCount(ts *testscript.TestScript, what string, got int, want string) {
	if fmt.Sprint(got) != want {
		ts.Fatalf("there are %d %s, want %s", got, what, want)
	}
}

const postSecret = "hook-s3cret"

// postbox takes posts whose signature is right.
type postbox struct {
	mu     sync.Mutex
	status []int // of the next answers; then 200
	keys   []string
	named  []string // by the id that posts say they update
	bad    []string
}

func (p *postbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	var doc struct {
		Key  string `json:"idempotency_key"`
		Spec struct {
			Meta struct {
				Version string `json:"spec_version"`
			} `json:"meta"`
		} `json:"spec"`
	}
	key := r.Header.Get("Idempotency-Key")
	switch {
	case err != nil || json.Unmarshal(body, &doc) != nil || doc.Key != key || !strings.HasSuffix(key, ":"+doc.Spec.Meta.Version):
		p.bad = append(p.bad, fmt.Sprintf("key %q of %s (%v)", key, body, err))
	case publish.Sign(postSecret, r.Header.Get("X-Sluice-Timestamp"), body) != r.Header.Get("X-Sluice-Signature"):
		p.bad = append(p.bad, "the signature is wrong")
	}
	status := http.StatusOK
	if len(p.status) > 0 {
		status, p.status = p.status[0], p.status[1:]
	}
	if status == http.StatusOK {
		p.keys = append(p.keys, key)
		p.named = append(p.named, r.Header.Get("X-Sluice-External-Id"))
	}
	w.WriteHeader(status)
	_, _ = w.Write([]byte(`{"external_id":"hook-1"}`)) // the client may be gone
}

// webhookCommand is a receiver of posts: webhook start | answers STATUS… | posts N | updates N.
func webhookCommand(all *byScript[*postbox], ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: webhook start|answers|posts|updates")
	}
	if args[0] == "start" {
		p := &postbox{}
		srv := httptest.NewServer(p)
		ts.Defer(srv.Close)
		all.put(ts, p)
		ts.Setenv("SLUICE_PUBLISH_WEBHOOK_URL", srv.URL+"/in")
		ts.Setenv("SLUICE_WEBHOOK_SECRET", postSecret)
		return
	}
	p := all.of(ts)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.bad) > 0 {
		ts.Fatalf("a post was wrong: %s", p.bad[0])
	}
	switch {
	case args[0] == "answers" && len(args) > 1:
		for _, a := range args[1:] {
			var status int
			if _, err := fmt.Sscan(a, &status); err != nil {
				ts.Fatalf("%s is no status", a)
			}
			p.status = append(p.status, status)
		}
	case args[0] == "posts" && len(args) == 2:
		wantCount(ts, "posts", len(p.keys), args[1])
	case args[0] == "updates" && len(args) == 2:
		wantCount(ts, "posts that update", len(slices.DeleteFunc(slices.Clone(p.named), func(s string) bool { return s != "hook-1" })), args[1])
	default:
		ts.Fatalf("usage: webhook start|answers|posts|updates")
	}
}
