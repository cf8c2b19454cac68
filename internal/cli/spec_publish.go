package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/line/spec/ledger"
)

func (k *Kit) specPublish() *cobra.Command {
	var target string
	var isDry bool
	c := &cobra.Command{
		Use:   "publish FEATURE",
		Short: "Bring the version that was decided to go to a target",
		Long: `Publishes the version on which go was decided: to a file (a Markdown document in the workspace), a webhook or a
Feishu table. The same version is published once, however often and from however many places it is tried; a later
version updates the same record. What was published stands in ledger/records.json. Addresses and secrets come from
your own settings.

` + exits(0, 2, 3, 5, 6),
		Example: "  sluice spec publish F-2026-001 --target file\n  sluice spec publish F-2026-001 --target feishu --dry-run",
		Args:    fitUse,
	}
	c.Flags().StringVar(&target, "target", "", "`NAME` of the target: file, webhook or feishu (needed)")
	c.Flags().BoolVar(&isDry, "dry-run", false, "show what would be sent, field by field, and send nothing")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := k.askFor(c.Context(), &target, question{text: "Where to?", choices: []string{"file", "webhook", "feishu"}},
			wrongUse(c, "--target", "sluice spec publish needs --target NAME: file, webhook or feishu")); err != nil {
			return err
		}
		return k.With(c.Context(), func(a *app.App) error {
			if isDry {
				p, err := a.PreviewSpec(c.Context(), args[0], target)
				if err != nil {
					return err
				}
				return k.Print(p, k.look().preview(p))
			}
			r, err := a.PublishSpec(c.Context(), args[0], target)
			if err != nil {
				return err
			}
			return k.Print(r, k.look().ledgerRecord(r))
		})
	}
	return c
}

func (v look) ledgerRecord(r ledger.Record) string {
	return clean(r.LedgerID+" "+string(r.Operation)+" "+r.SpecVersion+" at "+r.Target+" as "+r.ExternalID) + "\n"
}

func (v look) preview(p ledger.Preview) string {
	head := string(p.Operation) + " " + p.SpecVersion + " at " + p.Target
	if p.ExternalID != "" {
		head += " as " + p.ExternalID
	}
	return clean(head) + " (nothing was sent)\n" + fieldLines(p.Fields)
}

// fieldLines shows a JSON object field by field, in its order; a text of several lines stands below its name.
func fieldLines(object json.RawMessage) string {
	dec := json.NewDecoder(bytes.NewReader(object))
	whole := clean(string(object)) + "\n"
	if begin, err := dec.Token(); err != nil || begin != json.Delim('{') {
		return whole
	}
	var b strings.Builder
	for dec.More() {
		var value json.RawMessage
		key, err := dec.Token()
		if err != nil || dec.Decode(&value) != nil {
			return whole
		}
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		name := "  " + clean(fmt.Sprint(key)) + ":"
		if text = strings.TrimRight(text, "\n"); !strings.Contains(text, "\n") {
			b.WriteString(name + " " + clean(text) + "\n")
			continue
		}
		b.WriteString(name + "\n")
		for line := range strings.SplitSeq(cleanBlock(text), "\n") {
			b.WriteString(strings.TrimRight("    "+line, " ") + "\n")
		}
	}
	return b.String()
}
