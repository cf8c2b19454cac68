package feishu

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	larkcore "github.com/larksuite/oapi-sdk-go/v3/core"
	larkbitable "github.com/larksuite/oapi-sdk-go/v3/service/bitable/v1"

	"sluice/internal/fault"
	"sluice/internal/line/spec/ledger"
	"sluice/internal/publish"
)

// Name of the target.
const Name = "feishu"

// BaseURL is where Feishu is, unless the settings say otherwise.
const BaseURL = "https://open.feishu.cn"

// Options say which table, and with whose right. All of it is the user's own setting.
type Options struct {
	BaseURL   string // empty is BaseURL
	AppID     string
	AppSecret publish.SecretSource
	AppToken  string // of the bitable
	TableID   string
	Mapping   publish.MappingSource // nil is the default one
	Timeout   time.Duration         // of one call; 30 s
	Now       func() time.Time
}

// Target is a table at Feishu.
type Target struct {
	o      Options
	config *larkcore.Config
	table  *larkbitable.V1
	tokens *tokens
}

// New makes the target. It calls nobody.
func New(o Options) *Target {
	if o.BaseURL == "" {
		o.BaseURL = BaseURL
	}
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Mapping == nil {
		o.Mapping = publish.DefaultMapping
	}
	config := &larkcore.Config{BaseUrl: strings.TrimRight(o.BaseURL, "/"), AppId: o.AppID, AppType: larkcore.AppTypeSelfBuilt,
		ReqTimeout: o.Timeout, Logger: silent{}, Serializable: &larkcore.DefaultSerialization{},
		// The SDK's own cache of tokens is one for the whole program and keeps a token that the server has refused.
		EnableTokenCache: false,
		HttpClient:       &http.Client{Timeout: o.Timeout, CheckRedirect: publish.NoRedirect, Transport: bounded{http.DefaultTransport}}}
	return &Target{o: o, config: config, table: larkbitable.New(config), tokens: &tokens{config: config, secret: o.AppSecret, now: o.Now}}
}

// Name of the target.
func (*Target) Name() string { return Name }

// Prepare maps the spec to the fields of the table.
func (t *Target) Prepare(r ledger.Request) (publish.Payload, error) {
	if err := publish.CheckAddress("publish.feishu_base_url", t.o.BaseURL); err != nil {
		return publish.Payload{}, err
	}
	for _, c := range []struct{ setting, value string }{{"publish.feishu_app_id", t.o.AppID},
		{"publish.feishu_app_token", t.o.AppToken}, {"publish.feishu_table_id", t.o.TableID}} {
		if c.value == "" {
			return publish.Payload{}, fault.New(fault.BadConfig, c.setting, "%s is empty; publishing to feishu needs it", c.setting).With(
				fault.Action{Action: "set it in your own settings", Command: "sluice config show", Why: publish.OwnSetting(c.setting)})
		}
	}
	if t.o.AppSecret == nil {
		return publish.Payload{}, publish.NoSecret("publish.feishu_secret_env", "publishing to feishu")
	}
	m, err := t.o.Mapping()
	if err != nil {
		return publish.Payload{}, err
	}
	fields, err := m.Apply(r)
	if err != nil {
		return publish.Payload{}, err
	}
	return publish.NewPayload(r, Name, m.Version, fields)
}

// Find searches the table for the record of the feature.
func (t *Target) Find(ctx context.Context, p publish.Payload) (string, bool, error) {
	m, err := t.o.Mapping()
	if err != nil {
		return "", false, err
	}
	field := m.KeyField
	if field == "" { // this mapping leaves nothing to search for; the client token guards alone
		return "", false, nil
	}
	const most = 100 // pages
	page := ""
	for range most {
		items, next, err := t.search(ctx, field, publish.Mark(p), page)
		if err != nil {
			return "", false, err
		}
		for _, item := range items {
			if item.RecordId != nil && publish.IsOurs(plainText(item.Fields[field]), p) {
				return *item.RecordId, true, nil
			}
		}
		if page = next; page == "" {
			return "", false, nil
		}
	}
	return "", false, &publish.CallError{Code: publish.Rejected, Message: fmt.Sprintf("more than %d pages of the table mention the feature", most)}
}

func (t *Target) search(ctx context.Context, field, text, page string) (items []*larkbitable.AppTableRecord, next string, err error) {
	and, contains := "and", "contains"
	body := &larkbitable.SearchAppTableRecordReqBody{FieldNames: []string{field}, Filter: &larkbitable.FilterInfo{Conjunction: &and,
		Conditions: []*larkbitable.Condition{{FieldName: &field, Operator: &contains, Value: []string{text}}}}}
	err = t.call(ctx, func(token larkcore.RequestOptionFunc) (*larkcore.ApiResp, larkcore.CodeError, error) {
		b := larkbitable.NewSearchAppTableRecordReqBuilder().AppToken(t.o.AppToken).TableId(t.o.TableID).PageSize(100).Body(body)
		if page != "" {
			b.PageToken(page)
		}
		res, err := t.table.AppTableRecord.Search(ctx, b.Build(), token)
		if err != nil {
			return nil, larkcore.CodeError{}, err
		}
		if d := res.Data; d != nil {
			items = d.Items
			if d.HasMore != nil && *d.HasMore && d.PageToken != nil {
				next = *d.PageToken
			}
		}
		return res.ApiResp, res.CodeError, nil
	})
	return items, next, err
}

// Create adds the record. The client token, made from the key, is a second guard against adding it twice.
func (t *Target) Create(ctx context.Context, p publish.Payload) (string, error) {
	record, err := recordOf(p)
	if err != nil {
		return "", err
	}
	id := ""
	err = t.call(ctx, func(token larkcore.RequestOptionFunc) (*larkcore.ApiResp, larkcore.CodeError, error) {
		req := larkbitable.NewCreateAppTableRecordReqBuilder().AppToken(t.o.AppToken).TableId(t.o.TableID).
			ClientToken(clientToken(p)).AppTableRecord(record).Build()
		res, err := t.table.AppTableRecord.Create(ctx, req, token)
		if err != nil {
			return nil, larkcore.CodeError{}, err
		}
		if res.Data != nil && res.Data.Record != nil && res.Data.Record.RecordId != nil {
			id = *res.Data.Record.RecordId
		}
		return res.ApiResp, res.CodeError, nil
	})
	if err == nil && id == "" { // said to be done, and nothing to show for it: the next try looks first
		err = &publish.CallError{Code: publish.ServerError, Message: "the answer names no record"}
	}
	return id, err
}

// Update replaces the fields of the record that the mapping names; others are people's.
func (t *Target) Update(ctx context.Context, externalID string, p publish.Payload) error {
	record, err := recordOf(p)
	if err != nil {
		return err
	}
	return t.call(ctx, func(token larkcore.RequestOptionFunc) (*larkcore.ApiResp, larkcore.CodeError, error) {
		req := larkbitable.NewUpdateAppTableRecordReqBuilder().AppToken(t.o.AppToken).TableId(t.o.TableID).RecordId(externalID).
			AppTableRecord(record).Build()
		res, err := t.table.AppTableRecord.Update(ctx, req, token)
		if err != nil {
			return nil, larkcore.CodeError{}, err
		}
		return res.ApiResp, res.CodeError, nil
	})
}

func recordOf(p publish.Payload) (*larkbitable.AppTableRecord, error) {
	r := &larkbitable.AppTableRecord{}
	if err := json.Unmarshal(p.Fields, &r.Fields); err != nil {
		return nil, &publish.CallError{Code: publish.Rejected, Message: "the fields are no JSON object: " + err.Error()}
	}
	return r, nil
}

// clientToken is a UUID that is always the same for one version of one workspace, and another one where a record that was
// lost is made anew.
func clientToken(p publish.Payload) string {
	h := sha256.Sum256([]byte(p.Origin + "\n" + p.Key + "\n" + p.Lost))
	h[6] = h[6]&0x0f | 0x40
	h[8] = h[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[0:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

// plainText is the text of a field: the interface gives texts as a list of pieces.
func plainText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var b strings.Builder
		for _, piece := range v {
			if m, ok := piece.(map[string]any); ok {
				if s, ok := m["text"].(string); ok {
					b.WriteString(s)
				}
			}
		}
		return b.String()
	}
	return ""
}
