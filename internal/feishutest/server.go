package feishutest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"
)

// What every server knows.
const (
	AppID     = "cli_app"
	AppSecret = "s3cret"
	AppToken  = "bascn_base"
	TableID   = "tbl_specs"
)

// Op is a kind of request.
type Op string

const (
	Token  Op = "token"
	Search Op = "search"
	Create Op = "create"
	Update Op = "update"
)

// Fault is what goes wrong with one request.
type Fault string

const (
	RateLimit   Fault = "rate_limit"   // code 99991400 in an answer with status 400
	TooMany     Fault = "too_many"     // status 429 with Retry-After
	Internal    Fault = "internal"     // code 1255001
	BadGateway  Fault = "bad_gateway"  // a page of a proxy, no JSON
	Forbidden   Fault = "forbidden"    // code 1254302
	Drop        Fault = "drop"         // the connection ends before anything is done
	Lost        Fault = "lost"         // it is done, and the connection ends before the answer
	Nonsense    Fault = "nonsense"     // an answer that is cut in the middle
	NoRecord    Fault = "no_record"    // it is done, and the answer does not say which record
	TokenExpiry Fault = "token_expiry" // every token given so far is refused from now on
)

// Kind is the type of a column.
type Kind string

const (
	Text   Kind = "text"
	Select Kind = "select"
	User   Kind = "user"
	Link   Kind = "link"
)

// Columns are those of the table that the default mapping fills.
func Columns() map[string]Kind {
	return map[string]Kind{"反馈问题": Text, "用户故事": Text, "需求状态": Select, "评审": Select, "排期": Select, "优先级": Select,
		"需求类型": Select, "需求负责人": User, "执行成员": User, "所属项目": Link, "备注": Text}
}

// Record is a row of the table.
type Record struct {
	ID     string
	Fields map[string]json.RawMessage
}

// Server is the platform. Its methods may be called while it serves.
type Server struct {
	URL string

	web     *httptest.Server
	quit    chan struct{}
	columns map[string]Kind
	mu      sync.Mutex // guards what follows
	hold    func(op Op)
	slow    time.Duration
	tokens  map[string]bool
	issued  int
	life    int // seconds that tokens are said to live
	records []Record
	byToken map[string]string // client token to record
	faults  map[Op][]Fault
	calls   map[Op]int
}

// Start serves until Close.
func Start() *Server {
	s := &Server{columns: Columns(), tokens: map[string]bool{}, byToken: map[string]string{}, faults: map[Op][]Fault{}, calls: map[Op]int{}, life: 7200,
		quit: make(chan struct{})}
	base := "/open-apis/bitable/v1/apps/{app}/tables/{table}/records"
	mux := http.NewServeMux()
	mux.HandleFunc("POST /open-apis/auth/v3/tenant_access_token/internal", s.serve(Token, s.token))
	mux.HandleFunc("POST "+base, s.serve(Create, s.create))
	mux.HandleFunc("POST "+base+"/search", s.serve(Search, s.search))
	mux.HandleFunc("PUT "+base+"/{record}", s.serve(Update, s.update))
	s.web = httptest.NewServer(mux)
	s.URL = s.web.URL
	return s
}

// Close ends the server.
func (s *Server) Close() {
	close(s.quit)
	s.web.CloseClientConnections()
	s.web.Close()
}

// Inject lets the next requests of a kind go wrong, one fault each.
func (s *Server) Inject(op Op, faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[op] = append(s.faults[op], faults...)
}

// Hold lets something happen after a request was done and before it is answered.
func (s *Server) Hold(hold func(op Op)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hold = hold
}

// Slow lets every request wait before anything is done.
func (s *Server) Slow(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slow = d
}

// ExpireTokens makes every token given so far invalid.
func (s *Server) ExpireTokens() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.tokens)
}

// Records gives a copy of what stands in the table.
func (s *Server) Records() []Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Clone(s.records)
	for i := range all {
		all[i].Fields = maps.Clone(all[i].Fields)
	}
	return all
}

// Remove deletes a record, as a person would.
func (s *Server) Remove(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = slices.DeleteFunc(s.records, func(r Record) bool { return r.ID == id })
}

// Add puts a record of somebody else into the table.
func (s *Server) Add(fields map[string]json.RawMessage) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.add(fields)
}

func (s *Server) add(fields map[string]json.RawMessage) string {
	id := fmt.Sprintf("rec%04d", len(s.records)+len(s.byToken)+1)
	for slices.ContainsFunc(s.records, func(r Record) bool { return r.ID == id }) {
		id += "x"
	}
	s.records = append(s.records, Record{id, fields})
	return id
}

// Calls counts the requests of a kind, those that went wrong too; of all kinds if it is empty.
func (s *Server) Calls(op Op) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if op != "" {
		return s.calls[op]
	}
	n := 0
	for _, c := range s.calls {
		n += c
	}
	return n
}

// answer is what a request comes to.
type answer struct {
	Code int    `json:"code"`
	Msg  string `json:"msg"`
	Data any    `json:"data,omitempty"`

	TenantAccessToken string `json:"tenant_access_token,omitempty"`
	Expire            int    `json:"expire,omitempty"`
}

func refuse(code int, format string, args ...any) answer {
	return answer{Code: code, Msg: fmt.Sprintf(format, args...)}
}

func (s *Server) serve(op Op, do func(*http.Request) answer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		slow, hold := s.slow, s.hold
		s.mu.Unlock()
		if slow > 0 {
			select {
			case <-time.After(slow):
			case <-s.quit:
				return
			}
		}
		s.mu.Lock()
		s.calls[op]++
		fault := Fault("")
		if queue := s.faults[op]; len(queue) > 0 {
			fault, s.faults[op] = queue[0], queue[1:]
		}
		if fault == TokenExpiry {
			clear(s.tokens)
		}
		var a answer
		isDone := fault == "" || fault == Lost || fault == Nonsense || fault == NoRecord || fault == TokenExpiry
		if isDone {
			if a = s.admit(op, r); a.Code == 0 {
				a = do(r)
			}
		}
		s.mu.Unlock()
		if hold != nil {
			hold(op)
		}
		reply(w, fault, a)
	}
}

// admit looks at the token and at the table's address.
func (s *Server) admit(op Op, r *http.Request) answer {
	if op == Token {
		return answer{}
	}
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case !ok:
		return refuse(99991661, "Missing access token for authorization")
	case !s.tokens[token]:
		return refuse(99991663, "Invalid access token for authorization. Please make a test attempt with your own token")
	case r.PathValue("app") != AppToken:
		return refuse(1254040, "BaseTokenNotFound")
	case r.PathValue("table") != TableID:
		return refuse(1254041, "TableIdNotFound")
	}
	return answer{}
}

func reply(w http.ResponseWriter, fault Fault, a answer) {
	status := http.StatusOK
	switch fault {
	case Drop, Lost:
		if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
			_ = c.Close() // that is the fault
		}
		return
	case BadGateway:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write([]byte("<html>bad gateway</html>")) // the client may be gone
		return
	case TooMany:
		w.Header().Set("Retry-After", "1")
		status, a = http.StatusTooManyRequests, refuse(99991400, "request trigger frequency limit")
	case RateLimit:
		a = refuse(99991400, "request trigger frequency limit")
	case Internal:
		a = refuse(1255001, "InternalError")
	case Forbidden:
		a = refuse(1254302, "The role has no permissions")
	case NoRecord:
		a.Data = nil
	}
	if a.Code >= 99990000 && status == http.StatusOK {
		status = http.StatusBadRequest
	}
	if fault == Forbidden {
		status = http.StatusForbidden
	}
	body, err := json.Marshal(a)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"code":1}`)
	}
	if fault == Nonsense {
		body = body[:len(body)/2]
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone
}
