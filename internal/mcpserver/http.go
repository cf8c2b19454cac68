package mcpserver

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sluice/internal/fault"
)

const (
	// Path is where the door is on its host.
	Path = "/mcp"

	sessionTimeout = 30 * time.Minute
	maxBody        = 1 << 20
	shutdownTime   = 2 * time.Second

	// statelessFrom is the protocol version from which a client has no sessions: each request says all.
	statelessFrom = "2026-07-28"
)

// HTTP is the door over streamable HTTP, for holders of the token. host is the one that was listened on.
func (s *Server) HTTP(host, token string) http.Handler {
	lasting := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.lasting },
		&mcp.StreamableHTTPOptions{SessionTimeout: sessionTimeout, MaxRequestBodyBytes: maxBody})
	fleeting := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.fleeting },
		&mcp.StreamableHTTPOptions{Stateless: true, MaxRequestBodyBytes: maxBody})
	mux := http.NewServeMux()
	mux.HandleFunc(Path, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= statelessFrom {
			fleeting.ServeHTTP(w, r)
			return
		}
		lasting.ServeHTTP(w, r)
	})
	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		forbid(w, http.StatusForbidden, r.Header.Get("Origin"), "requests of other web pages are refused")
	}))
	return guarded{inner: guard.Handler(mux), host: host, token: sha256.Sum256([]byte(token))}
}

// guarded lets through what comes from this machine's own programs: the name that was asked for is ours (a page that
// rebinds its own name to us is not), no other page sent it, and it has the token.
type guarded struct {
	inner http.Handler
	host  string
	token [sha256.Size]byte
}

func (g guarded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !g.isOurs(r.Host) {
		forbid(w, http.StatusForbidden, r.Host, "host %q is not served here", clip(r.Host))
		return
	}
	if origin := r.Header.Get("Origin"); origin != "" && !sameOrigin(origin, r.Host) {
		forbid(w, http.StatusForbidden, origin, "origin %q is not let in", clip(origin))
		return
	}
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(given)))
	if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(sum[:], g.token[:]) != 1 {
		w.Header().Set("WWW-Authenticate", `Bearer realm="sluice"`)
		forbid(w, http.StatusUnauthorized, "Authorization", "a bearer token is needed; sluice serve --mcp says in which file it is kept")
		return
	}
	g.inner.ServeHTTP(w, r)
}

// isOurs tells whether a Host header names this server. On loopback only loopback's names do. Elsewhere the name that was
// listened on does, and every literal address: rebinding needs a name.
func (g guarded) isOurs(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	if isLoopback(g.host) {
		return err == nil && ip.IsLoopback()
	}
	return err == nil || strings.EqualFold(host, g.host)
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
}

func sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && strings.EqualFold(u.Host, host)
}

func forbid(w http.ResponseWriter, status int, subject, format string, args ...any) {
	body, err := json.Marshal(struct {
		Error *fault.Error `json:"error"`
	}{fault.New(fault.NoPermission, clip(subject), format, args...)})
	if err != nil {
		body = nil
	}
	w.Header().Set("Content-Type", jsonType)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}

// Listen opens the address; one without a host is on loopback.
func Listen(ctx context.Context, addr string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fault.New(fault.Usage, "--addr", "--addr is %q; HOST:PORT is needed", clip(addr)).
			With(fault.Action{Action: "default", Command: "sluice serve --mcp", Why: "it chooses a port on 127.0.0.1"})
	}
	if host == "" {
		host = "127.0.0.1"
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fault.Wrap(fault.Usage, "--addr", err, "%s cannot be listened on", addr).
			With(fault.Action{Action: "another port", Command: "sluice serve --mcp --addr 127.0.0.1:0", Why: "0 takes a free one"})
	}
	return l, nil
}

// Serve answers requests until ctx ends, then lets calls finish for a moment and ends.
func (s *Server) Serve(ctx context.Context, l net.Listener, token string) error {
	defer s.Stop()
	host, _, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return err
	}
	life, cancel := context.WithCancel(ctx)
	defer cancel()
	go s.watching(life)
	server := &http.Server{Handler: s.HTTP(host, token), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	grace, done := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer done()
	go s.hangUp()
	err = server.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	<-ended
	return err
}

// hangUp ends what clients keep open: their streams would hold the server for as long as they like.
func (s *Server) hangUp() {
	for session := range s.lasting.Sessions() {
		_ = session.Close()
	}
}
