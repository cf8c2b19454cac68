package feishu

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	larkcore "github.com/larksuite/oapi-sdk-go/v3/core"

	"sluice/internal/publish"
)

// Codes of the open platform that mean something to a publisher. Others are refusals.
const (
	codeRateLimit     = 99991400
	codeTooMany       = 1254290
	codeConflict      = 1254291 // another write is going on
	codeNotReady      = 1254607
	codeInternal      = 1255001
	codeRemote        = 1255002
	codeTimeout       = 1255040
	codeRecordMissing = 1254043
	codeForbidden     = 1254302
	codeNoScope       = 99991672
	codeNoUserScope   = 99991679
	codeTokenWrong    = 99991661
	codeTenantToken   = 99991663
	codeAppToken      = 99991664
	codeAccessToken   = 99991671
	codeTokenExpired  = 99991677
	codeBadSecret     = 10014
	codeBadApp        = 10003
)

// attempt is one request: what came back, and the code inside it.
type attempt func(token larkcore.RequestOptionFunc) (*larkcore.ApiResp, larkcore.CodeError, error)

// call makes a request with a token. One that the server no longer takes is renewed once.
func (t *Target) call(ctx context.Context, do attempt) error {
	for renewed := false; ; renewed = true {
		token, err := t.tokens.tenant(ctx, renewed)
		if err != nil {
			return err
		}
		res, code, err := do(larkcore.WithTenantAccessToken(token))
		if err != nil {
			return t.failed(ctx, res, err)
		}
		if res.StatusCode/100 == 2 && code.Code == 0 {
			return nil
		}
		failure := t.refused(res, code)
		failure.Message = strings.ReplaceAll(failure.Message, token, "[token]") // servers repeat what they were told
		if failure.Code == publish.Auth && !renewed {
			continue
		}
		return failure
	}
}

// failed is a request without an answer that could be read.
func (t *Target) failed(ctx context.Context, res *larkcore.ApiResp, err error) error {
	if ctx.Err() == nil {
		if _, ok := errors.AsType[*larkcore.ClientTimeoutError](err); ok {
			return &publish.CallError{Code: publish.TimedOut, Message: "no answer in time"}
		}
		if _, ok := errors.AsType[*larkcore.ServerTimeoutError](err); ok {
			return &publish.CallError{Code: publish.TimedOut, Message: "the server ran out of time"}
		}
		if _, ok := errors.AsType[*larkcore.DialFailedError](err); ok {
			return &publish.CallError{Code: publish.Connection, Message: "no connection to the server"}
		}
		if _, ok := errors.AsType[*json.SyntaxError](err); ok || errors.Is(err, errTooLong) {
			return &publish.CallError{Code: publish.ServerError, Message: "the answer cannot be read"}
		}
	}
	return publish.NetworkError(ctx, err)
}

// refused turns an answer with a code, or a status alone, into what it means.
func (t *Target) refused(res *larkcore.ApiResp, code larkcore.CodeError) *publish.CallError {
	e := &publish.CallError{Code: meaning(res.StatusCode, code.Code),
		Message: fmt.Sprintf("status %d, code %d: %s", res.StatusCode, code.Code, short(code.Msg)), RetryAfter: t.wait(res.Header)}
	return e
}

func meaning(status, code int) publish.CallCode {
	switch code {
	case codeRateLimit, codeTooMany, codeConflict, codeNotReady:
		return publish.RateLimited
	case codeInternal, codeRemote:
		return publish.ServerError
	case codeTimeout:
		return publish.TimedOut
	case codeRecordMissing:
		return publish.Gone
	case codeForbidden, codeNoScope, codeNoUserScope:
		return publish.Forbidden
	case codeTokenWrong, codeTenantToken, codeAppToken, codeAccessToken, codeTokenExpired, codeBadSecret, codeBadApp:
		return publish.Auth
	}
	switch {
	case status == http.StatusTooManyRequests:
		return publish.RateLimited
	case status == http.StatusRequestTimeout || status == http.StatusGatewayTimeout:
		return publish.TimedOut
	case status >= 500:
		return publish.ServerError
	case status == http.StatusUnauthorized:
		return publish.Auth
	case status == http.StatusForbidden:
		return publish.Forbidden
	}
	return publish.Rejected
}

// wait is how long the server asks to wait, in the header of all or in its own.
func (t *Target) wait(h http.Header) time.Duration {
	if d := publish.RetryAfter(h, t.o.Now()); d > 0 {
		return d
	}
	if n, err := strconv.Atoi(h.Get("X-Ogw-Ratelimit-Reset")); err == nil && n > 0 {
		return time.Duration(min(n, 3600)) * time.Second
	}
	return 0
}

// short keeps what a server says to one readable line.
func short(s string) string {
	const most = 300
	out := make([]rune, 0, most)
	for _, r := range s {
		if r < ' ' || r == 0x7f {
			r = ' '
		}
		if out = append(out, r); len(out) == most {
			break
		}
	}
	return string(out)
}

// tokens keeps the tenant's token until shortly before it expires.
type tokens struct {
	config *larkcore.Config
	secret publish.SecretSource
	now    func() time.Time

	mu    sync.Mutex
	value string
	until time.Time
}

// tokenMargin is how long before its end a token is no longer used.
const tokenMargin = 3 * time.Minute

func (k *tokens) tenant(ctx context.Context, renew bool) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.value != "" && !renew && k.now().Before(k.until) {
		return k.value, nil
	}
	secret, err := k.secret()
	if err != nil {
		return "", &publish.CallError{Code: publish.Auth, Message: err.Error()}
	}
	if secret == "" {
		return "", &publish.CallError{Code: publish.Auth, Message: "the secret of the app is empty"}
	}
	config := *k.config
	config.AppSecret = secret
	res, err := larkcore.Request(ctx, &larkcore.ApiReq{HttpMethod: http.MethodPost, ApiPath: larkcore.TenantAccessTokenInternalUrlPath,
		Body:                      &larkcore.SelfBuiltTenantAccessTokenReq{AppID: config.AppId, AppSecret: secret},
		SupportedAccessTokenTypes: []larkcore.AccessTokenType{larkcore.AccessTokenTypeNone}}, &config)
	t := &Target{o: Options{Now: k.now}}
	if err != nil {
		return "", t.failed(ctx, res, err)
	}
	answer := &larkcore.TenantAccessTokenResp{}
	if err := json.Unmarshal(res.RawBody, answer); err != nil && res.StatusCode/100 == 2 {
		return "", &publish.CallError{Code: publish.ServerError, Message: "the answer to the request for a token cannot be read"}
	}
	if res.StatusCode/100 != 2 || answer.Code != 0 || answer.TenantAccessToken == "" {
		failure := t.refused(res, answer.CodeError)
		failure.Message = "no token: " + strings.ReplaceAll(failure.Message, secret, "[secret]")
		return "", failure
	}
	life := time.Duration(answer.Expire) * time.Second
	k.value, k.until = answer.TenantAccessToken, k.now().Add(life-min(tokenMargin, life/2))
	return k.value, nil
}

// silent is the SDK's log: it would print to the screen, requests included.
type silent struct{}

func (silent) Debug(context.Context, ...any) {}
func (silent) Info(context.Context, ...any)  {}
func (silent) Warn(context.Context, ...any)  {}
func (silent) Error(context.Context, ...any) {}

var errTooLong = errors.New("the answer is longer than any of ours")

// bounded ends answers that are longer than any page of records. What something between here and Feishu says in its own
// words becomes an answer with a code, since the SDK would lose its status.
type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if strings.Contains(res.Header.Get("Content-Type"), "application/json") {
		res.Body = &limited{res.Body, 64 << 20}
		return res, nil
	}
	_ = res.Body.Close() // nothing in it is for us
	code := res.StatusCode
	if code/100 == 2 {
		code = codeRemote
	}
	res.Header.Set("Content-Type", "application/json")
	res.Body = io.NopCloser(strings.NewReader(fmt.Sprintf(`{"code":%d,"msg":"the answer is no JSON"}`, code)))
	return res, nil
}

type limited struct {
	io.ReadCloser
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooLong
	}
	n, err := l.ReadCloser.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}
