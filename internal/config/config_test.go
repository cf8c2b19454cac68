package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/fault"
	"sluice/internal/golden"
)

// source puts files into a directory and points a Source at them.
func source(t *testing.T, user, workspace string, environ ...string) Source {
	t.Helper()
	dir := t.TempDir()
	s := Source{UserFile: filepath.Join(dir, "config.yaml"), Workspace: filepath.Join(dir, "sluice.yaml"), Environ: environ}
	for path, body := range map[string]string{s.UserFile: user, s.Workspace: workspace} {
		if body == "" {
			continue
		}
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func mustLoad(t *testing.T, s Source) *Settings {
	t.Helper()
	got, err := Load(s)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestNothingSetGivesDefaults(t *testing.T) {
	got := mustLoad(t, source(t, "", ""))
	if diff := cmp.Diff(Default(), got.Config); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, row := range got.Show() {
		if row.Origin != "default" {
			t.Errorf("%s comes from %s", row.Key, row.Origin)
		}
	}
}

func TestLaterLayersWin(t *testing.T) {
	s := source(t, "model: {model: user, max_tokens: 1, concurrency: 1, timeout: 1m}\n",
		"model:\n  model: workspace\n  max_tokens: 2\n  concurrency: 2\n", "SLUICE_MODEL_MODEL=env", "SLUICE_MODEL_MAX_TOKENS=3", "PATH=/bin")
	s.Flags = []Flag{{Key: "model.model", Value: "flag", Origin: "flag --model"}}
	got := mustLoad(t, s)
	rows := map[string]Row{}
	for _, r := range got.Show() {
		rows[r.Key] = r
	}
	for _, want := range []Row{
		{"model.model", "flag", "flag --model"},
		{"model.max_tokens", "3", "env SLUICE_MODEL_MAX_TOKENS"},
		{"model.concurrency", "2", s.Workspace},
		{"model.timeout", "1m", s.UserFile},
		{"model.max_retries", "3", "default"},
	} {
		if rows[want.Key] != want {
			t.Errorf("got %+v, want %+v", rows[want.Key], want)
		}
	}
	if got.Origin("model.concurrency") != s.Workspace {
		t.Errorf("got origin %s", got.Origin("model.concurrency"))
	}
}

func TestZeroAndEmptyAreValues(t *testing.T) {
	s := source(t, "model: {max_retries: 0, requests_per_minute: 0, timeout: 0s, key_env: '', temperature: 0}\n", "model: {model: \"\"}\n",
		"SLUICE_LOG_DIR=", "SLUICE_MODEL_CONCURRENCY=0")
	got := mustLoad(t, s)
	if m := got.Model; m.MaxRetries != 0 || m.Timeout != 0 || m.Concurrency != 0 || m.Temperature == nil || *m.Temperature != 0 {
		t.Errorf("got %+v", m)
	}
	for key, want := range map[string]string{"model.max_retries": s.UserFile, "model.timeout": s.UserFile, "model.model": s.Workspace,
		"log.dir": "env SLUICE_LOG_DIR", "model.temperature": s.UserFile} {
		if got.Origin(key) != want {
			t.Errorf("%s: got origin %s, want %s", key, got.Origin(key), want)
		}
	}
}

func TestAbsentTemperatureIsNone(t *testing.T) {
	if got := mustLoad(t, source(t, "", "")); got.Model.Temperature != nil {
		t.Errorf("got %v", *got.Model.Temperature)
	}
	if got := mustLoad(t, source(t, "model: {temperature: 0.7}", "model: {temperature: null}")); got.Model.Temperature != nil {
		t.Errorf("null: got %v", *got.Model.Temperature)
	}
}

func TestKeySources(t *testing.T) {
	home := "HOME=" + filepath.FromSlash("/home/ana")
	tests := []struct {
		name, user string
		environ    []string
		env, file  string
		origin     string
	}{
		{"rehearsal needs none", "", nil, "", "", "default"},
		{"the provider's usual variable", "model: {provider: openai}", nil, "OPENAI_API_KEY", "", "default of openai"},
		{"none on purpose", "model: {provider: openai, key_env: ''}", nil, "", "", "USER"},
		{"another variable", "", []string{"SLUICE_MODEL_PROVIDER=openai", "SLUICE_MODEL_KEY_ENV=MY_KEY"}, "MY_KEY", "", "env SLUICE_MODEL_KEY_ENV"},
		{"a file beside the settings", "model: {provider: openai, key_file: key}", nil, "", "DIR/key", "default"},
		{"a file at home", "", []string{home, "SLUICE_MODEL_KEY_FILE=~/k"}, "", filepath.FromSlash("/home/ana/k"), "default"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := source(t, tt.user, "", tt.environ...)
			got := mustLoad(t, s)
			file := strings.Replace(tt.file, "DIR/", filepath.Dir(s.UserFile)+string(filepath.Separator), 1)
			if got.Model.KeyEnv != tt.env || got.Model.KeyFile != file {
				t.Errorf("got %q, %q; want %q, %q", got.Model.KeyEnv, got.Model.KeyFile, tt.env, file)
			}
			if want := strings.Replace(tt.origin, "USER", s.UserFile, 1); got.Origin("model.key_env") != want {
				t.Errorf("got origin %q, want %q", got.Origin("model.key_env"), want)
			}
		})
	}
}

func TestCommentedSectionsAndOddFilesAreEmpty(t *testing.T) {
	for name, body := range map[string]string{"comments only": "# nothing\n", "empty section": "model:\nengine:\n  # workers: 2\n",
		"mark only": "---\n", "byte order mark": "\xef\xbb\xbfmodel: {}\n", "carriage returns": "model:\r\n  max_tokens: 0\r\n",
		"default file": string(DefaultFile())} {
		t.Run(name, func(t *testing.T) {
			got := mustLoad(t, source(t, "", body))
			if diff := cmp.Diff(Default(), got.Config); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestErrorsGolden keeps the wording of everything that can be wrong under review.
func TestErrorsGolden(t *testing.T) {
	const secret = "sk-Abc123Def456Ghi789"
	tests := []struct{ name, user, workspace, env string }{
		{name: "no yaml", workspace: "model:\n  model: \"open\n"},
		{name: "no yaml with tab", workspace: "model:\n\tmodel: x\n"},
		{name: "not a mapping", workspace: "- a\n"},
		{name: "a word", workspace: "rehearsal\n"},
		{name: "unknown section", workspace: "modle:\n  model: x\n"},
		{name: "unknown section far off", workspace: "zzz: 1\n"},
		{name: "key outside its section", workspace: "workers: 4\n"},
		{name: "unknown key", workspace: "model:\n  modell: x\n"},
		{name: "key of another section", workspace: "model:\n  workers: 2\n"},
		{name: "unknown key far off", workspace: "engine:\n  zzzzzzzzzz: 2\n"},
		{name: "the key itself", user: "model:\n  api_key: " + secret + "\n"},
		{name: "the key itself in flow", user: "model: {api_key: " + secret + "}\n"},
		{name: "the key itself as key_env", user: "model:\n  key_env: " + secret + "\n"},
		{name: "the key itself as key_env in env", env: "SLUICE_MODEL_KEY_ENV=" + secret},
		{name: "the key itself in the environment", env: "SLUICE_MODEL_KEY=" + secret},
		{name: "the key after broken yaml", user: "model:\n  api_key: \"" + secret + "\n"},
		{name: "the key on a line of its own", user: "model:\n  provider: openai\n  " + secret + "\n"},
		{name: "twice", workspace: "engine:\n  workers: 1\n  workers: 2\n"},
		{name: "section twice", workspace: "engine: {}\nengine: {}\n"},
		{name: "no number", workspace: "engine:\n  workers: many\n"},
		{name: "too small", workspace: "engine:\n  workers: 0\n"},
		{name: "fraction", workspace: "engine:\n  workers: 1.5\n"},
		{name: "negative", workspace: "model:\n  requests_per_minute: -1\n"},
		{name: "not a number", workspace: "model:\n  temperature: .nan\n"},
		{name: "no unit", workspace: "model:\n  timeout: 30\n"},
		{name: "negative time", workspace: "model:\n  timeout: -3s\n"},
		{name: "no word of the list", workspace: "model:\n  provider: oracle\n"},
		{name: "no value", workspace: "model:\n  provider:\n"},
		{name: "list for a word", workspace: "model:\n  provider: [a]\n"},
		{name: "group for a word", workspace: "model:\n  provider:\n    a: 1\n"},
		{name: "word for a group", workspace: "model: openai\n"},
		{name: "alias", workspace: "model: &m\n  model: x\n"},
		{name: "two lines", workspace: "model:\n  model: |\n    a\n    b\n"},
		{name: "second document", workspace: "model: {}\n---\nengine: {}\n"},
		{name: "wide letters", workspace: "model: {provider: 模型}\n"},
		{name: "not text", workspace: "model: \xff\n"},
		{name: "address in a workspace", workspace: "model:\n  base_url: https://evil.example/v1\n"},
		{name: "key variable in a workspace", workspace: "model:\n  key_env: AWS_SECRET\n"},
		{name: "key file in a workspace", workspace: "model:\n  key_file: ~/.ssh/id\n"},
		{name: "name in a workspace", workspace: "person:\n  name: Ana\n"},
		{name: "log in a workspace", workspace: "log: {dir: /etc}\n"},
		{name: "address with a password", user: "model:\n  base_url: https://u:" + secret + "@example.com\n"},
		{name: "no address", user: "model:\n  base_url: example.com\n"},
		{name: "no name", env: "SLUICE_PERSON_NAME= "},
		{name: "bad environment", env: "SLUICE_ENGINE_WORKERS="},
		{name: "unknown environment", env: "SLUICE_ENGINE_WORKRS=2"},
	}
	var b strings.Builder
	for _, tt := range tests {
		s := source(t, tt.user, tt.workspace, tt.env)
		_, err := Load(s)
		f := fault.From(err)
		if f == nil || f.Code != fault.BadConfig {
			t.Errorf("%s: got %v, want bad_config", tt.name, err)
			continue
		}
		if len(f.Next) == 0 {
			t.Errorf("%s has no next action", tt.name)
		}
		text := f.Error() + "\n"
		for _, a := range f.Next {
			text += "next: " + strings.TrimSpace(a.Command+" "+a.Why) + "\n"
		}
		if strings.Contains(text, secret) {
			t.Errorf("%s shows the key:\n%s", tt.name, text)
		}
		b.WriteString("== " + tt.name + "\n" + strings.ReplaceAll(text, filepath.Dir(s.UserFile)+string(filepath.Separator), "DIR/"))
	}
	golden.Check(t, "errors.golden", b.String())
}

func TestDefaultFileGolden(t *testing.T) {
	golden.Check(t, "sluice.yaml.golden", string(DefaultFile()))
}

// TestDefaultFileUncommentedIsValid keeps what init writes true: with every # before a key removed it loads, and says
// what the defaults say.
func TestDefaultFileUncommentedIsValid(t *testing.T) {
	var b strings.Builder
	for line := range strings.Lines(string(DefaultFile())) {
		if strings.HasPrefix(line, "#  ") || strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "# ") {
			line = line[1:]
		}
		b.WriteString(line)
	}
	got := mustLoad(t, source(t, "", b.String()))
	if diff := cmp.Diff(Default(), got.Config); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, b.String())
	}
	if got.Origin("engine.workers") == "default" {
		t.Error("nothing was uncommented")
	}
}

func TestUnreadableFiles(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.yaml")
	if err := os.WriteFile(large, []byte(strings.Repeat("#", maxFile+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"directory": dir, "too large": large} {
		if _, err := Load(Source{UserFile: path}); fault.CodeOf(err) != fault.BadConfig {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := Load(Source{Flags: []Flag{{"model.provder", "x", "flag --provider"}}}); fault.CodeOf(err) != fault.BadConfig {
		t.Errorf("unknown flag key: got %v", err)
	}
}

// TestEveryFieldIsReadable keeps sections plain: each key has a name, words about it and a type that set can read.
func TestEveryFieldIsReadable(t *testing.T) {
	kinds := map[reflect.Type]string{reflect.TypeFor[string](): "x", reflect.TypeFor[bool](): "true", reflect.TypeFor[int](): "5000",
		reflect.TypeFor[float64](): "5", reflect.TypeFor[time.Duration](): "5s", reflect.TypeFor[[]string](): "x"}
	seen := map[string]bool{}
	for _, f := range fields() {
		c := Default()
		typ := f.value(&c).Type()
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		text, ok := kinds[typ]
		if len(f.oneOf) > 0 {
			text = f.oneOf[0]
		}
		if f.isTable() {
			continue // it has a reader of its own
		}
		if !ok || !f.isList() && f.set(&c, text) != "" {
			t.Errorf("%s has type %s, which the loader cannot read", f.key, typ)
		}
		if f.doc == "" || strings.HasSuffix(f.key, ".") || seen[f.env] {
			t.Errorf("%s lacks a doc or a name of its own", f.key)
		}
		seen[f.env] = true
	}
}

func TestUserFile(t *testing.T) {
	env := func(pairs map[string]string) func(string) string { return func(k string) string { return pairs[k] } }
	if got := UserFile(env(nil)); got != "" {
		t.Errorf("without a home: got %q", got)
	}
	home := t.TempDir()
	got := UserFile(env(map[string]string{"HOME": home, "AppData": home, "XDG_CONFIG_HOME": "relative"}))
	if !strings.HasPrefix(got, home) || filepath.Base(got) != "config.yaml" {
		t.Errorf("got %q", got)
	}
}

// FuzzLoad finds documents that make the loader panic, answer with something else than bad_config, or let a workspace
// set what is the user's.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{"model: {model: x}", "a: &b [*b]", "? [a]: b", "model:\n  timeout: 1h\n", "---\n...\n---\n", "<<: {a: 1}",
		"model: !!str x", "\"model\": {\"provider\": \"openai\"}", "model:\n base_url: http://x", string(DefaultFile())} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		l := &loader{fields: fields(), out: &Settings{Config: Default(), origins: map[string]string{}}}
		if err := l.document("sluice.yaml", body, false); err != nil {
			if fault.CodeOf(err) != fault.BadConfig {
				t.Fatalf("got %v", err)
			}
			return
		}
		if m := l.out.Model; m.BaseURL != "" || m.KeyEnv != "" || m.KeyFile != "" || l.out.Log.Dir != "" || l.out.Engine.Workers < 1 {
			t.Fatalf("a workspace set %+v", l.out.Config)
		}
	})
}

func TestWorkspaceTightensAndNeverLoosens(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	on, off := file("on.yaml", "mcp:\n  require_person: true\n"), file("off.yaml", "mcp:\n  require_person: false\n")
	for _, tt := range []struct {
		name, user, workspace string
		environ               []string
		want                  bool
	}{
		{"nobody says anything", "", "", nil, false},
		{"the workspace turns it on", "", on, nil, true},
		{"the workspace cannot turn it off", on, off, nil, true},
		{"the workspace says off", "", off, nil, false},
		{"the user's environment turns it off", "", on, []string{"SLUICE_MCP_REQUIRE_PERSON=false"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Load(Source{UserFile: tt.user, Workspace: tt.workspace, Environ: tt.environ})
			if err != nil {
				t.Fatal(err)
			}
			if s.MCP.RequirePerson != tt.want {
				t.Errorf("require_person is %v, want %v", s.MCP.RequirePerson, tt.want)
			}
		})
	}
}

func TestWorkspaceLowersABudgetAndNeverRaisesIt(t *testing.T) {
	for name, c := range map[string]struct {
		own, theirs string
		want        int
	}{
		"raised":                 {"5000", "9000", 5000},
		"lowered":                {"5000", "900", 900},
		"taken away":             {"5000", "0", 5000},
		"where nobody set any":   {"0", "700", 700},
		"by someone who did not": {"5000", "", 5000},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			user, workspace := filepath.Join(dir, "config.yaml"), filepath.Join(dir, "sluice.yaml")
			write := func(path, tokens string) {
				if tokens == "" {
					return
				}
				if err := os.WriteFile(path, []byte("budget:\n  run_tokens: "+tokens+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write(user, c.own)
			write(workspace, c.theirs)
			s, err := Load(Source{UserFile: user, Workspace: workspace})
			if err != nil {
				t.Fatal(err)
			}
			if s.Budget.RunTokens != c.want {
				t.Errorf("got %d, want %d", s.Budget.RunTokens, c.want)
			}
		})
	}
}

func TestPrices(t *testing.T) {
	s, err := Load(Source{Environ: []string{"SLUICE_MODEL_PRICES={big-1: {input: 2.5, output: 10}, small: {input: 1, output: 2, cached: 0.5}}"}})
	if err != nil {
		t.Fatal(err)
	}
	want := Prices{{"big-1", 2.5, 10, 2.5}, {"small", 1, 2, 0.5}}
	if diff := cmp.Diff(want, s.Model.Prices); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"{a: 3}", "{a: {input: x}}", "{a: {input: -1}}", "{a: {inputs: 1}}", "[1]"} {
		if _, err := Load(Source{Environ: []string{"SLUICE_MODEL_PRICES=" + bad}}); fault.CodeOf(err) != fault.BadConfig {
			t.Errorf("%s: got %v", bad, err)
		}
	}
	workspace := filepath.Join(t.TempDir(), "sluice.yaml")
	if err := os.WriteFile(workspace, []byte("model:\n  prices: {gpt: {input: 0, output: 0}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(Source{Workspace: workspace}); fault.CodeOf(err) != fault.BadConfig {
		t.Errorf("prices of a workspace: got %v", err)
	}
}
