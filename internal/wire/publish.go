package wire

import (
	"context"
	"sync"

	"sluice/internal/config"
	"sluice/internal/publish"
	"sluice/internal/publish/feishu"
)

// desk is where specs are published. Every target is there; one that is not set up says which setting it lacks.
func (h *house) desk(c config.Publish, ledger publish.Ledger) *publish.Desk {
	return publish.NewDesk(ledger, publish.Options{},
		publish.NewFile(h.tree, c.FileDir),
		publish.NewWebhook(publish.WebhookOptions{URL: c.WebhookURL, Secret: secretOf(c.WebhookSecretFile, c.WebhookSecretEnv), Timeout: c.Timeout}),
		feishu.New(feishu.Options{BaseURL: c.FeishuBaseURL, AppID: c.FeishuAppID, AppSecret: secretOf(c.FeishuSecretFile, c.FeishuSecretEnv),
			AppToken: c.FeishuAppToken, TableID: c.FeishuTableID, Mapping: h.mapping(c.Mapping), Timeout: c.Timeout}))
}

// mapping reads the mapping file of the workspace once it is needed.
func (h *house) mapping(path string) publish.MappingSource {
	if path == "" {
		return publish.DefaultMapping
	}
	return sync.OnceValues(func() (publish.Mapping, error) {
		body, err := h.tree.Read(path)
		if err != nil {
			return publish.Mapping{}, err
		}
		return publish.ParseMapping(path, body)
	})
}

// secretOf is where a secret of a target is kept, as that of a provider is.
func secretOf(file, env string) publish.SecretSource {
	source := keySource(file, env)
	if source == nil {
		return nil
	}
	return func() (string, error) {
		s, err := source(context.Background()) // reads a variable or a small file
		return s.Reveal(), err
	}
}
