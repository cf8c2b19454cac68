package publish_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sluice/internal/fault"
	"sluice/internal/publish"
	"sluice/internal/publishtest"
)

func secret() (string, error) { return "s3cret", nil }

func webhookDesk(t *testing.T, o publish.WebhookOptions) *publish.Desk {
	t.Helper()
	return publish.NewDesk(publishtest.Open(t, t.TempDir()), publish.Options{Retry: publishtest.Retry()}, publish.NewWebhook(o))
}

func TestAnswersOfAWebhook(t *testing.T) {
	for name, c := range map[string]struct {
		status, calls int
		code          string
	}{
		"not allowed":   {http.StatusUnauthorized, 1, "auth_failed"},
		"forbidden":     {http.StatusForbidden, 1, "forbidden"},
		"bad request":   {http.StatusBadRequest, 1, "rejected"},
		"redirect":      {http.StatusTemporaryRedirect, 1, "rejected"},
		"too many":      {http.StatusTooManyRequests, 4, "rate_limited"},
		"timeout":       {http.StatusRequestTimeout, 4, "timeout"},
		"server error":  {http.StatusInternalServerError, 4, "server_error"},
		"overload":      {http.StatusServiceUnavailable, 4, "server_error"},
		"gateway is up": {http.StatusGatewayTimeout, 4, "timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			calls, elsewhere := 0, 0
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/elsewhere" {
					elsewhere++
				}
				calls++
				w.Header().Set("Location", "/elsewhere")
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(c.status)
			}))
			defer srv.Close()
			rec, err := webhookDesk(t, publish.WebhookOptions{URL: srv.URL + "/hooks/T0K3N", Secret: secret}).Publish(t.Context(), "webhook", request)
			if fault.CodeOf(err) != fault.PublishFailed || len(rec.Errors) != 1 || rec.Errors[0].ErrorCode != c.code || calls != c.calls || elsewhere != 0 {
				t.Errorf("%d calls, %d elsewhere, %+v, %v", calls, elsewhere, rec.Errors, err)
			}
			if strings.Contains(err.Error()+rec.Errors[0].Message, "T0K3N") {
				t.Error("the address is in the record")
			}
		})
	}
}

func TestAWebhookThatIsNotThere(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	url := srv.URL
	srv.Close()
	rec, err := webhookDesk(t, publish.WebhookOptions{URL: url + "/hooks/T0K3N", Secret: secret}).Publish(t.Context(), "webhook", request)
	if fault.CodeOf(err) != fault.PublishFailed || rec.Errors[0].ErrorCode != "connection_error" || strings.Contains(err.Error(), "T0K3N") {
		t.Errorf("%+v, %v", rec.Errors, err)
	}
}

func TestWebhookSettings(t *testing.T) {
	for name, c := range map[string]struct {
		o    publish.WebhookOptions
		want string
	}{
		"no address":   {publish.WebhookOptions{Secret: secret}, "publish.webhook_url is empty; the address to publish to is needed"},
		"no secret":    {publish.WebhookOptions{URL: "https://example.org/in"}, "signing a post needs a secret; publish.webhook_secret_env names the variable that holds it"},
		"in the open":  {publish.WebhookOptions{URL: "http://example.org/in", Secret: secret}, "publish.webhook_url is not encrypted; https is needed outside this machine"},
		"with a user":  {publish.WebhookOptions{URL: "https://a:b@example.org/in", Secret: secret}, "publish.webhook_url is no address of the form https://host/path without a user"},
		"not a scheme": {publish.WebhookOptions{URL: "file:///etc/passwd", Secret: secret}, "publish.webhook_url is no address of the form https://host/path without a user"},
	} {
		_, err := webhookDesk(t, c.o).Publish(t.Context(), "webhook", request)
		if f := fault.From(err); f == nil || f.Code != fault.BadConfig || f.Message != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 13, 10, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{"": 0, "3": 3 * time.Second, "-3": 0, "soon": 0, "999999999": time.Hour,
		"Tue, 13 Jan 2026 10:00:05 GMT": 5 * time.Second, "Tue, 13 Jan 2026 09:00:05 GMT": 0} {
		if got := publish.RetryAfter(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}

func TestSignature(t *testing.T) {
	// What a common tool gives: printf '1700000000.{}' | openssl dgst -sha256 -hmac s3cret
	const want = "sha256=97926816e98fbb41ccb1673225ff29a2f35369099990e1b1561651e7bd097ebf"
	if got := publish.Sign("s3cret", "1700000000", []byte("{}")); got != want {
		t.Errorf("signature %s", got)
	}
	if publish.Sign("s3cret", "1700000000", []byte("{}")) == publish.Sign("s3cret", "1700000001", []byte("{}")) {
		t.Error("the time is not signed")
	}
}
