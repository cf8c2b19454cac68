package mcpserver

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"sluice/internal/fault"
)

type driven struct {
	Drive *DriveDoc
}

func TestDrivesInTheBackground(t *testing.T) {
	d := newDesk()
	began, release := make(chan struct{}), make(chan error)
	d.drive = func(ctx context.Context, _ string) error {
		began <- struct{}{}
		select {
		case err := <-release:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s := newServer(t, d, nil)
	c := connect(t, s, "", nil)
	status := func() *DriveDoc { return must[driven](c, "get_workflow_status", calls["get_workflow_status"]).Drive }

	if got := must[driven](c, "start_generation", `{"scene_id":"0204","drive":true}`).Drive; got == nil || got.State != "running" {
		t.Fatalf("start says %+v, want running", got)
	}
	<-began
	if got := status(); got == nil || got.State != "running" {
		t.Errorf("status says %+v, want running", got)
	}
	must[struct{}](c, "resume_workflow", calls["resume_workflow"]) // while it runs: it is driven once more afterwards
	release <- nil
	<-began
	release <- fault.New(fault.ProviderChanged, waiting, "the model now is rehearsal")
	for status().State == "running" { // until the goroutine has told
	}
	if got := status(); got.State != "failed" || got.Code != string(fault.ProviderChanged) || got.Message == "" {
		t.Errorf("status says %+v, want the failure", got)
	}
	must[struct{}](c, "approve_step", approveIt) // what this server drives goes on after an approval
	<-began
	s.Stop()
	if got := status(); got != nil {
		t.Errorf("after the end status says %+v, want nothing: an interruption is no failure", got)
	}
}

func TestStopWaitsForDrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDrives(t.Context(), newServer(t, newDesk(), nil).opts.Log)
		var ended atomic.Bool
		d.start("w", func(ctx context.Context, _ string) error {
			<-ctx.Done()
			ended.Store(true)
			return ctx.Err()
		})
		d.stop()
		if !ended.Load() {
			t.Error("stop returned while a drive was at work")
		}
		d.start("w", func(context.Context, string) error {
			t.Error("a stopped server drives")
			return nil
		})
	})
}
