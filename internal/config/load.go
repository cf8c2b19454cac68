package config

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sluice/internal/fault"
)

// Source is everything that settings are taken from; what comes later wins.
type Source struct {
	UserFile  string   // path of the user's file; empty or absent is none
	Workspace string   // path of the workspace's sluice.yaml; empty or absent is none
	Environ   []string // NAME=value
	Flags     []Flag
}

// Flag is one setting given on the command line, or by a variable that stands for a flag.
type Flag struct {
	Key    string // such as model.provider
	Value  string
	Origin string // such as "flag --provider"
}

// Settings are the configuration with the origin of every key.
type Settings struct {
	Config
	origins map[string]string
}

// Row is one key as config show prints it.
type Row struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"` // default, a path, env NAME, flag --name
}

// maxFile bounds a file that is read before anything is known about it. With every setting in it a file has a tenth.
const maxFile = 64 << 10

// Load reads the settings. The first thing that is wrong ends it, with its place.
func Load(s Source) (*Settings, error) {
	l := &loader{fields: fields(), userFile: s.UserFile, out: &Settings{Config: Default(), origins: map[string]string{}}}
	for _, f := range l.fields {
		l.out.origins[f.key] = "default"
	}
	if err := l.file(s.UserFile, true); err != nil {
		return nil, err
	}
	chosen := l.out.Model.Provider
	if err := l.file(s.Workspace, false); err != nil {
		return nil, err
	}
	if err := l.environ(s.Environ); err != nil {
		return nil, err
	}
	for _, flag := range s.Flags {
		if err := l.text(flag.Key, flag.Value, flag.Origin); err != nil {
			return nil, err
		}
	}
	if err := l.finish(s, chosen); err != nil {
		return nil, err
	}
	return l.out, nil
}

// Origin says where the value of a key came from.
func (s *Settings) Origin(key string) string { return s.origins[key] }

// Show lists every key with its value and origin. There are no keys of providers among them, only where they are kept.
func (s *Settings) Show() []Row {
	var rows []Row
	for _, f := range fields() {
		rows = append(rows, Row{Key: f.key, Value: f.show(&s.Config), Origin: s.origins[f.key]})
	}
	return rows
}

// loader lays one layer over the other.
type loader struct {
	fields   []field
	out      *Settings
	userFile string // where a setting belongs that a workspace may not have
}

func (l *loader) find(key string) (field, bool) {
	i := slices.IndexFunc(l.fields, func(f field) bool { return f.key == key })
	if i < 0 {
		return field{}, false
	}
	return l.fields[i], true
}

func (l *loader) file(path string, own bool) error {
	if path == "" {
		return nil
	}
	look := os.Stat
	if !own { // a link of a stranger's could show a file of yours in a message
		look = os.Lstat
	}
	info, err := look(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fault.Wrap(fault.BadConfig, path, err, "the settings in %s cannot be read", path).With(edit(path))
	case !info.Mode().IsRegular():
		return fault.New(fault.BadConfig, path, "%s is no plain file", path).With(edit(path))
	case info.Size() > maxFile:
		return fault.New(fault.BadConfig, path, "%s has %d bytes; settings have at most %d", path, info.Size(), maxFile).With(edit(path))
	}
	body, err := readSome(path)
	if err != nil {
		return fault.Wrap(fault.BadConfig, path, err, "the settings in %s cannot be read", path).With(edit(path))
	}
	return l.document(path, body, own)
}

// readSome reads no more than a file may have, whatever it says about its size.
func readSome(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}

func edit(path string) fault.Action {
	return fault.Action{Action: "edit", Why: "correct " + path + " and run the command again"}
}

// change is the way out of a setting that did not come from a file.
func change(origin string) fault.Action {
	if name, ok := strings.CutPrefix(origin, "env "); ok {
		return fault.Action{Action: "unset", Command: "unset " + name, Why: "or give it a value that fits"}
	}
	return fault.Action{Action: "change", Why: "correct " + origin + " and run the command again"}
}

// environ takes the variables whose names are keys. One that names a known section and an unknown key is a slip of the
// pen; any other is not ours to judge.
func (l *loader) environ(environ []string) error {
	names, _ := sections()
	sorted := slices.Clone(environ)
	slices.Sort(sorted)
	for _, entry := range sorted {
		name, value, ok := strings.Cut(entry, "=")
		if !ok || !strings.HasPrefix(name, "SLUICE_") {
			continue
		}
		if i := slices.IndexFunc(l.fields, func(f field) bool { return f.env == name }); i >= 0 {
			if err := l.text(l.fields[i].key, value, "env "+name); err != nil {
				return err
			}
			continue
		}
		for _, section := range names {
			if rest, ok := strings.CutPrefix(name, envName(section)+"_"); ok {
				key := section + "." + strings.ToLower(rest)
				return fault.New(fault.BadConfig, name, "env %s sets %s, which is no setting%s", name, key,
					l.suggest(key, func(f field) string { return f.env })).With(change("env " + name))
			}
		}
	}
	return nil
}

// text sets a key from the environment or a flag.
func (l *loader) text(key, value, origin string) error {
	f, ok := l.find(key)
	if !ok {
		return fault.New(fault.BadConfig, key, "%s sets %s, which is no setting%s", origin, key,
			l.suggest(key, func(f field) string { return f.key })).With(change(origin))
	}
	switch {
	case f.isTable():
		if err := l.textTable(f, value, origin); err != nil {
			return err
		}
	case f.isList():
		items := []string{}
		for item := range strings.SplitSeq(value, ",") {
			if item = strings.TrimSpace(item); item != "" {
				items = append(items, item)
			}
		}
		f.setList(&l.out.Config, items)
	default:
		if need := f.set(&l.out.Config, value); need != "" {
			return fault.New(fault.BadConfig, f.key, "%s sets %s to %s; %s", origin, f.key, printable(f, value), need).With(change(origin))
		}
	}
	if why := refuse(f.key, &l.out.Config); why != "" {
		return fault.New(fault.BadConfig, f.key, "%s sets %s, which %s", origin, f.key, why).With(change(origin))
	}
	l.out.origins[f.key] = origin
	return nil
}

// finish settles what depends on other settings. The provider that the user chose is known from before the workspace's
// file was read.
func (l *loader) finish(s Source, chosen string) error {
	m := &l.out.Model
	if err := l.refuseForeignKey(s, chosen); err != nil {
		return err
	}
	if l.out.origins["model.key_env"] == "default" && m.KeyFile == "" {
		if usual := usualKeys[m.Provider]; usual != "" {
			m.KeyEnv = usual
			l.out.origins["model.key_env"] = "default of " + m.Provider
		}
	}
	m.KeyFile = l.place(m.KeyFile, "model.key_file", s)
	p := &l.out.Publish
	p.WebhookSecretFile = l.place(p.WebhookSecretFile, "publish.webhook_secret_file", s)
	p.FeishuSecretFile = l.place(p.FeishuSecretFile, "publish.feishu_secret_file", s)
	l.out.Log.Dir = l.place(l.out.Log.Dir, "log.dir", s)
	for i := range m.Providers {
		m.Providers[i].KeyFile = l.place(m.Providers[i].KeyFile, "model.providers", s)
	}
	return l.refuseTiers()
}

// place makes a path absolute where its origin gives it a directory: the user's home for ~/, and the user's file for a
// relative path in it. Any other stays relative to where the program was started.
func (l *loader) place(path, key string, s Source) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		for _, entry := range s.Environ {
			if home, ok := strings.CutPrefix(entry, "HOME="); ok && home != "" {
				return filepath.Join(home, rest)
			}
			if home, ok := strings.CutPrefix(entry, "USERPROFILE="); ok && home != "" {
				return filepath.Join(home, rest)
			}
		}
		return path
	}
	if path != "" && !filepath.IsAbs(path) && l.out.origins[key] == s.UserFile {
		return filepath.Join(filepath.Dir(s.UserFile), path)
	}
	return path
}
