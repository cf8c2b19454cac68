package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// keyboard is one of a real terminal: the program is at its far end, a person at this one.
type keyboard struct {
	t    *testing.T
	near *os.File
	far  *os.File
	cmd  *exec.Cmd
	said chan string // what the program wrote, as it comes; closed when it has ended
	seen string
}

// sit starts a command of the program at a terminal of its own.
func (s *shell) sit(rows, columns uint16, args ...string) *keyboard {
	s.t.Helper()
	near, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		s.t.Skipf("there are no terminals here: %v", err)
	}
	fd := int(near.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns})
	}
	if err != nil {
		s.t.Fatal(err)
	}
	far, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	x := &keyboard{t: s.t, near: near, far: far, cmd: s.command(s.t.Context(), "", args...), said: make(chan string, 1000)}
	x.cmd.Stdin, x.cmd.Stdout, x.cmd.Stderr = far, far, far
	x.cmd.Env = append(x.cmd.Env, "TERM=xterm-256color")
	x.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := x.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go x.listen()
	s.t.Cleanup(func() { far.Close(); near.Close() })
	return x
}

func (x *keyboard) listen() {
	defer close(x.said)
	buf := make([]byte, 1<<16)
	for {
		n, err := x.near.Read(buf)
		if n > 0 {
			x.said <- string(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

// settings are what a terminal is left with: echo, lines, signals.
func (x *keyboard) settings() unix.Termios {
	x.t.Helper()
	s, err := unix.IoctlGetTermios(int(x.far.Fd()), unix.TCGETS)
	if err != nil {
		x.t.Fatal(err)
	}
	return *s
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;?>$]*[A-Za-z]")

// expect reads until a text was written, and forgets what came up to it.
func (x *keyboard) expect(text string) {
	x.t.Helper()
	late := time.After(time.Minute)
	for {
		plain := escapes.ReplaceAllString(x.seen, "")
		if i := strings.Index(plain, text); i >= 0 {
			x.seen = plain[i+len(text):]
			return
		}
		select {
		case more, ok := <-x.said:
			if !ok {
				x.t.Fatalf("the program ended without %q:\n%s", text, plain)
			}
			x.seen += more
		case <-late:
			x.t.Fatalf("%q does not come:\n%s", text, plain)
		}
	}
}

func (x *keyboard) types(keys string) {
	x.t.Helper()
	if _, err := x.near.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// leaves waits for the end of the program.
func (x *keyboard) leaves(want int) {
	x.t.Helper()
	_ = x.cmd.Wait()
	if got := x.cmd.ProcessState.ExitCode(); got != want {
		x.t.Errorf("%v ended with %d, want %d", x.cmd.Args, got, want)
	}
}

const approvedText = `{"title":"图书馆","nodes":[{"id":"text","kind":"make","step":"text","performer":"engine","attempts":2,"title":"Одобрить 文本",
"gate":{"person":true},"ask":{"kind":"approve"},"params":{"text":"图书馆星期天开门。\u001b[2J Приходите!","path":"text.md"}}]}`

// TestApproveByKey judges a version at a terminal, in the real program, and leaves the terminal as it was.
func TestApproveByKey(t *testing.T) {
	s := newShell(t)
	s.write("text.json", approvedText)
	s.mustRun(4, "sample", "new", "text.json", "--id", "r1")
	x := s.sit(24, 80, "inbox", "--watch")
	before := x.settings()
	x.expect("图书馆星期天开门。\\x1b[2J Приходите!")
	x.types("a")
	x.expect("recorded approve; run r1 is done")
	x.types("q")
	x.leaves(0)
	if diff := cmp.Diff(before, x.settings()); diff != "" {
		t.Errorf("the terminal was left changed:\n%s", diff)
	}
	out, _ := s.mustRun(0, "log", "r1")
	wantAll(t, out, "person ann via cli", "approved text v1 by 1 review")
}

func TestRejectByKeyAsksForTheReason(t *testing.T) {
	s := newShell(t)
	s.write("text.json", approvedText)
	s.mustRun(4, "sample", "new", "text.json", "--id", "r1")
	x := s.sit(12, 40, "inbox", "-w")
	x.expect("Одобрить")
	x.expect("Приходите!")
	x.types("r")
	x.expect("reason:")
	x.types("нет даты\r")
	x.expect("recorded reject")
	x.types("\x03")
	x.leaves(0)
	out, _ := s.mustRun(0, "log", "r1", "--json")
	wantAll(t, out, "нет даты")
}

// TestWatchLeavesTheDriverAlone watches a run that another process drives, and leaves with ctrl-C.
func TestWatchLeavesTheDriverAlone(t *testing.T) {
	s := newShell(t)
	s.write("one.json", oneText)
	s.mustRun(0, "sample", "new", "one.json", "--id", "r1", "--no-run")
	script := s.write("slow.yaml", "- agent: \"*\"\n  delay: 3s\n")
	x := s.sit(24, 80, "watch", "r1")
	before := x.settings()
	x.expect("text ready")
	driver := s.command(t.Context(), "", "run", "r1", "--rehearsal", script)
	if err := driver.Start(); err != nil {
		t.Fatal(err)
	}
	x.expect("running")
	x.types("\x03")
	x.leaves(0)
	if diff := cmp.Diff(before, x.settings()); diff != "" {
		t.Errorf("the terminal was left changed:\n%s", diff)
	}
	if err := driver.Wait(); err != nil {
		t.Errorf("the driver ended with %v", err)
	}
	out, _ := s.mustRun(0, "watch", "r1")
	wantAll(t, out, "run r1 (sample) is done")
}

// TestInboxTellsOfAsksAsTheyAreOpened, in a pipe, until it is stopped.
func TestInboxTellsOfAsksAsTheyAreOpened(t *testing.T) {
	for _, flag := range []string{"--plain", "--json"} {
		s := newShell(t)
		s.write("text.json", approvedText)
		s.mustRun(4, "sample", "new", "text.json", "--id", "r1")
		cmd := s.command(t.Context(), "", "inbox", "--watch", flag)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		next := func() string {
			t.Helper()
			if !lines.Scan() {
				t.Fatalf("nothing more comes: %v", lines.Err())
			}
			return lines.Text()
		}
		first := next()
		s.mustRun(4, "sample", "new", "text.json", "--id", "r2")
		second := next()
		wantAll(t, first, "r1", "Одобрить 文本")
		wantAll(t, second, "r2", "Одобрить 文本")
		if flag == "--json" && !(json.Valid([]byte(first)) && json.Valid([]byte(second))) {
			t.Errorf("no document per line:\n%s\n%s", first, second)
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: stopped, it ends with %v", flag, err)
		}
	}
}

// TestWatchIsStoppedBySignal: a killed view gives the terminal back, too.
func TestWatchIsStoppedBySignal(t *testing.T) {
	s := newShell(t)
	s.write("one.json", oneText)
	s.mustRun(0, "sample", "new", "one.json", "--id", "r1", "--no-run")
	x := s.sit(24, 80, "watch", "r1")
	before := x.settings()
	x.expect("text ready")
	if err := x.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = x.cmd.Wait()
	if diff := cmp.Diff(before, x.settings()); diff != "" {
		t.Errorf("the terminal was left changed:\n%s", diff)
	}
}
