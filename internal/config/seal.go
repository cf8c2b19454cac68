package config

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"sluice/internal/fault"
)

// Seal marks what its user said, so that a store which came from elsewhere cannot say it in the user's place. Its key is kept
// beside the user's settings and is made when it is first needed.
type Seal struct {
	File  string // of the key; empty where there is no home directory
	IsDry bool   // nothing is written: a key that is not there is made for this process alone

	mu  sync.Mutex
	key []byte
}

// minKey is the least that cannot be guessed.
const minKey = 20

// Seal gives the mark of a text.
func (s *Seal) Seal(text string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.read(); err != nil {
		return "", err
	}
	if s.key == nil {
		if err := s.make(); err != nil {
			return "", err
		}
	}
	return s.mark(text), nil
}

// IsSealed tells whether this user marked the text. It makes no key: without one nothing was marked.
func (s *Seal) IsSealed(text, mark string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.read(); err != nil || s.key == nil {
		return false
	}
	return hmac.Equal([]byte(s.mark(text)), []byte(mark))
}

func (s *Seal) mark(text string) string {
	h := hmac.New(sha256.New, s.key)
	h.Write([]byte(text)) // never fails, by its contract
	return hex.EncodeToString(h.Sum(nil))
}

// read takes the key from its file, if that is there.
func (s *Seal) read() error {
	if s.key != nil || s.File == "" {
		return nil
	}
	body, err := os.ReadFile(s.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.Wrap(fault.NoPermission, s.File, err, "the key in %s cannot be read", s.File)
	}
	key := strings.TrimSpace(string(body))
	if len(key) < minKey {
		return fault.New(fault.BadValue, s.File, "%s holds no key: at least %d characters are needed", s.File, minKey).
			With(fault.Action{Action: "remove", Command: "rm " + s.File, Why: "a new one is made; limits that were set by hand are set again"})
	}
	s.key = []byte(key)
	return nil
}

// make keeps a new key. It appears whole or not at all: another process may make one at the same moment, and the first counts.
func (s *Seal) make() error {
	key := rand.Text()
	if s.IsDry {
		s.key = []byte(key)
		return nil
	}
	if s.File == "" {
		return fault.New(fault.BadConfig, "HOME", "there is no home directory to keep what you set by hand").
			With(fault.Action{Action: "set HOME", Why: "or give the limit with the command: --budget-tokens N, --budget-cost DOLLARS"})
	}
	cannot := func(err error) error {
		return fault.Wrap(fault.NoPermission, s.File, err, "the key that marks what you set by hand cannot be kept in %s", s.File)
	}
	if err := os.MkdirAll(filepath.Dir(s.File), 0o700); err != nil {
		return cannot(err)
	}
	beside, err := os.CreateTemp(filepath.Dir(s.File), ".seal-*")
	if err != nil {
		return cannot(err)
	}
	defer os.Remove(beside.Name()) // by then it has its name, or is of no use
	_, err = beside.WriteString(key + "\n")
	if err = errors.Join(err, beside.Sync(), beside.Close()); err != nil {
		return cannot(err)
	}
	if err := os.Link(beside.Name(), s.File); err != nil && !errors.Is(err, fs.ErrExist) {
		if err := os.Rename(beside.Name(), s.File); err != nil { // not every system of files has links
			return cannot(err)
		}
	}
	return s.read()
}
