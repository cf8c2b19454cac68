package feishu_test

import (
	"encoding/json"
	"testing"
	"time"

	"sluice/internal/feishutest"
	"sluice/internal/publish/feishu"
	"sluice/internal/publishtest"
)

func newServer(t *testing.T) *feishutest.Server {
	t.Helper()
	s := feishutest.Start()
	t.Cleanup(s.Close)
	return s
}

func secret() (string, error) { return feishutest.AppSecret, nil }

func options(t *testing.T, url string) feishu.Options {
	t.Helper()
	return feishu.Options{BaseURL: url, AppID: feishutest.AppID, AppSecret: secret, AppToken: feishutest.AppToken, TableID: feishutest.TableID, Timeout: 5 * time.Second}
}

func storyOf(t *testing.T, r feishutest.Record) string {
	t.Helper()
	var text string
	if err := json.Unmarshal(r.Fields["用户故事"], &text); err != nil {
		t.Fatal(err)
	}
	return text
}

func TestFeishuConforms(t *testing.T) {
	publishtest.Run(t, func(t *testing.T) publishtest.Outside {
		s := newServer(t)
		return publishtest.Outside{Target: feishu.New(options(t, s.URL)),
			Records: func() int { return len(s.Records()) },
			Text:    func() string { return storyOf(t, s.Records()[0]) },
			Calls:   func() int { return s.Calls("") },
			Fail: func(n int) {
				for range n {
					s.Inject(feishutest.Create, feishutest.RateLimit)
				}
			},
			Lose: func() { s.Inject(feishutest.Create, feishutest.Lost) }}
	})
}
