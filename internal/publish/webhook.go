package publish

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sluice/internal/fault"
	"sluice/internal/line/spec"
	"sluice/internal/line/spec/ledger"
)

// WebhookName is the name of the webhook target.
const WebhookName = "webhook"

// webhookMapping is the form of the documents that are posted.
const webhookMapping = "webhook-1"

// Headers of a post. The signature is over the timestamp, a dot and the body, so that neither can be changed or used again
// later by somebody who only heard them.
const (
	HeaderKey       = "Idempotency-Key"
	HeaderTimestamp = "X-Sluice-Timestamp"
	HeaderSignature = "X-Sluice-Signature"
	HeaderExternal  = "X-Sluice-External-Id"
)

// SecretSource gives a secret when it is needed. It never comes from a workspace.
type SecretSource func() (string, error)

// WebhookOptions say where to post. All of it is the user's own setting.
type WebhookOptions struct {
	URL     string
	Secret  SecretSource
	Timeout time.Duration // of one try; 30 s
	Now     func() time.Time
}

// Webhook posts a version to an address. It cannot be asked what it holds: a post is made at least once, and its key tells
// the receiver that it is the same.
type Webhook struct {
	o      WebhookOptions
	client *http.Client
}

// NewWebhook makes the target.
func NewWebhook(o WebhookOptions) *Webhook {
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Webhook{o, &http.Client{Timeout: o.Timeout, CheckRedirect: NoRedirect}}
}

// NoRedirect keeps what was meant for one address from being carried to another.
func NoRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Name of the target.
func (*Webhook) Name() string { return WebhookName }

// webhookFields is the document that is posted. It holds no time, so that the same version is always the same bytes.
type webhookFields struct {
	Event          string             `json:"event"`
	IdempotencyKey string             `json:"idempotency_key"`
	FeatureID      string             `json:"feature_id"`
	SpecVersion    string             `json:"spec_version"`
	Origin         string             `json:"origin,omitempty"`
	Spec           spec.CanonicalSpec `json:"spec"`
}

// Prepare writes the document out and looks at the settings.
func (w *Webhook) Prepare(r ledger.Request) (Payload, error) {
	if err := CheckAddress("publish.webhook_url", w.o.URL); err != nil {
		return Payload{}, err
	}
	if w.o.Secret == nil {
		return Payload{}, NoSecret("publish.webhook_secret_env", "signing a post")
	}
	feature, version := r.Spec.Feature.FeatureID, r.Spec.Meta.SpecVersion
	return NewPayload(r, WebhookName, webhookMapping, webhookFields{Event: "spec.published", IdempotencyKey: ledger.Key(feature, WebhookName, version),
		FeatureID: feature, SpecVersion: version, Origin: r.Origin, Spec: r.Spec})
}

// CheckAddress refuses an address over which a spec and a signature would travel in the open.
func CheckAddress(setting, address string) error {
	u, err := url.Parse(address)
	switch {
	case address == "":
		return fault.New(fault.BadConfig, setting, "%s is empty; the address to publish to is needed", setting).With(
			fault.Action{Action: "set it in your own settings", Command: "sluice config show", Why: OwnSetting(setting) + "; a workspace cannot say where to send things"})
	case err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http":
		return fault.New(fault.BadConfig, setting, "%s is no address of the form https://host/path without a user", setting)
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return fault.New(fault.BadConfig, setting, "%s is not encrypted; https is needed outside this machine", setting)
	}
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// OwnSetting says where a person sets what no workspace may.
func OwnSetting(setting string) string {
	variable := "SLUICE_" + strings.ToUpper(strings.ReplaceAll(setting, ".", "_"))
	return "it shows your own config.yaml, which can set " + setting + "; so can the variable " + variable
}

// NoSecret refuses to publish without a secret.
func NoSecret(setting, use string) error {
	return fault.New(fault.BadConfig, setting, "%s needs a secret; %s names the variable that holds it", use, setting).With(
		fault.Action{Action: "set it in your own settings", Command: "sluice config show", Why: OwnSetting(setting)})
}

// Create posts the version.
func (w *Webhook) Create(ctx context.Context, p Payload) (string, error) { return w.post(ctx, "", p) }

// Update posts the version with the id that the first post was answered with.
func (w *Webhook) Update(ctx context.Context, externalID string, p Payload) error {
	_, err := w.post(ctx, externalID, p)
	return err
}

func (w *Webhook) post(ctx context.Context, externalID string, p Payload) (string, error) {
	secret, err := w.o.Secret()
	if err != nil {
		return "", &CallError{Code: Auth, Message: err.Error()}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.o.URL, bytes.NewReader(p.Fields))
	if err != nil {
		return "", &CallError{Code: Rejected, Message: "the address of the webhook cannot be used"}
	}
	stamp := strconv.FormatInt(w.o.Now().Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "sluice")
	req.Header.Set(HeaderKey, p.Key)
	req.Header.Set(HeaderTimestamp, stamp)
	req.Header.Set(HeaderSignature, Sign(secret, stamp, p.Fields))
	if externalID != "" {
		req.Header.Set(HeaderExternal, externalID)
	}
	res, err := w.client.Do(req)
	if err != nil {
		return "", NetworkError(ctx, err)
	}
	defer func() { _ = res.Body.Close() }() // it was read; nothing is lost
	body, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if res.StatusCode/100 != 2 {
		return "", statusError(res, w.o.Now())
	}
	if err != nil {
		return "", NetworkError(ctx, err)
	}
	return answeredID(body, p.Key), nil
}

// Sign gives the signature of a post.
func Sign(secret, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// answeredID is the id that the receiver gave the record, or the key if it gave none.
func answeredID(body []byte, key string) string {
	var answer struct {
		ExternalID string `json:"external_id"`
		ID         string `json:"id"`
	}
	if json.Unmarshal(body, &answer) == nil {
		for _, id := range []string{answer.ExternalID, answer.ID} {
			if id != "" && len(id) <= 200 && strings.IndexFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f }) < 0 {
				return id
			}
		}
	}
	return key
}

// NetworkError tells what went wrong on the way. The address stays out of it: paths of webhooks are often secrets.
func NetworkError(ctx context.Context, err error) *CallError {
	if ctx.Err() != nil {
		return &CallError{Code: Stopped, Message: "publishing was interrupted"}
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return &CallError{Code: TimedOut, Message: "no answer in time"}
	}
	return &CallError{Code: Connection, Message: "the connection failed: " + innermost(err).Error()}
}

func statusError(res *http.Response, now time.Time) *CallError {
	e := &CallError{Message: fmt.Sprintf("the target answered %d %s", res.StatusCode, http.StatusText(res.StatusCode)),
		RetryAfter: RetryAfter(res.Header, now)}
	switch c := res.StatusCode; {
	case c == http.StatusTooManyRequests:
		e.Code = RateLimited
	case c == http.StatusRequestTimeout || c == http.StatusGatewayTimeout:
		e.Code = TimedOut
	case c >= 500:
		e.Code = ServerError
	case c == http.StatusUnauthorized:
		e.Code = Auth
	case c == http.StatusForbidden:
		e.Code = Forbidden
	case c/100 == 3:
		e.Code, e.Message = Rejected, e.Message+"; redirects are not followed, name the final address"
	default:
		e.Code = Rejected
	}
	return e
}

// RetryAfter reads how long a server asks to wait: seconds or a date.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if n, err := strconv.Atoi(v); err == nil && n > 0 {
		return time.Duration(min(n, 3600)) * time.Second
	}
	if at, err := http.ParseTime(v); err == nil && at.After(now) {
		return min(at.Sub(now), time.Hour)
	}
	return 0
}
