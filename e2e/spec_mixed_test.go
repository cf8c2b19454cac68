package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/app"
	"sluice/internal/line/spec"
)

// wantRehearsedVersions wants exactly these versions of a real feature to be labelled, wherever they are listed.
func (m mixed) wantRehearsedVersions(id string, want ...string) {
	m.t.Helper()
	var listed app.SpecVersionsDoc
	m.decode(&listed, "spec", "versions", id)
	var got []string
	for _, v := range listed.Versions {
		if v.Rehearsal {
			got = append(got, v.SpecVersion)
		}
		if body := string(mustRead(filepath.Join(m.dir, filepath.FromSlash(v.Path)))); strings.Contains(body, "[rehearsal]") != v.Rehearsal {
			m.t.Errorf("%s is labelled %v, and in its file it is not so", v.SpecVersion, v.Rehearsal)
		}
	}
	if !slices.Equal(got, want) {
		m.t.Errorf("labelled are %v, want %v", got, want)
	}
	out, _ := m.mustRun(0, "spec", "versions", id)
	if n := strings.Count(out, "(rehearsal)"); n != len(want) {
		m.t.Errorf("%d rows are labelled:\n%s", n, out)
	}
	now := m.theFeature()
	code, out, _ := m.run("", "spec", "run", id)
	if isNew := slices.Contains(want, now.SpecVersion); code != 5 && strings.Contains(out, "rehearsal:") != isNew || now.Rehearsal {
		m.t.Errorf("the feature is labelled as %+v: %s", now, out)
	}
}

// wantSpecAccounts wants the cost to be the author's alone, and the tokens those of all who answered.
func (m mixed) wantSpecAccounts(id string) {
	m.t.Helper()
	var calls app.CallsDoc
	m.decode(&calls, "calls", id)
	in, out, real := 0, 0, 0
	for _, c := range calls.Calls {
		if c.Outcome != "answered" {
			continue
		}
		in, out = in+c.InputTokens, out+c.OutputTokens
		switch isReal := c.Provider != "rehearsal"; {
		case isReal && (c.InputTokens != authorIn || c.OutputTokens != authorOut || c.Cost == nil || !near(*c.Cost, authorCost)):
			m.t.Errorf("a call of the author is accounted for as %+v", c)
		case isReal:
			real++
		case c.Cost != nil && *c.Cost != 0:
			m.t.Errorf("a call of rehearsal has a price: %+v", c)
		}
	}
	if n := int(m.author.calls.Load()); n != real {
		m.t.Errorf("%d calls of the author are recorded, and it answered %d", real, n)
	}
	var doc app.RunDoc
	m.decode(&doc, "status", id)
	if u := doc.Usage; u.InputTokens != in || u.OutputTokens != out || u.Cost == nil || !near(*u.Cost, float64(real)*authorCost) {
		m.t.Errorf("the feature is accounted for as %+v; want %d in, %d out and %d times %v", u, in, out, real, authorCost)
	}
}

// TestAFeatureOfARealAuthorAndRehearsal kills a real author's process while tasks are planned. Without the key nothing is written
// until that is said to be meant; then exactly what rehearsal wrote is labelled.
func TestAFeatureOfARealAuthorAndRehearsal(t *testing.T) {
	t.Parallel()
	m := newMixedSpec(t)
	m.drive(spec.AgentPlan, 1, "spec", "new", wanted).kill()
	m.author.holding(nil)
	id := m.theFeature().FeatureID
	before := m.files("specs")
	calls := m.author.calls.Load() // the one whose process was killed is answered into the void
	var refusal string
	for _, args := range [][]string{{"spec", "run", id}, {"run", id}, {"resume", id}} {
		out, _ := m.mustRun(5, append([]string{"--json"}, args...)...)
		refusal = out
		if !strings.Contains(out, `"provider_changed"`) || !slices.Equal(nextCommands(out), []string{"config show", "spec run " + id + " --provider rehearsal"}) {
			t.Errorf("%v: %s", args, out)
		}
	}
	if diff := cmp.Diff(before, m.files("specs")); diff != "" || m.author.calls.Load() != calls {
		t.Errorf("what was refused left (-want +got):\n%s", diff)
	}
	m.wantRehearsedVersions(id)
	m.mustRun(4, strings.Fields(nextCommands(refusal)[1])...)
	rehearsed := versionsAfter(m.shell, before)
	m.wantRehearsedVersions(id, rehearsed...)
	m.mustRun(0, "spec", "review", id, "go", "--reason", "yes")
	m.mustRun(0, "spec", "publish", id, "--target", "file")
	wantAll(t, m.files("published")[id+".md"], "[rehearsal]")

	// What is amended without the key is kept, and goes on with it. It keeps what rehearsal wrote.
	out, _ := m.mustRun(5, "--json", "spec", "amend", id, "AC-2: what was found can be saved")
	wantAll(t, out, `"provider_changed"`)
	m.real(4, "spec", "run", id)
	m.wantRehearsedVersions(id, versionsAfter(m.shell, before)...)
	m.shell.soundSpec(id)
}

// versionsAfter names the versions whose files were not there before.
func versionsAfter(s *shell, before map[string]string) []string {
	s.t.Helper()
	var names []string
	for file := range s.files("specs") {
		if _, there := before[file]; !there {
			names = append(names, strings.TrimSuffix(filepath.Base(file), ".json"))
		}
	}
	slices.Sort(names)
	return names
}

// TestAnAnswerWithoutTheKey answers the questions of a real feature where the author cannot be asked: the answers stand, and what
// follows from them waits for the key.
func TestAnAnswerWithoutTheKey(t *testing.T) {
	t.Parallel()
	m := newMixedSpec(t)
	m.write("brief.md", crashBrief)
	m.real(4, "spec", "new", "-f", "brief.md")
	id := m.theFeature().FeatureID
	out, _ := m.mustRun(5, "--json", "spec", "answer", id, "-a", "spec.goal="+wanted)
	wantAll(t, out, `"provider_changed"`, fmt.Sprintf(`"sluice spec run %s --provider rehearsal"`, id))
	out, _ = m.mustRun(5, "--json", "spec", "answer", id, "-a", "spec.goal=Another goal for all of them")
	if next := nextCommands(out); !slices.Equal(next, []string{"spec run " + id}) {
		t.Errorf("answering again names %v", next)
	}
	m.env = m.author.realEnv()
	m.pasted(4, out)
	m.env = []string{authorPrice}
	var got spec.CanonicalSpec
	if m.decode(&got, "spec", "show", id); got.Spec.Goal != wanted {
		t.Errorf("the goal is %q", got.Spec.Goal)
	}
	m.wantRehearsedVersions(id)
	m.wantSpecAccounts(id)
	m.soundSpec(id, 0)
}
