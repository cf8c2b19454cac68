package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// Version says which program this is.
type Version struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Date    string `json:"date,omitempty"` // of the commit, RFC 3339
	Go      string `json:"go"`
}

func (k *Kit) version() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this program",
		Long:    "Prints the version, the commit it was built from with its date, and the version of Go.\n\n" + exits(0),
		Example: "  sluice version --json",
		Args:    fitUse,
		RunE: func(*cobra.Command, []string) error {
			v := k.env.Version
			parts := []string{"sluice " + v.Version}
			for _, p := range []string{v.Commit, v.Date, v.Go} {
				if p != "" {
					parts = append(parts, p)
				}
			}
			return k.Print(v, strings.Join(parts, ", ")+"\n")
		},
	}
}
