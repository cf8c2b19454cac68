package e2e

import (
	"os"
	"strings"
	"testing"

	"sluice/internal/line/scene"
)

// TestADraftThatIsEditedBesideItsValidators edits the draft while validators read the one before: the text that is published was
// validated as it is.
func TestADraftThatIsEditedBesideItsValidators(t *testing.T) {
	t.Parallel()
	w := newWritten(t)
	drive := w.drive("canon-guardian", 1, "scene", "run", w.id)
	w.edit("draft-attempt1.md", "\nAnna smiled by hand.\n")
	if d := w.status(); d.CurrentStep != 5 {
		t.Errorf("an edited draft is at step %d", d.CurrentStep)
	}
	drive.end(0)
	if !strings.Contains(w.scene(), "Anna smiled by hand.") {
		t.Errorf("the edit is lost:\n%s", w.scene())
	}
	if n := w.author.calls.Load(); n != 1+1+7+7 {
		t.Errorf("the author was asked %d times", n)
	}
	w.sound()
}

// TestAPlanThatIsChangedBesideADrive changes the approved plan while a later step works: the workflow waits for the person, and
// the text is then written from what they approved.
func TestAPlanThatIsChangedBesideADrive(t *testing.T) {
	for _, c := range []struct {
		name, agent string
		calls       int64
	}{{"while the draft is written", "scene-text", 1 + 2 + 7}, {"while validators read", "canon-guardian", 1 + 2 + 14}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWritten(t)
			drive := w.drive(c.agent, 1, "scene", "run", w.id)
			w.edit("verification-plan.md", "\nIt rains by hand.\n")
			if d := w.status(); !d.WaitingForApproval || d.CurrentStep != 3 {
				t.Errorf("a changed plan does not wait: %+v", d)
			}
			drive.end(4)
			if w.scene() != "" {
				t.Error("a scene was published before its plan was approved")
			}
			w.mustRun(0, "doctor")
			w.mustRun(0, "scene", "approve", w.id)
			w.real(0, "scene", "run", w.id)
			if n := w.author.calls.Load(); n != c.calls {
				t.Errorf("the author was asked %d times, want %d", n, c.calls)
			}
			w.sound()
		})
	}
}

// TestAFileThatIsEditedBesideADrive edits the plan while validators read, and nobody looks: the scene is not published from the one
// before.
func TestAFileThatIsEditedBesideADrive(t *testing.T) {
	t.Parallel()
	w := newWritten(t)
	drive := w.drive("canon-guardian", 1, "scene", "run", w.id)
	w.edit("verification-plan.md", "\nIt rains by hand.\n")
	drive.end(4)
	if d := w.status(); !d.WaitingForApproval || d.CurrentStep != 3 || w.scene() != "" {
		t.Errorf("a changed plan does not wait: %+v", d)
	}
	w.mustRun(0, "scene", "approve", w.id)
	w.real(0, "scene", "run", w.id)
	w.sound()
}

// TestAStepIsTakenBackBesideADrive resumes, cancels and revises while another process writes: each holds at once.
func TestAStepIsTakenBackBesideADrive(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		ends int
		then [][]string // before it goes on
	}{
		{"cancel", []string{"scene", "cancel", "ID"}, 6, [][]string{{"scene", "resume", "ID"}}},
		{"resume from the plan", []string{"scene", "resume", "ID", "--from", "3"}, 4, [][]string{{"scene", "approve", "ID"}}},
		{"revise the plan", []string{"revise", "ID", "step/3"}, 4, [][]string{{"scene", "approve", "ID"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWritten(t)
			drive := w.drive("scene-text", 1, "scene", "run", w.id)
			named := func(args []string) []string {
				return strings.Fields(strings.ReplaceAll(strings.Join(args, " "), "ID", w.id))
			}
			w.mustRun(0, named(c.args)...)
			drive.end(c.ends)
			if w.scene() != "" {
				t.Error("a scene was published")
			}
			w.mustRun(0, "doctor")
			for _, args := range c.then {
				w.mustRun(0, named(args)...)
			}
			w.real(0, "scene", "run", w.id)
			w.sound()
		})
	}
}

// TestAForgottenKeyFindsAnOpenScene kills a real author's process while the draft is written: somebody without the key is refused,
// the command that the refusal names works, and exactly what rehearsal made is labelled.
func TestAForgottenKeyFindsAnOpenScene(t *testing.T) {
	t.Parallel()
	w := newWritten(t)
	w.drive("scene-text", 1, "scene", "run", w.id).kill()
	out, _ := w.mustRun(5, "--json", "scene", "run", w.id)
	wantAll(t, out, `"provider_changed"`)
	if d := w.status(); d.Rehearsal || len(d.RehearsalSteps) > 0 || d.Status != scene.InProgress {
		t.Errorf("the refused workflow is %+v", d)
	}
	meant := ""
	for _, c := range nextCommands(out) {
		if isMeant(c) {
			meant = c
		}
	}
	if meant == "" {
		t.Fatalf("no command is named for who means rehearsal: %s", out)
	}
	w.mustRun(0, strings.Fields(meant)...)
	if d := w.status(); d.Rehearsal || len(d.RehearsalSteps) != 2 || d.RehearsalSteps[0] != 4 || d.RehearsalSteps[1] != 6 {
		t.Errorf("what was rehearsed is labelled as %+v", d)
	}
	text, _ := w.mustRun(0, "scene", "status", w.id)
	wantAll(t, text, "what steps 4, 6 made comes from the offline placeholder model")
	wantAll(t, w.scene(), "[rehearsal]")
	wantAll(t, string(mustRead(w.file("final-report.md"))), "Rehearsal: this text was made by the built-in rehearsal model")
	w.mustRun(0, "doctor")
}

// TestADraftThatWasRemovedIsMadeAgainOnce removes the draft of a finished workflow: a new one takes its place, and the old one is
// looked after no longer.
func TestADraftThatWasRemovedIsMadeAgainOnce(t *testing.T) {
	t.Parallel()
	w := newWritten(t)
	w.real(0, "scene", "run", w.id)
	if err := os.Remove(w.file("draft-attempt1.md")); err != nil {
		t.Fatal(err)
	}
	if d := w.status(); d.CurrentStep != 4 {
		t.Errorf("without its draft the workflow is at step %d", d.CurrentStep)
	}
	w.real(0, "scene", "run", w.id)
	calls := w.author.calls.Load()
	for range 2 {
		w.real(0, "scene", "run", w.id)
	}
	if n := w.author.calls.Load(); n != calls {
		t.Errorf("%d calls were made for a draft that stands", n-calls)
	}
	w.sound()
}
