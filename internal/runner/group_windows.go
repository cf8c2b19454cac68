//go:build windows

package runner

import (
	"errors"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/windows"
)

// runGroup runs a program inside a job. At the time limit the whole job is ended, and what is left of it after a program
// has ended is ended too. What a program starts before it is in the job, in its first instant, is not. It
// tells whether the limit was met.
func runGroup(cmd *exec.Cmd) (killed bool, err error) {
	job, err := newJob()
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, windows.CloseHandle(job)) }()
	cmd.Cancel = func() error {
		killed = true // Wait returns after this
		return errors.Join(windows.TerminateJobObject(job, 1), cmd.Process.Kill())
	}
	if err := cmd.Start(); err != nil {
		return false, err
	}
	var refused error
	lost := cmd.Process.WithHandle(func(h uintptr) { refused = windows.AssignProcessToJobObject(job, windows.Handle(h)) })
	if err := errors.Join(lost, refused); err != nil {
		return false, errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	err = cmd.Wait()
	return killed, err
}

// newJob makes a job whose processes end with it.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		return 0, errors.Join(err, windows.CloseHandle(job))
	}
	return job, nil
}
