package fault

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// declared gives the codes as the source declares them, in order: name and wire value.
func declared(t *testing.T) (names, values []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "code.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.CONST {
			continue
		}
		for _, spec := range gen.Specs {
			v := spec.(*ast.ValueSpec)
			if id, ok := v.Type.(*ast.Ident); !ok || id.Name != "Code" {
				continue
			}
			for i, name := range v.Names {
				text, err := strconv.Unquote(v.Values[i].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				names, values = append(names, name.Name), append(values, text)
			}
		}
	}
	if len(names) == 0 {
		t.Fatal("code.go declares no constant of type Code")
	}
	return names, values
}

func TestEveryCodeHasOneRow(t *testing.T) {
	names, values := declared(t)
	seen := make(map[string]string)
	for i, value := range values {
		if other, twice := seen[value]; twice {
			t.Errorf("%s and %s are both %q", other, names[i], value)
		}
		seen[value] = names[i]
		if _, ok := table[Code(value)]; !ok {
			t.Errorf("%s has no row in the table of code.go", names[i])
		}
		if value != strings.ToLower(value) || strings.ContainsAny(value, " -.") {
			t.Errorf("%s: code %q is not snake_case", names[i], value)
		}
	}
	for code := range table {
		if _, ok := seen[string(code)]; !ok {
			t.Errorf("the table has a row for %q, which is no constant", code)
		}
	}
}

// samples holds one fault per code, written as its users write them, so that the wording of every code is reviewed as
// prose in the golden file.
func samples() map[Code]*Error {
	list := []*Error{
		New(Unexpected, "", "the fold cache of run r-7 is empty"),
		New(Interrupted, "r-7", "run r-7 was interrupted; nothing is lost").With(
			Action{Action: "resume", Command: "sluice resume r-7"}),

		New(Usage, "frobnicate", "unknown command \"frobnicate\"").With(Action{Action: "help", Command: "sluice --help"}),
		New(BadValue, "--limit", "limit 0 is outside 1 to 500"),
		New(BadConfig, "sluice.yaml", "sluice.yaml:3:9: model.retries is \"many\", a whole number is needed").With(
			Action{Action: "show", Command: "sluice config show"}),
		New(BadPath, "../x", "path ../x leaves the workspace"),
		New(BadNode, "chapter/003", "node chapter/003 has no gate and no rule"),
		New(Cycle, "a", "keys depend on each other in a circle: a → b → a"),
		New(MissingPrerequisite, "outline", "outline needs an approved world; there is none").With(
			Action{Action: "make it", Command: "sluice novel generate mybook world"}),
		New(UnknownChapter, "mybook", "the outline has no chapter 40; it has 1 to 20"),
		New(BadScript, "script.yaml", "script.yaml:4:3: fail \"explode\" is none of timeout, refuse, crash_before"),
		New(BadArchive, "books.tar.gz", "the backup cannot be used: entry \"workspace/../x\" is no path of a workspace").
			With(Action{Action: "another", Why: "use another backup: nothing of this one was kept"}),

		New(UnknownRun, "r-9", "there is no run r-9").With(Action{Action: "list", Command: "sluice status"}),
		New(UnknownNode, "chapter/099", "run r-7 has no node chapter/099"),
		New(UnknownVersion, "v-12", "node world has no version v-12"),
		New(UnknownAttempt, "t-3", "node world has no attempt t-3"),
		New(UnknownAsk, "ask-5", "there is no ask ask-5").With(Action{Action: "list", Command: "sluice inbox"}),
		New(UnknownLine, "opera", "there is no line opera"),
		New(UnknownWorkspace, ".", "no sluice.yaml here or in a parent directory").With(
			Action{Action: "make one", Command: "sluice init"}),
		New(UnknownSession, "draft-2", "there is no open session draft-2").With(
			Action{Action: "list the sessions", Command: "sluice session list"}),
		New(UnknownProject, "mybook", "there is no project mybook").With(
			Action{Action: "make one", Command: "sluice novel new mybook --premise TEXT"}),
		New(NotFound, "drafts/a.md", "drafts/a.md does not exist"),

		New(Parked, "r-7", "run r-7 waits for 2 asks").With(Action{Action: "list", Command: "sluice inbox"}),
		New(AskOpen, "ask-5", "ask ask-5 is open since 2026-01-02T03:04:05Z").With(
			Action{Action: "approve", Command: "sluice approve ask-5"}),
		New(NothingApproved, "world", "node world has no approved version").With(
			Action{Action: "list", Command: "sluice inbox"}),
		New(AttemptsUsedUp, "world", "node world used 3 of 3 attempts").With(
			Action{Action: "decide", Command: "sluice inbox"}),
		New(BudgetUsedUp, "run/r-7", "the budget is used up: run r-7 has spent 4,812 of 5,000 tokens, and the next call may need 400").With(
			Action{Action: "raise", Command: "sluice budget raise r-7 --tokens 10000"}),
		New(RevisionPending, "mybook", "chapter 3 waits for revision; chapters after 3 are blocked").With(
			Action{Action: "review", Command: "sluice novel review mybook 3"}),
		New(RevisionUnreadable, "mybook", "chapters/chapter_003_revision.json cannot be read and counts as pending"),
		New(PersonRequired, "ask-5", "ask ask-5 needs a person; the client did not ask one"),

		New(RunExists, "r-7", "run r-7 exists").With(Action{Action: "show", Command: "sluice status r-7"}),
		New(RunClosed, "r-7", "run r-7 was cancelled and takes no more commands"),
		New(RunNotClosed, "r-7", "run r-7 is still going"),
		New(IllegalStep, "world", "node world is done; only a node that waits can be delivered"),
		New(AttemptOpen, "t-3", "attempt t-3 of node world is still open"),
		New(AttemptClosed, "t-3", "attempt t-3 of node world is closed"),
		New(AlreadyAnswered, "ask-5", "ask ask-5 was answered by ana at 2026-01-02T03:04:05Z"),
		New(AlreadyReviewed, "v-2", "version v-2 has a verdict by ana"),
		New(StaleVerdict, "v-1", "the verdict names v-1; the newest version is v-2").With(
			Action{Action: "look", Command: "sluice inbox"}),
		New(StaleCandidate, "mybook", "the candidate of chapter 3 was made from a text that no longer stands").With(
			Action{Action: "generate_candidate", Command: "sluice novel candidate mybook 3"}),
		New(ChapterLocked, "mybook", "chapter 3 is locked").With(
			Action{Action: "unlock", Command: "sluice novel unlock mybook 3"}),
		New(ProjectExists, "mybook", "project mybook exists").With(
			Action{Action: "show", Command: "sluice novel status mybook"}),
		New(NothingToUndo, "r-7", "run r-7 has no rollback to undo"),
		New(ProviderChanged, "r-7", "run r-7 has real replies; the model now is rehearsal").With(
			Action{Action: "rehearse all the same", Command: "sluice resume r-7 --provider rehearsal"}),
		New(Conflict, "r-7", "run r-7 is at 12, the batch expects 11"),
		New(LeaseHeld, "r-7", "run r-7 is driven by another process"),
		New(LeaseLost, "r-7", "run r-7 has a newer driver; epoch 3 is over"),
		New(StoreLocked, ".sluice/sluice.db", "the store is locked by another program"),
		New(FileChanged, "world.md", "world.md was changed while it was written"),
		New(FileExists, "world.md", "write world.md: a file is there already"),
		New(WorkspaceExists, ".", "this directory is a workspace already"),
		New(SessionExists, "draft-2", "session draft-2 is open").With(
			Action{Action: "work in it", Command: "sluice session switch draft-2"}),
		New(SessionClosed, "draft-2", "session draft-2 was committed and cannot be cancelled"),

		New(ModelUnavailable, "openai", "the model did not answer after 5 tries"),
		New(ModelRefused, "openai", "the model refused the request"),
		New(ModelBadRequest, "openai", "openai refuses the request: 400: unknown parameter"),
		New(ModelAuth, "openai", "the model's server refused the key from OPENAI_API_KEY"),
		New(ModelUnknown, "gpt-0", "the server has no model gpt-0"),
		New(ModelTruncated, "openai", "the reply was cut at 4096 tokens"),
		New(ReplyUnusable, "world", "the reply does not fit its schema after 2 repairs: /theme is missing"),
		Wrap(StepFailed, "world", errors.New("signal: killed"), "step world ended without a result"),
		Wrap(CommandFailed, "go", errors.New("executable file not found in $PATH"), "the program go for go was not started").
			With(Action{Action: "mend", Command: "sluice config show", Why: "task.smoke_tests names it"}),
		New(PublishFailed, "feishu", "version S-20261115-0004 was not published to feishu after 3 retries: rate_limited: too many requests").With(
			Action{Action: "publish again", Command: "sluice spec publish F-2026-001 --target feishu", Why: "nothing is created twice"}),

		New(Findings, "", "3 findings").With(Action{Action: "repair", Command: "sluice doctor --repair"}),
		New(StoreCorrupt, "r-7", "batch 4 of run r-7 does not hash to its predecessor").With(
			Action{Action: "check", Command: "sluice verify"}),
		New(StoreNewer, ".sluice/sluice.db", "the store has schema 9, this program knows 8"),
		New(DiskFull, ".sluice/sluice.db", "the disk is full; the last commit is safe"),
		New(NoPermission, ".sluice", "no permission to write .sluice"),
		New(UnsafeFolder, ".", "the workspace is on a network file system, where locks do not hold"),
	}
	byCode := make(map[Code]*Error, len(list))
	for _, e := range list {
		byCode[e.Code] = e
	}
	return byCode
}

func render(e *Error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  exit %d  http %d\n", e.Code, e.Code.Exit(), e.Code.HTTP())
	if e.Subject != "" {
		fmt.Fprintf(&b, "  subject: %s\n", e.Subject)
	}
	fmt.Fprintf(&b, "  %s\n", e)
	for _, a := range e.Next {
		fmt.Fprintf(&b, "  next: %s (%s)\n", a.Command, a.Action)
	}
	return b.String()
}

func TestCodesGolden(t *testing.T) {
	_, values := declared(t)
	byCode := samples()
	var b strings.Builder
	for _, value := range values {
		e, ok := byCode[Code(value)]
		if !ok {
			t.Errorf("code %s has no sample in fault_test.go", value)
			continue
		}
		if first := e.Message[:1]; first != strings.ToLower(first) || strings.HasSuffix(e.Message, ".") {
			t.Errorf("code %s: message %q is not lower case without a full stop", value, e.Message)
		}
		b.WriteString(render(e) + "\n")
		delete(byCode, Code(value))
	}
	for _, code := range slices.Sorted(maps.Keys(byCode)) {
		t.Errorf("the sample for %s has no code", code)
	}
	golden := filepath.Join("testdata", "codes.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s (-want +got), go test ./internal/fault -update rewrites it:\n%s", golden, diff)
	}
}

func TestCodesListsTheTable(t *testing.T) {
	_, values := declared(t)
	if got, want := len(Codes()), len(values); got != want {
		t.Errorf("Codes gives %d codes, the source has %d", got, want)
	}
}

func TestUnknownCodeIsUnexpected(t *testing.T) {
	c := Code("no_such_code")
	if c.Exit() != ExitUnexpected || c.HTTP() != 500 {
		t.Errorf("got exit %d, http %d; want %d, 500", c.Exit(), c.HTTP(), ExitUnexpected)
	}
}

func TestFaultThroughWrapping(t *testing.T) {
	cause := errors.New("no space left")
	inner := Wrap(DiskFull, "a.db", cause, "the disk is full")
	err := fmt.Errorf("append: %w", inner)
	if !errors.Is(err, DiskFull) || errors.Is(err, Conflict) {
		t.Errorf("errors.Is by code: %v", err)
	}
	if !errors.Is(err, cause) {
		t.Error("the cause is lost")
	}
	if CodeOf(err) != DiskFull || From(err) != inner {
		t.Errorf("got %s, %v; want the inner fault", CodeOf(err), From(err))
	}
	if got, want := inner.Error(), "the disk is full: no space left"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if CodeOf(nil) != "" || From(nil) != nil || CodeOf(cause) != Unexpected {
		t.Error("nil is no fault, a foreign error is unexpected")
	}
}

func TestWithLeavesItsReceiver(t *testing.T) {
	e := New(Parked, "r-1", "run r-1 waits")
	one := e.With(Action{Action: "one"})
	_ = one.With(Action{Action: "two"})
	three := one.With(Action{Action: "three"})
	if len(e.Next) != 0 || len(one.Next) != 1 || three.Next[1].Action != "three" {
		t.Errorf("got %v, %v, %v", e.Next, one.Next, three.Next)
	}
}

func TestDocument(t *testing.T) {
	e := New(Parked, "r-1", "run r-1 waits").With(Action{Action: "list", Command: "sluice inbox", After: "save"})
	tests := []struct {
		name, fields, want string
	}{
		{"common fields", ``, `{"code":"parked","message":"run r-1 waits","subject":"r-1","next_actions":[{"action":"list","command":"sluice inbox","after":"save"}]}`},
		{"no extra fields", `{}`, `{"code":"parked","message":"run r-1 waits","subject":"r-1","next_actions":[{"action":"list","command":"sluice inbox","after":"save"}]}`},
		{"a line's own beside them", `{"chapter":3}`, `{"code":"parked","message":"run r-1 waits","subject":"r-1","next_actions":[{"action":"list","command":"sluice inbox","after":"save"}],"chapter":3}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := *e
			f.Fields = json.RawMessage(tt.fields)
			got, err := json.Marshal(&f)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestDocumentWithoutNextActionsHasAnEmptyList(t *testing.T) {
	got, err := json.Marshal(New(NotFound, "x", "x does not exist"))
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"code":"not_found","message":"x does not exist","subject":"x","next_actions":[]}`; string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDocumentRefusesFieldsThatAreNoObject(t *testing.T) {
	for _, fields := range []string{`[1,2]`, `{"a":`, `"text"`} {
		e := New(NotFound, "x", "x does not exist")
		e.Fields = json.RawMessage(fields)
		if got, err := json.Marshal(e); err == nil {
			t.Errorf("fields %s gave %s", fields, got)
		}
	}
}
