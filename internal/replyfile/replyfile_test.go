package replyfile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
)

func reply(of string) journal.Reply {
	return journal.Reply{Key: string(digest.Of([]byte(of))), Content: "answer to " + of + "\n一", Provider: "openai", Model: "m-1", Finish: "stop",
		Usage: journal.Usage{InputTokens: 3, OutputTokens: 4, Duration: time.Second}, At: time.Unix(1, 0).UTC()}
}

func written(t *testing.T, replies ...journal.Reply) string {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range replies {
		if err := w.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func opened(t *testing.T, body string) (*File, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "r.jsonl")
	if err := os.WriteFile(name, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(name)
	if err == nil {
		t.Cleanup(func() { f.Close() })
	}
	return f, err
}

func TestRepliesComeBack(t *testing.T) {
	f, err := opened(t, written(t, reply("a"), reply("b")))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []journal.Reply{reply("b"), reply("a")} {
		got, ok, err := f.Reply(want.Key)
		if err != nil || !ok {
			t.Fatalf("%v %v", ok, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("reply (-want +got):\n%s", diff)
		}
	}
	if _, ok, err := f.Reply(reply("c").Key); ok || err != nil {
		t.Errorf("an unknown key gives %v %v", ok, err)
	}
	if err := os.WriteFile(f.name, bytes.Repeat([]byte("x"), 2000), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Reply(reply("a").Key); fault.CodeOf(err) != fault.BadArchive {
		t.Errorf("a file that changed gives %v", err)
	}
}

func TestHostileFilesAreRefused(t *testing.T) {
	good := written(t, reply("a"), reply("b"))
	head := `{"format":"` + Format + `"}` + "\n"
	for name, body := range map[string]string{
		"empty":              "",
		"no line":            strings.Repeat("x", 100_000),
		"another format":     strings.Replace(good, "/1", "/2", 1),
		"cut off":            good[:len(good)-20],
		"a line missing":     strings.Join(append(strings.SplitAfter(good, "\n")[:1], strings.SplitAfter(good, "\n")[2:]...), ""),
		"changed":            strings.Replace(good, "answer to a", "answer to x", 1),
		"something behind":   good + "x",
		"twice":              written(t, reply("a"), reply("a")),
		"no key":             head + `{"key":"x","provider":"p","content":"c"}` + "\n",
		"an unknown field":   head + strings.Replace(strings.SplitAfter(good, "\n")[1], `"finish"`, `"base_url":"http://x","finish"`, 1),
		"a negative cost":    strings.Replace(good, `"input_tokens":3`, `"input_tokens":-3`, 1),
		"not UTF-8":          strings.Replace(good, "answer", "ans\xffwer", 1),
		"nested without end": head + strings.Repeat(`[`, 1_000_000) + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := opened(t, body); fault.CodeOf(err) != fault.BadArchive {
				t.Errorf("got %v, want bad_archive", err)
			}
		})
	}
}
