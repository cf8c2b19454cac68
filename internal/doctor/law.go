package doctor

import (
	"fmt"

	"sluice/internal/kernel"
)

// law holds the journal and its fold against the law. What no law could have recorded is an error; what this program
// would have settled otherwise is a warning, since an earlier one may have written it.
func (v *verifier) law(run *kernel.Run, events []kernel.Event) {
	type fact struct {
		subject, message string
	}
	told := map[fact]bool{}
	for _, broken := range kernel.VerifyJournal(events) {
		told[fact{broken.Subject, broken.Message}] = true
		v.broken(run, broken, Error, "the journal holds what the law excludes; another program may have written it")
	}
	for _, broken := range kernel.Audit(run) {
		if !told[fact{broken.Subject, broken.Message}] {
			v.broken(run, broken, Warning, "the next change of the run settles it")
		}
	}
}

func (v *verifier) broken(run *kernel.Run, broken kernel.Violation, severity, hint string) {
	f := Finding{Code: fmt.Sprintf("invariant_%d", broken.Invariant), Severity: severity, Seq: broken.Seq,
		Message: broken.Subject + ": " + broken.Message, Hint: hint}
	if _, ok := run.Node(kernel.NodeID(broken.Subject)); ok {
		f.Node = broken.Subject
	}
	v.find(f)
}
