package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/doctor"
	"sluice/internal/fault"
)

// Print answers with a document: as JSON, or as the text that was rendered from it.
func (k *Kit) Print(doc any, text string) error {
	k.progress.end()
	if !k.json {
		_, err := io.WriteString(k.env.Stdout, guard(text, k.env.OutWidth() > 0))
		return err
	}
	return k.printJSON(doc)
}

func (k *Kit) printJSON(doc any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return err
	}
	_, err := io.WriteString(k.env.Stdout, escapeJSON(b.String()))
	return err
}

// escapeJSON escapes what JSON allows to stand as it is and a terminal may obey. Such characters occur in strings only.
func escapeJSON(doc string) string {
	var b strings.Builder
	for _, r := range doc {
		if r != '\n' && isUnsafe(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// PrintDriven answers with a run that was driven: the exit code says whether it waits or failed.
func (k *Kit) PrintDriven(d app.RunDoc, err error) error {
	if err != nil {
		return goOn(d, err)
	}
	k.exit = d.Exit()
	return k.Print(d, k.look().summary(d))
}

// PrintRecorded answers with a run that took a command and was not driven.
func (k *Kit) PrintRecorded(what string, d app.RunDoc, err error) error {
	if err != nil {
		return err
	}
	return k.Print(d, k.look().recorded(what, d))
}

// goOn makes sure that an interruption says how to go on.
func goOn(d app.RunDoc, err error) error {
	if err == nil {
		return nil
	}
	f := fault.From(err)
	if d.Run == "" || len(f.Next) > 0 || f.Code != fault.Interrupted && !errors.Is(err, context.Canceled) {
		return err
	}
	return fault.Wrap(fault.Interrupted, d.Run, f.Cause, "run %s was interrupted; what was finished is kept", d.Run).
		With(fault.Action{Action: "run", Command: "sluice run " + d.Run, Why: "it goes on where it stopped"})
}

// printReport answers with what doctor or verify found. In JSON the report says it all; in text the fault adds what to
// do about it.
func (k *Kit) printReport(what string, r doctor.Report) error {
	if err := k.Print(r, k.look().report(what, r)); err != nil {
		return err
	}
	err := r.Err()
	if err != nil && k.json {
		k.exit = fault.CodeOf(err).Exit()
		return nil
	}
	return err
}

// wayOut is what to do about a fault that names nothing better.
func wayOut(c *cobra.Command, f *fault.Error) fault.Action {
	switch f.Code {
	case fault.BadPath, fault.NotFound, fault.FileExists, fault.FileChanged, fault.Unexpected, fault.StoreCorrupt:
		return fault.Action{Action: "doctor", Command: "sluice doctor", Why: "it examines the store and the files"}
	}
	if f.Code.Exit() == fault.ExitUsage {
		return help(c)
	}
	return fault.Action{Action: "status", Command: "sluice status", Why: "it shows what there is"}
}

// fail shows the error of a command and gives its exit code.
func (k *Kit) fail(c *cobra.Command, err error) int {
	f := fault.From(err)
	if f.Code == fault.Unexpected && errors.Is(err, context.Canceled) {
		f = fault.New(fault.Interrupted, "", "interrupted; what was finished is kept")
	}
	if f.Code == fault.Interrupted && len(f.Next) == 0 {
		f = f.With(fault.Action{Action: "status", Command: "sluice status", Why: "it shows what can go on"})
	}
	if len(f.Next) == 0 && f.Code != fault.Findings { // findings name their own ways out
		f = f.With(wayOut(c, f))
	}
	if k.json {
		doc := struct {
			Error *fault.Error `json:"error"`
		}{f}
		if k.printJSON(doc) == nil {
			return f.Code.Exit()
		}
	}
	v := k.look()
	v.isColoured = k.colours()
	_, _ = io.WriteString(k.env.Stderr, v.fault(f)) // there is nobody left to tell
	return f.Code.Exit()
}

func (k *Kit) colours() bool {
	return k.env.ErrWidth() > 0 && k.env.Getenv("NO_COLOR") == "" && k.env.Getenv("TERM") != "dumb"
}
