package model

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"runtime"
	"strings"

	"sluice/internal/fault"
)

// Secret is a key that no print, log or document ever shows. Only Reveal gives it away, and only adapters call that.
// It holds a pointer because fmt prints the unexported fields of a struct around it without asking its methods, and of
// a pointer shows the address alone.
type Secret struct{ value *string }

const hidden = "[secret]"

// NewSecret hides a value.
func NewSecret(value string) Secret {
	value = strings.TrimSpace(value)
	return Secret{&value}
}

// Reveal gives the value, for the one request header it belongs in.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// IsEmpty tells that there is nothing to hide.
func (s Secret) IsEmpty() bool { return s.Reveal() == "" }

func (s Secret) String() string               { return hidden }
func (s Secret) GoString() string             { return hidden }
func (s Secret) Format(f fmt.State, _ rune)   { _, _ = io.WriteString(f, hidden) }
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + hidden + `"`), nil }
func (s Secret) LogValue() slog.Value         { return slog.StringValue(hidden) }

// Scrub removes the secret from foreign text, also where a server echoes it encoded. Values of fewer than four
// characters are left alone: they occur by chance, and no real key is that short.
func (s Secret) Scrub(text string) string {
	value := s.Reveal()
	if len(value) < 4 {
		return text
	}
	for _, form := range []string{
		value, url.QueryEscape(value), url.PathEscape(value), base64.StdEncoding.EncodeToString([]byte(value)),
	} {
		text = strings.ReplaceAll(text, form, hidden)
	}
	return text
}

// KeySource finds a provider's key when it is first needed. It is given by the user's configuration, never by a
// workspace.
type KeySource func(ctx context.Context) (Secret, error)

// KeyFromEnv takes the key from the first of the named variables that is set.
func KeyFromEnv(lookup func(string) (string, bool), names ...string) KeySource {
	return func(context.Context) (Secret, error) {
		for _, name := range names {
			if v, ok := lookup(name); ok && strings.TrimSpace(v) != "" {
				return NewSecret(v), nil
			}
		}
		all := strings.Join(names, " or ")
		return Secret{}, fault.New(fault.ModelAuth, all, "no key: %s is not set", all).With(showConfig("it shows where keys are looked for"))
	}
}

// maxKeyFile is far more than a key has.
const maxKeyFile = 64 << 10

// KeyFromFile takes the key from a file of the user's own that nobody else can read.
func KeyFromFile(path string) KeySource {
	return func(context.Context) (Secret, error) {
		info, err := os.Stat(path)
		if err != nil {
			return Secret{}, fault.Wrap(fault.ModelAuth, path, err, "no key: the key file cannot be read").With(
				showConfig("it shows where keys are looked for"))
		}
		if !info.Mode().IsRegular() || info.Size() > maxKeyFile {
			return Secret{}, fault.New(fault.ModelAuth, path, "no key: key file %s is no plain file of up to %d bytes", path, maxKeyFile).With(
				showConfig("it shows where keys are looked for"))
		}
		// Windows has no such permission bits; there the user's profile directory guards the file.
		if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			return Secret{}, fault.New(fault.NoPermission, path, "key file %s has mode %04o and others may read it; 0600 is needed",
				path, info.Mode().Perm()&fs.ModePerm).With(
				fault.Action{Action: "close_file", Command: "chmod 600 " + path})
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return Secret{}, fault.Wrap(fault.ModelAuth, path, err, "no key: the key file cannot be read")
		}
		key := NewSecret(string(body))
		if key.IsEmpty() {
			return Secret{}, fault.New(fault.ModelAuth, path, "no key: key file %s is empty", path)
		}
		return key, nil
	}
}
