package doctor

import (
	"fmt"

	"sluice/internal/kernel"
)

// law holds the fold against the law.
func (v *verifier) law(run *kernel.Run, _ []kernel.Event) {
	for _, broken := range kernel.Audit(run) {
		v.find(Finding{Code: fmt.Sprintf("invariant_%d", broken.Invariant), Severity: Error, Seq: broken.Seq,
			Node: broken.Subject, Message: broken.Message,
			Hint: "the journal holds what the law excludes; another program may have written it"})
	}
}
