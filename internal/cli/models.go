package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/fault"
)

func (k *Kit) models() *cobra.Command {
	var check bool
	c := &cobra.Command{
		Use:   "models",
		Short: "Show which models are configured, and whether they answer",
		Long: `Lists the models that agents are answered by: those of model.agents and their tiers in the order they are asked, then
the one for everybody else, each with its server and where its key is kept. With --check every model is asked for one
word; that costs a few tokens, belongs to no run and is not recorded.

` + exits(0, 1, 2, 6),
		Example: "  sluice models\n  sluice models --check\n  sluice models --provider ollama --check --json",
		Args:    fitUse,
		RunE: func(c *cobra.Command, _ []string) error {
			roster, err := k.env.Models(c.Context(), k.options())
			if err != nil {
				return err
			}
			doc, err := app.ListModels(c.Context(), roster, check)
			if err != nil {
				return err
			}
			if err := k.Print(doc, k.look().models(doc)); err != nil {
				return err
			}
			err = doc.Err()
			if err != nil && k.json {
				k.exit = fault.CodeOf(err).Exit()
				return nil
			}
			return err
		},
	}
	c.Flags().BoolVar(&check, "check", false, "ask every model for one word")
	return c
}

// models lays the list out, a row for each place where a model is asked.
func (l look) models(doc app.ModelsDoc) string {
	head := []string{"AGENTS", "TIER", "PROVIDER", "MODEL", "SERVER", "KEY"}
	isChecked := len(doc.Models) > 0 && doc.Models[0].Check != nil
	if isChecked {
		head = append(head, "ANSWERS")
	}
	rows := [][]string{head}
	for _, m := range doc.Models {
		agents, tier := clean(m.Agents), clean(m.Tier)
		if m.Place > 1 {
			agents, tier = "", "then"
		}
		row := []string{agents, tier, clean(m.Provider), clean(m.Model), clean(m.BaseURL), keyText(m)}
		if isChecked {
			row = append(row, checkText(m.Check))
		}
		rows = append(rows, row)
	}
	return table(l.width, rows...)
}

func keyText(m app.ModelRow) string {
	switch {
	case m.Key == "":
		return "none"
	case m.IsKeyFound:
		return clean(m.Key)
	}
	return clean(m.Key) + " (not there)"
}

func checkText(c *app.ModelCheck) string {
	switch {
	case c == nil:
		return ""
	case !c.Answers:
		return "no: " + clean(string(c.Error.Code))
	case c.AnsweredBy != "":
		return fmt.Sprintf("yes, %d ms, as %s", c.Millis, clean(c.AnsweredBy))
	}
	return fmt.Sprintf("yes, %d ms", c.Millis)
}
