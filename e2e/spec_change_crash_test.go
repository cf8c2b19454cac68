package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/app"
	"sluice/internal/line/spec/ledger"
)

// change is a command that changes or repairs a feature, and the commands that lead to where it is given.
type change struct {
	name   string
	lead   [][]string
	damage func(s *shell)
	args   []string
	on     []string // what it has begun is finished by this; none: it is done or not done, and nothing between
	// isShownLate: the file of the ledger is written after the ledger, and shown right by the same command.
	isShownLate bool
}

func changes() []change {
	decide := func(d string) []string { return []string{"spec", "review", "F", d, "--reason", "as agreed"} }
	publish := []string{"spec", "publish", "F", "--target", "file"}
	return []change{
		{name: "go", args: decide("go")},
		{name: "drop of what is held", lead: [][]string{decide("hold")}, args: decide("drop")},
		{name: "hold of what goes", lead: [][]string{decide("go")}, args: decide("hold")},
		{name: "reopen", lead: [][]string{decide("hold")}, args: []string{"spec", "reopen", "F"}},
		{name: "cancel", args: []string{"cancel", "F", "--reason", "not now"}},
		{name: "resume", lead: [][]string{{"cancel", "F"}}, args: []string{"resume", "F"}, on: []string{"spec", "run", "F"}},
		{name: "answers after a hold", lead: [][]string{decide("hold"), {"spec", "reopen", "F"}},
			args: []string{"spec", "answer", "F", "-a", "spec.background=The shop has ten thousand books."}, on: []string{"spec", "run", "F"}},
		{name: "publish of the next version", lead: [][]string{decide("go"), publish, {"spec", "amend", "F", "AC-9: it is quick"}, decide("go")},
			args: publish, on: publish, isShownLate: true},
		{name: "repair", lead: [][]string{decide("go"), publish}, damage: damaged, args: []string{"doctor", "--repair"}, on: []string{"doctor", "--repair"}},
	}
}

// damaged changes one file of each sort, and removes another.
func damaged(s *shell) {
	s.t.Helper()
	for _, dir := range []string{"specs", "snapshots", "evidence", "ledger"} {
		var names []string
		for name := range s.files(dir) {
			names = append(names, filepath.Join(s.dir, dir, filepath.FromSlash(name)))
		}
		slices.Sort(names)
		if err := os.WriteFile(names[0], []byte("{}"), 0o600); err != nil {
			s.t.Fatal(err)
		}
		if len(names) < 2 {
			continue
		}
		if err := os.Remove(names[1]); err != nil {
			s.t.Fatal(err)
		}
	}
}

// standing is all that is shown of a feature, without what differs from one play to the next.
func (s *shell) standing() map[string]string {
	s.t.Helper()
	all := map[string]string{}
	for _, dir := range []string{"specs", "snapshots", "evidence", "published"} {
		var rows []string
		for name, body := range s.files(dir) {
			if strings.Contains(body, `"withdrawn"`) || strings.Contains(body, `"interrupted"`) { // by the kill, which nothing else tells of
				continue
			}
			if strings.HasSuffix(name, "_publish.json") { // which may have been found done
				body = "published"
			}
			rows = append(rows, hashForm.ReplaceAllString(timeForm.ReplaceAllString(idForm.ReplaceAllString(body, "ID"), "TIME"), "HASH"))
		}
		slices.Sort(rows)
		all[dir] = strings.Join(rows, "\n")
	}
	if body := mustRead(filepath.Join(s.dir, filepath.FromSlash(app.LedgerPath))); strings.Contains(string(body), "records") {
		_, done := ledgerOf(s.t, s)
		delete(done, ledger.Noop)
		all["ledger"] = fmt.Sprint(done)
	}
	f := s.theFeature()
	f.UpdatedAt, f.SpecVersion = "", ""
	all["feature"] = fmt.Sprintf("%+v", f)
	return all
}

// TestSpecKilledWhileItIsChanged kills what changes a feature just before and after everything that becomes durable: the feature
// is then as it was or as it was meant to be, and what was begun is finished for the same calls.
func TestSpecKilledWhileItIsChanged(t *testing.T) {
	for _, c := range changes() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newShell(t)
			s.write("sluice.yaml", "engine:\n  workers: 1\n")
			id := s.specs(4, "new", wanted).FeatureID
			mine := func(args []string) []string {
				args = slices.Clone(args)
				for i := range args {
					if args[i] == "F" {
						args[i] = id
					}
				}
				return args
			}
			for _, args := range c.lead {
				s.mend(mine(args)...)
			}
			if c.damage != nil {
				c.damage(s)
			}
			c.args, c.on = mine(c.args), mine(c.on)
			killedChanges(t, &planned{dir: s.dir}, c, id)
		})
	}
}

func killedChanges(t *testing.T, p *planned, c change, id string) {
	t.Helper()
	before := p.copied(t).standing()
	points, whole := p.mended(t, c.args...)
	after, paid := whole.standing(), whole.paid(id)
	if points < 2 || cmp.Equal(before, after) {
		t.Fatalf("%d points are too few to crash, or nothing is changed", points)
	}
	t.Logf("%d points", points)
	for _, at := range sample(t, points, 1) {
		t.Run(fmt.Sprintf("point %d of %d", at, points), func(t *testing.T) {
			t.Parallel()
			s := p.killed(t, at, c.args...)
			s.theFeature() // what was recorded is put in place
			if c.damage == nil && !c.isShownLate {
				s.mustRun(0, "doctor")
			}
			now := s.standing()
			isDone := cmp.Equal(now, after)
			switch {
			case isDone:
			case cmp.Equal(now, before):
				s.mend(c.args...)
			case len(c.on) == 0:
				t.Errorf("it is neither as it was nor as it was meant to be (-want +got):\n%s", cmp.Diff(after, now))
			default:
				s.mend(c.on...)
			}
			if at == 1 && isDone || at == points && !isDone {
				t.Errorf("at this point it is done: %v", isDone)
			}
			if diff := cmp.Diff(after, s.standing()); diff != "" {
				t.Errorf("it comes to something else (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(paid, s.paid(id)); diff != "" {
				t.Errorf("it was paid for otherwise (-want +got):\n%s", diff)
			}
			s.soundSpec(id)
		})
	}
}
