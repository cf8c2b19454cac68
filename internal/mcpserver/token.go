package mcpserver

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"sluice/internal/fault"
)

// minToken is the least that cannot be guessed.
const minToken = 20

// Token reads the bearer token from its file, which is made on first use. The file is the user's own and nobody else's.
func Token(file string) (string, error) {
	token, err := readToken(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return "", fault.Wrap(fault.NoPermission, file, err, "the directory of the token cannot be made")
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return readToken(file) // another process was quicker
	}
	if err != nil {
		return "", fault.Wrap(fault.NoPermission, file, err, "the token cannot be kept")
	}
	token = rand.Text()
	_, err = f.WriteString(token + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", fault.Wrap(fault.NoPermission, file, err, "the token cannot be kept")
	}
	return token, nil
}

func readToken(file string) (string, error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err != nil {
		return "", fault.Wrap(fault.NoPermission, file, err, "the token cannot be read")
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", fault.New(fault.NoPermission, file, "%s can be read by others (mode %o)", file, info.Mode().Perm()).
			With(fault.Action{Action: "close it", Command: "chmod 600 " + file, Why: "whoever reads the token can approve in your name"})
	}
	body, err := os.ReadFile(file)
	if err != nil {
		return "", fault.Wrap(fault.NoPermission, file, err, "the token cannot be read")
	}
	token := strings.TrimSpace(string(body))
	if len(token) < minToken {
		return "", fault.New(fault.BadValue, file, "%s holds no token: at least %d characters are needed", file, minToken).
			With(fault.Action{Action: "remove it", Command: "rm " + file, Why: "the next start makes a new one"})
	}
	return token, nil
}
