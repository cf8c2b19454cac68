package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"sluice/internal/fault"
)

// Find gives the absolute directory of the workspace: explicit if it is not empty (from a flag or the environment),
// otherwise the nearest directory from start upwards that holds sluice.yaml.
func Find(start, explicit string) (string, error) {
	if explicit != "" && !filepath.IsAbs(explicit) {
		explicit = filepath.Join(start, explicit)
	}
	if explicit != "" {
		dir, err := filepath.Abs(explicit)
		if err != nil {
			return "", fail("find", explicit, err)
		}
		if !isWorkspace(dir) {
			return "", unknownWorkspace(dir, "%s holds no %s", dir, configName)
		}
		return dir, nil
	}
	from, err := filepath.Abs(start)
	if err != nil {
		return "", fail("find", start, err)
	}
	for dir := from; ; dir = filepath.Dir(dir) {
		if isWorkspace(dir) {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", unknownWorkspace(from, "neither %s nor a directory above it holds %s", from, configName)
		}
	}
}

func unknownWorkspace(dir, format string, args ...any) error {
	return fault.New(fault.UnknownWorkspace, dir, format, args...).
		With(fault.Action{Action: "make a workspace", Command: "sluice init", Why: "it writes " + configName})
}

func isWorkspace(dir string) bool {
	fi, err := os.Stat(filepath.Join(dir, configName))
	return err == nil && fi.Mode().IsRegular()
}

// Init makes a workspace with this configuration. The configuration file comes last: until it is there, nothing is a
// workspace. A folder that CheckFolder refuses is refused unless allowUnsafe.
func Init(dir string, config []byte, allowUnsafe bool) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fail("make", dir, err)
	}
	if err := CheckFolder(dir, allowUnsafe); err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(dir, configName)); err == nil {
		return workspaceExists(dir)
	}
	if err := os.MkdirAll(dir, dirPerm); err != nil {
		return fail("make", dir, err)
	}
	t, err := Open(dir)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := t.writePrivate(privateDir+"/.gitignore", []byte("*\n")); err != nil {
		return err
	}
	if err := t.root.Chmod(privateDir, privateDirs); err != nil {
		return fail("make", privateDir, err)
	}
	err = t.writeNew(t.batch(), configName, config, filePerm)
	if errors.Is(err, fault.FileExists) {
		return workspaceExists(dir)
	}
	return err
}

func workspaceExists(dir string) error {
	return fault.New(fault.WorkspaceExists, dir, "%s is a workspace already", dir).
		With(fault.Action{Action: "look at it", Command: "sluice status"})
}

// CheckFolder refuses folders on which the store cannot be trusted: on a network, where locks and shared memory do not
// work between machines, and synced to a cloud, where another program replaces files under a running store. A folder
// that is not there yet is judged by the nearest one above it.
func CheckFolder(dir string, allow bool) error {
	if allow {
		return nil
	}
	actual, err := resolve(dir)
	if err != nil {
		return fail("look at", dir, err)
	}
	kind, err := fileSystem(existing(actual))
	if err != nil {
		return fail("look at", dir, err)
	}
	why := unsafeReason(kind, actual)
	if why == "" {
		return nil
	}
	return fault.New(fault.UnsafeFolder, dir, "%s %s; a workspace needs a local folder that nothing syncs", dir, why).
		With(fault.Action{Action: "use a local folder and share the files with git"})
}

// resolve follows symbolic links as far as the path is there.
func resolve(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	there := existing(abs)
	actual, err := filepath.EvalSymlinks(there)
	if err != nil {
		return "", err
	}
	rest, err := filepath.Rel(there, abs)
	return filepath.Join(actual, rest), err
}

func existing(dir string) string {
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return dir
}
