package modeltest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

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

	Drop  bool // the connection ends without an answer
	Stall bool // nothing comes until the client goes away
}

// Asked is what arrived, read from the wire.
type Asked struct {
	Model  string
	System string
	Prompt string
	Key    string
	Schema json.RawMessage // empty when the request asked for no schema
}

// Wire speaks one provider's format.
type Wire interface {
	// Read understands a request.
	Read(r *http.Request, body []byte) (Asked, error)
	// Write gives an answer. The suite itself deals with Drop and Stall.
	Write(w http.ResponseWriter, a Answer)
}

// Subject is an adapter under test.
type Subject struct {
	Wire Wire
	// Open makes the adapter for a server. It must not retry by itself.
	Open func(t *testing.T, baseURL string, key model.Secret) model.Model
	// FallsBack says that the adapter asks in another way when a server refuses its schema. One that does not must
	// report the refusal.
	FallsBack bool
}

// server answers as the case under test says.
type server struct {
	t      *testing.T
	wire   Wire
	answer func(n int, a Asked) Answer

	mu    sync.Mutex
	asked []Asked
}

func serve(t *testing.T, s Subject, answer func(n int, a Asked) Answer) (*server, model.Model) {
	t.Helper()
	srv := &server{t: t, wire: s.Wire, answer: answer}
	web := httptest.NewServer(srv)
	t.Cleanup(web.Close)
	return srv, s.Open(t, web.URL, model.NewSecret(plantedKey))
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
	switch {
	case a.Drop:
		panic(http.ErrAbortHandler) // the way net/http lets a handler cut the connection
	case a.Stall:
		<-r.Context().Done()
	default:
		s.wire.Write(w, a)
	}
}

func (s *server) requests() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Asked(nil), s.asked...)
}
