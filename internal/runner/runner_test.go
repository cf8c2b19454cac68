package runner

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/fault"
	"sluice/internal/line"
)

// TestMain lets this binary be the program that is run: a bare environment holds nothing else to tell it by.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "as" {
		os.Exit(act(os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}

func act(part string, args []string) int {
	switch part {
	case "environ":
		fmt.Println(strings.Join(os.Environ(), "\n"))
		dir, _ := os.Getwd()
		fmt.Println("DIR=" + dir)
	case "cat":
		for _, f := range args {
			body, err := os.ReadFile(f)
			fmt.Println(f, string(body), err)
		}
	case "fail":
		fmt.Fprintln(os.Stderr, "the second rule is missing")
		return 3
	case "flood":
		line := strings.Repeat("x", 1023) + "\n"
		fmt.Println("first")
		for range 5000 {
			fmt.Print(line)
		}
		fmt.Println("last")
	case "parent": // starts one that outlives it, unless someone ends both
		child := exec.Command(os.Args[0], "as", "hold", args[0])
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			return 1
		}
		if args[1] == "wait" {
			_ = child.Wait()
		} else {
			_, _ = bufio.NewReader(os.Stdin).ReadString('\n') // its end: there is none
		}
	case "hold": // lives as long as its peer does
		conn, err := net.Dial("tcp", args[0])
		if err != nil {
			return 1
		}
		fmt.Println("holding")
		_, _ = io.Copy(io.Discard, conn)
	}
	return 0
}

func as(timeout time.Duration, args ...string) *Runner {
	return &Runner{Setting: "task.smoke_tests", Getenv: os.Getenv,
		Rules: []Rule{{Match: "txt", Command: append([]string{os.Args[0], "as"}, args...), Timeout: timeout}}}
}

func text(files ...string) line.Command {
	c := line.Command{Slot: "s", Format: "txt"}
	for _, f := range files {
		c.Files = append(c.Files, line.Part{Path: f, Body: []byte("in " + f)})
	}
	return c
}

func mustRun(t *testing.T, r *Runner, c line.Command) line.Program {
	t.Helper()
	ran, err := r.Run(t.Context(), c)
	if err != nil || len(ran.Programs) != 1 {
		t.Fatalf("got %+v, %v", ran, err)
	}
	return ran.Programs[0]
}

func TestAProgramSeesNothingOfOurEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-very-secret")
	t.Setenv("SLUICE_MODEL_PROVIDER", "rehearsal")
	out := mustRun(t, as(time.Minute, "environ"), text("a.txt")).Output
	vars := map[string]string{}
	for row := range strings.Lines(out) {
		name, value, _ := strings.Cut(strings.TrimSpace(row), "=")
		vars[name] = value
	}
	for name := range vars {
		switch name {
		case "PATH", "HOME", "TMPDIR", "LANG", "DIR", "PWD", "SystemRoot", "SYSTEMROOT", "SystemDrive", "ComSpec", "PATHEXT", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "TEMP", "TMP":
		default:
			t.Errorf("%s is visible", name)
		}
	}
	if strings.Contains(out, "secret") {
		t.Error("a secret is visible")
	}
	if filepath.Dir(vars["HOME"]) != filepath.Dir(vars["TMPDIR"]) || vars["HOME"] == os.Getenv("HOME") {
		t.Errorf("home is %s, and temporary files are in %s", vars["HOME"], vars["TMPDIR"])
	}
	if _, err := os.Stat(vars["HOME"]); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the copy is left behind: %v", err)
	}
}

func TestFilesAreGivenByName(t *testing.T) {
	got := mustRun(t, as(time.Minute, "cat", filesWord), text("-rf.txt", "deep/er/b.txt", "c.md")).Output
	want := "./-rf.txt in -rf.txt <nil>\n./deep/er/b.txt in deep/er/b.txt <nil>"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAFileStaysInsideTheCopy(t *testing.T) {
	for _, name := range []string{"../out.txt", "/etc/out.txt", "a/../../out.txt"} {
		if _, err := as(time.Minute, "cat").Run(t.Context(), text(name)); fault.CodeOf(err) != fault.CommandFailed {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAProgramThatEndsBadlyIsAResult(t *testing.T) {
	ran, err := as(time.Minute, "fail").Run(t.Context(), text("a.txt"))
	if err != nil || ran.IsPassed() {
		t.Fatalf("got %+v, %v", ran, err)
	}
	if p := ran.Programs[0]; p.Exit != 3 || p.Output != "the second rule is missing" || p.TimedOut != 0 {
		t.Errorf("got %+v", p)
	}
}

func TestOneThatIsNotThereIsAnError(t *testing.T) {
	r := &Runner{Setting: "s", Getenv: os.Getenv, Rules: []Rule{{Match: "txt", Command: []string{"no-such-program-anywhere"}, Timeout: time.Second}}}
	if _, err := r.Run(t.Context(), text("a.txt")); fault.CodeOf(err) != fault.CommandFailed {
		t.Errorf("got %v", err)
	}
}

func TestOutputIsKeptAtBothEnds(t *testing.T) {
	out := mustRun(t, as(time.Minute, "flood"), text("a.txt")).Output
	if !strings.HasPrefix(out, "first\n") || !strings.HasSuffix(out, "last") || !strings.Contains(out, "bytes left out]") {
		t.Errorf("got %d bytes: %.40q … %.40q", len(out), out, out[max(0, len(out)-40):])
	}
	if len(out) > headBytes+tailBytes+100 {
		t.Errorf("%d bytes are kept", len(out))
	}
}

func TestTheTimeLimitEndsAChildOfAChild(t *testing.T) {
	for name, leaves := range map[string]string{"with its parent": "wait", "that its parent left behind": "leave"} {
		t.Run(name, func(t *testing.T) {
			peer, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer peer.Close()
			held := make(chan net.Conn, 1)
			go func() {
				if conn, err := peer.Accept(); err == nil {
					held <- conn
				}
			}()
			p := mustRun(t, as(3*time.Second, "parent", peer.Addr().String(), leaves), text("a.txt"))
			if leaves == "wait" && p.TimedOut != 3*time.Second {
				t.Errorf("got %+v", p)
			}
			if leaves == "leave" && p.Exit != 0 {
				t.Errorf("got %+v", p)
			}
			if leaves == "wait" || p.TimedOut > 0 {
				conn := <-held
				_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
				if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("the child of the child lives: %v", err)
				}
				return
			}
			select { // it may have been ended before it called
			case conn := <-held:
				_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
				if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("the child of the child lives: %v", err)
				}
			default:
			}
		})
	}
}

func TestBeingStoppedIsNoResult(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := as(time.Minute, "hold", "127.0.0.1:1").Run(ctx, text("a.txt")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestRulesFindTheirFiles(t *testing.T) {
	files := text("web/index.html", "web/app.js", "main.go")
	files.Format = "html"
	for match, want := range map[string]string{
		"html": "[web/index.html]", "HTML": "[web/index.html]", "go": "[main.go]", "*.js": "[web/app.js]", "web/*": "[web/index.html web/app.js]",
		"index.html": "[web/index.html]", "py": "[]", "[": "[]",
	} {
		if got := fmt.Sprint(Rule{Match: match}.fitting(files)); got != want {
			t.Errorf("%s: got %s, want %s", match, got, want)
		}
	}
	files.Format = "bundle"
	if got := len(Rule{Match: "bundle"}.fitting(files)); got != 3 {
		t.Errorf("a format without an extension of its own fits %d files", got)
	}
	ran, err := (&Runner{Setting: "task.smoke_tests", Getenv: os.Getenv}).Run(t.Context(), files)
	if err != nil || ran.NotRun != "your settings name no program for format bundle in task.smoke_tests" || ran.IsPassed() {
		t.Errorf("got %+v, %v", ran, err)
	}
}

func TestThePathOfAProgramHasNoPlaceOfTheModel(t *testing.T) {
	sep := string(filepath.ListSeparator)
	abs := t.TempDir()
	if got := absolute("." + sep + abs + sep + "bin" + sep + ""); got != abs {
		t.Errorf("got %q", got)
	}
}
