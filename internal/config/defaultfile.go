package config

import (
	"fmt"
	"strings"
)

// DefaultFile is the sluice.yaml of a new workspace: every setting that may stand there, commented out with its
// default, so that the file changes nothing until someone edits it.
func DefaultFile() []byte {
	var b strings.Builder
	b.WriteString("# Settings of this workspace. What is commented out shows the default.\n" +
		"# Your own settings (addresses, keys, your name) belong in sluice/config.yaml of your user configuration\n" +
		"# directory or in the environment, never here. `sluice config show` says what is set where.\n")
	c := Default()
	names, docs := sections()
	for _, section := range names {
		var lines []string
		for _, f := range fields() {
			own, key, _ := strings.Cut(f.key, ".")
			if own != section || f.user {
				continue
			}
			value := f.show(&c)
			if value == "" {
				value = `""`
			}
			lines = append(lines, fmt.Sprintf("#  %-28s # %s", key+": "+value, f.doc))
		}
		if len(lines) > 0 {
			fmt.Fprintf(&b, "\n# %s\n#%s:\n%s\n", docs[section], section, strings.Join(lines, "\n"))
		}
	}
	return []byte(b.String())
}
