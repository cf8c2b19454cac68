package e2e

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what is seen into the golden files, README.md and docs")

// TestDocs runs every command that README.md and docs/*.md show, and compares what it prints. doc.go says how pages are
// written.
func TestDocs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the pages are written for a POSIX shell")
	}
	files, err := filepath.Glob(filepath.Join("..", "docs", "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, file := range append(files, filepath.Join("..", "README.md")) {
		name := strings.TrimSuffix(filepath.Base(file), ".md")
		if name == "README" {
			name = filepath.Base(filepath.Dir(file)) + "-README"
		}
		t.Run(strings.TrimPrefix(name, "..-"), func(t *testing.T) {
			t.Parallel()
			runPage(t, file)
		})
	}
}

func runPage(t *testing.T, file string) {
	page := string(mustRead(file))
	for _, link := range pageLink.FindAllStringSubmatch(page, -1) {
		if _, err := os.Stat(filepath.Join(filepath.Dir(file), link[1])); err != nil {
			t.Errorf("%s: a link leads nowhere: %v", file, err)
		}
	}
	parts, err := parsePage(page)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if len(parts) == 1 {
		return // nothing to run
	}
	term := newTerminal(t, !strings.HasPrefix(parts[0].command, "sluice init"))
	code := 0
	for i, p := range parts {
		said := strings.HasPrefix(p.command, "echo $?")
		if code != 0 && code != 4 && !said {
			t.Errorf("%s:%d: exit code %d is not shown; let $ echo $? follow", file, parts[i-1].line, code)
		}
		if p.command == "" || t.Failed() && !*update {
			break // what follows builds on it
		}
		got, ended := term.run(p.command)
		if said {
			ended = 0
		}
		code = ended
		shown, same := align(p.want, got)
		if !same && !*update {
			t.Errorf("%s:%d: $ %s\nshows otherwise (-page +seen); go test ./e2e -run Docs -update writes it:\n%s",
				file, p.line, p.command, cmp.Diff(p.want, shown))
		}
		parts[i].want = shown
	}
	if *update {
		if err := os.WriteFile(file, []byte(render(parts)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// terminal is a shell as the reader of a page has it: in a directory of their own, without keys, for the whole page.
type terminal struct {
	t     *testing.T
	in    io.Writer
	out   *bufio.Reader
	names *names
}

func newTerminal(t *testing.T, workspace bool) *terminal {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, work, bin := filepath.Join(base, "ann"), filepath.Join(base, "ann", "work"), filepath.Join(base, "bin")
	for _, dir := range []string{work, bin, filepath.Join(base, "tmp")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(exe, filepath.Join(bin, "sluice")); err != nil { // by its name the test binary knows that it is the program
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	cmd := exec.CommandContext(ctx, "sh")
	cmd.Dir = work
	cmd.Env = []string{"HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, ".config"), "TMPDIR=" + filepath.Join(base, "tmp"),
		"PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH"), "LC_ALL=C", "USER=ann", "SLUICE_PERSON_NAME=ann"}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		cancel()
		_ = cmd.Wait()
	})
	term := &terminal{t: t, in: in, out: bufio.NewReader(out), names: newNames(home)}
	if workspace {
		term.run("sluice init")
	}
	return term
}

// run types a command and gives what was seen, line by line, in the names of the page.
func (term *terminal) run(command string) (lines []string, code int) {
	term.t.Helper()
	const end = "\x1e"
	fmt.Fprintf(term.in, "{\n%s\n} </dev/null; code=$?; printf '\\036%%d\\n' $code; (exit $code)\n", term.names.real(command))
	var seen bytes.Buffer
	for {
		line, err := term.out.ReadString('\n')
		if err != nil {
			term.t.Fatalf("the shell ended in $ %s: %v\n%s%s", command, err, seen.String(), line)
		}
		before, ended, ok := strings.Cut(line, end)
		seen.WriteString(before)
		if !ok {
			continue
		}
		if code, err = strconv.Atoi(strings.TrimSpace(ended)); err != nil {
			term.t.Fatalf("$ %s ended with %q", command, ended)
		}
		break
	}
	text := strings.Trim(term.names.shown(seen.String()), "\n")
	if text == "" {
		return nil, code
	}
	lines = strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t")
	}
	return lines, code
}

// names brings what differs from one run to the next into the form that pages show, and back. Ids that nobody can
// foresee are counted: the first UUID of a page is always shown as the same UUID.
type names struct {
	home   string
	toPage map[string]string
	toReal map[string]string
	ids    int
	stamps int
}

func newNames(home string) *names {
	return &names{home: home, toPage: map[string]string{}, toReal: map[string]string{}}
}

var (
	pageTime  = regexp.MustCompile(`20\d\d-\d\d-\d\d([T ])\d\d:\d\d:\d\d(\.\d+)?Z`)
	pageDate  = regexp.MustCompile(`\b20\d\d-\d\d-\d\d\b`)
	pageAge   = regexp.MustCompile(`\((just now|\d+ \w+ ago)\)`)
	pageSpan  = regexp.MustCompile(`\b\d{1,2}s\b`)
	pageDeath = regexp.MustCompile(`(?m)^(?:.*sh: (?:line )?\d+: +)?(?:\d+ )?Killed\b.*$`)
	pageToken = regexp.MustCompile(`[0-9A-Za-z]+(-[0-9A-Za-z]+)*`)

	pageLink = regexp.MustCompile(`\]\(([^):#]+)(?:#[^)]*)?\)`) // to a file of ours

	isUUID  = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	isHex   = regexp.MustCompile(`^([0-9a-f]{8}|[0-9a-f]{12,64})$`)
	isDated = regexp.MustCompile(`^((?:.+-)?)(20[2-9]\d[01]\d[0-3]\d)(-\d{4}|-\d{6}(?:-\d+)?|)$`) // S-20261115-0001, planning-scene-0204-20261115-093000
	isYear  = regexp.MustCompile(`^F-20\d\d-(\d+)$`)
)

func (n *names) shown(text string) string {
	text = strings.ReplaceAll(text, n.home, "/home/ann")
	text = pageTime.ReplaceAllStringFunc(text, func(s string) string {
		m := pageTime.FindStringSubmatch(s)
		if m[2] != "" { // zeros at its end are not written
			m[2] = ".000000"
		}
		return "2026-11-15" + m[1] + "09:30:00" + m[2] + "Z"
	})
	text = pageDate.ReplaceAllStringFunc(text, func(s string) string {
		if n.toPage[s] == s {
			return s
		}
		return "2026-11-15"
	})
	text = pageAge.ReplaceAllString(text, "(just now)")
	text = pageSpan.ReplaceAllString(text, "0s")
	text = pageDeath.ReplaceAllString(text, "Killed")
	return pageToken.ReplaceAllStringFunc(text, n.token)
}

func (n *names) token(s string) string {
	if p, ok := n.toPage[s]; ok {
		return p
	}
	p := s
	switch dated := isDated.FindStringSubmatch(s); {
	case isUUID.MatchString(s):
		p = n.hex(s[:8])
		p += "-" + invented(p)[:4] + "-5" + invented(p)[4:7] + "-8" + invented(p)[7:10] + "-" + invented(p)[10:22]
	case dated != nil && len(dated[3]) > len("-0001"): // with another number where two began in the same second
		n.stamps++
		p = fmt.Sprintf("%s20261115-09%02d00", dated[1], 29+n.stamps)
	case dated != nil:
		p = dated[1] + "20261115" + dated[3]
	case isYear.MatchString(s):
		p = isYear.ReplaceAllString(s, "F-2026-$1")
	case isHex.MatchString(s):
		return n.hex(s)
	default:
		return s
	}
	n.toPage[s], n.toReal[p] = p, s
	return p
}

// hex names what has 8 digits, as the beginning of a UUID, or at least 12, as an ask, a key, a digest or its beginning.
func (n *names) hex(s string) string {
	size := min(len(s), 12)
	head, ok := n.toPage[s[:size]]
	if !ok {
		n.ids++
		head = invented(strconv.Itoa(n.ids))[:size]
		n.toPage[s[:size]], n.toReal[head] = head, s[:size]
	}
	if len(s) == size {
		return head
	}
	p := head + invented(head)[size:len(s)]
	n.toPage[s], n.toReal[p] = p, s
	return p
}

// invented is an id that looks like one.
func invented(seed string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(seed))) }

// real is a command of a page with the ids of this run in place of the page's. Ids and dates that the page itself gives stay.
func (n *names) real(command string) string {
	for _, date := range pageDate.FindAllString(command, -1) {
		n.toPage[date] = date
	}
	return pageToken.ReplaceAllStringFunc(command, func(s string) string {
		if r, ok := n.toReal[s]; ok {
			return r
		}
		if isUUID.MatchString(s) {
			n.toPage[s[:8]], n.toReal[s[:8]] = s[:8], s[:8]
		}
		if isUUID.MatchString(s) || isHex.MatchString(s) {
			n.toPage[s], n.toReal[s] = s, s
		}
		return s
	})
}
