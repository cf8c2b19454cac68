package modeltest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"sluice/internal/journal"
	"sluice/internal/model"
)

// Answer is what a server does with a request, said without any provider's words.
type Answer struct {
	Text    string // the reply
	Usage   journal.Usage
	Refusal string // the model declines, saying this
	Cut     bool   // the reply ends at the token limit

	Status     int // an HTTP error instead of a reply
	Message    string
	RetryAfter string
	Location   string // where a redirect points

	Delay time.Duration // before the first byte
	Drop  bool          // the connection ends without an answer
	Half  bool          // the connection ends in the middle of the answer
	Early bool          // the answer ends in the middle as if it were whole
	Stall bool          // nothing comes until the client goes away
}

// Asked is what arrived, read from the wire.
type Asked struct {
	Model  string
	System string
	Prompt string
	Key    string
	Schema json.RawMessage // empty when the request asked for no schema
	Stream bool            // the reply was asked for in pieces
}

// Wire speaks one provider's format.
type Wire interface {
	// Read understands a request.
	Read(r *http.Request, body []byte) (Asked, error)
	// Write gives a reply, a refusal or an error, in at least two pieces where the request asked for a stream and the text
	// has more than one letter. The suite itself deals with the state of the connection.
	Write(w http.ResponseWriter, asked Asked, a Answer)
}

// Subject is an adapter under test.
type Subject struct {
	Wire Wire
	// Open makes the adapter for a server. It must not retry by itself. An empty key is none; a time-out of 0 is none.
	Open func(t *testing.T, baseURL string, key model.Secret, timeout time.Duration) model.Model
	// FallsBack says that the adapter asks in another way when a server refuses its schema. One that does not must
	// report the refusal.
	FallsBack bool
	// CannotRefuse says that the wire format has no word for a model that declines.
	CannotRefuse bool
	// Env are variables that a provider's own tools read. The adapter must not.
	Env map[string]string
}

// Key is a source that always has this key.
func Key(key model.Secret) model.KeySource {
	return func(context.Context) (model.Secret, error) { return key, nil }
}

// server answers as the case under test says.
type server struct {
	t      *testing.T
	wire   Wire
	answer func(n int, a Asked) Answer
	url    string

	mu    sync.Mutex
	asked []Asked
}

func serve(t *testing.T, s Subject, answer func(n int, a Asked) Answer) (*server, model.Model) {
	t.Helper()
	srv := listen(t, s, answer)
	return srv, s.Open(t, srv.url, model.NewSecret(plantedKey), 0)
}

func listen(t *testing.T, s Subject, answer func(n int, a Asked) Answer) *server {
	t.Helper()
	srv := &server{t: t, wire: s.Wire, answer: answer}
	web := httptest.NewServer(srv)
	t.Cleanup(web.Close)
	srv.url = web.URL
	return srv
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Errorf("request body: %v", err)
	}
	asked, err := s.wire.Read(r, body)
	if err != nil {
		s.t.Errorf("request on the wire: %v in %s", err, body)
	}
	s.mu.Lock()
	s.asked = append(s.asked, asked)
	n := len(s.asked)
	s.mu.Unlock()
	a := s.answer(n, asked)
	if a.Delay > 0 {
		select {
		case <-time.After(a.Delay):
		case <-r.Context().Done():
		}
	}
	switch {
	case a.Drop:
		panic(http.ErrAbortHandler) // the way net/http lets a handler cut the connection
	case a.Stall:
		<-r.Context().Done()
	case a.Half, a.Early:
		s.half(w, asked, a)
	case a.Location != "":
		w.Header().Set("Location", a.Location)
		w.WriteHeader(a.Status)
	default:
		s.wire.Write(w, asked, a)
	}
}

// half sends the first half of an answer.
func (s *server) half(w http.ResponseWriter, asked Asked, a Answer) {
	whole := httptest.NewRecorder()
	s.wire.Write(whole, asked, a)
	body := whole.Body.Bytes()
	w.Header().Set("Content-Type", whole.Header().Get("Content-Type"))
	if a.Early {
		// Not in the middle of an event or a line: what comes is whole, there is only too little of it.
		end := bytes.LastIndexByte(body[:len(body)/2], '\n') + 1
		_, _ = w.Write(body[:end])
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body[:len(body)/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

func (s *server) requests() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Asked(nil), s.asked...)
}
