//go:build unix

package runner

import (
	"os/exec"
	"syscall"
)

// runGroup runs a program as the head of a process group of its own. At the time limit the whole group is killed, and what
// is left of it after a program has ended is killed too. It tells whether the limit was met.
func runGroup(cmd *exec.Cmd) (killed bool, err error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		killed = true // Wait returns after this
		return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	if err := cmd.Start(); err != nil {
		return false, err
	}
	err = cmd.Wait()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // usually nobody is left
	return killed, err
}
