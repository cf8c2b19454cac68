package scene

import (
	"fmt"
	"strings"
	"testing"

	"sluice/internal/kernel"
)

func TestEveryStatusHasItsWord(t *testing.T) {
	var b strings.Builder
	for _, of := range []role{roleStep, rolePhase, roleCheck} {
		for _, s := range kernel.Statuses() {
			fmt.Fprintf(&b, "%-6s %-10s %s\n", of, s, stepWord(of, s, false))
			if of == roleCheck {
				fmt.Fprintf(&b, "%-6s %-10s %s, when what it judged was sent back\n", of, s, stepWord(of, s, true))
			}
		}
	}
	for _, s := range []kernel.RunStatus{kernel.RunActive, kernel.RunParked, kernel.RunFailed, kernel.RunHeld, kernel.RunDone, kernel.RunCancelled, kernel.RunDropped} {
		fmt.Fprintf(&b, "workflow %-10s %s\n", s, workflowWord(s))
	}
	golden(t, "words.golden", b.String())
}

func TestProgress(t *testing.T) {
	tests := []struct {
		status         string
		current, total int
		want           int
	}{{InProgress, 3, 7, 42}, {InProgress, 7, 7, 99}, {Completed, 7, 7, 100}, {InProgress, 1, 5, 20}, {Failed, 4, 7, 57}, {InProgress, 1, 0, 0}}
	for _, tt := range tests {
		if got := progress(tt.status, tt.current, tt.total); got != tt.want {
			t.Errorf("progress(%s, %d, %d) = %d, want %d", tt.status, tt.current, tt.total, got, tt.want)
		}
	}
}
