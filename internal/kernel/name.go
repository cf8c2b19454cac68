package kernel

import (
	"strconv"
	"strings"
	"unicode"

	"sluice/internal/digest"
	"sluice/internal/fault"
)

// Identifiers are distinct types so that one cannot stand where another is meant.
type (
	RunID     string
	NodeID    string
	AttemptID string
	VersionID string
	ReviewID  string
	AskID     string
)

// maxName bounds every identifier that reaches the journal.
const maxName = 240

// checkName refuses an identifier that no door could print or parse again.
func checkName(what, id string) error {
	if id == "" || len(id) > maxName {
		return fault.New(fault.BadValue, id, "%s %q is not 1 to %d bytes long", what, id, maxName)
	}
	for _, c := range id {
		if unicode.IsSpace(c) || unicode.IsControl(c) || unicode.Is(unicode.Cf, c) || c == unicode.ReplacementChar {
			return fault.New(fault.BadValue, id, "%s %q holds a space, a control character or an invisible one", what, id)
		}
	}
	return nil
}

// checkWord refuses an identifier that could not be typed as it is: one that a shell would read otherwise, a flag, or one
// that leads elsewhere when a line makes a path of it.
func checkWord(what, id string) error {
	if err := checkName(what, id); err != nil {
		return err
	}
	if i := strings.IndexAny(id, "\"'`$&|;<>()[]{}*?!\\"); i >= 0 {
		return fault.New(fault.BadValue, id, "%s %q holds %q, which shells read as their own", what, id, id[i:i+1])
	}
	if strings.ContainsAny(id[:1], "-~#") {
		return fault.New(fault.BadValue, id, "%s %q begins with %q, which the command line reads as its own", what, id, id[:1])
	}
	for part := range strings.SplitSeq(id, "/") {
		if part == "" || part == "." || part == ".." {
			return fault.New(fault.BadValue, id, "%s %q has the part %q, which is no name", what, id, part)
		}
	}
	return nil
}

// ParseRunID checks a run id that came from outside.
func ParseRunID(s string) (RunID, error) { return RunID(s), checkWord("run id", s) }

func attemptID(n NodeID, number int) AttemptID {
	return AttemptID(string(n) + "#" + strconv.Itoa(number))
}

func versionID(n NodeID, number int) VersionID {
	return VersionID(string(n) + "@" + strconv.Itoa(number))
}

func reviewID(v VersionID, number int) ReviewID {
	return ReviewID(string(v) + "!" + strconv.Itoa(number))
}

// askID is short enough to type, and the same whenever the same ask is opened again from the same journal.
func askID(r RunID, number int) AskID {
	return AskID("a" + digest.Of([]byte(string(r) + "/" + strconv.Itoa(number))).Hex()[:11])
}

// Actor is who did something: a person, an outside client, the engine, a rule of the law, or a file that was found
// changed.
type Actor struct {
	Kind      ActorKind `json:"kind"`
	Name      string    `json:"name,omitempty"`
	Via       string    `json:"via,omitempty"`       // the door: cli, mcp <client>, web, file
	Confirmed bool      `json:"confirmed,omitempty"` // a person confirmed what a client asked for
}

// ActorKind is the sort of an Actor.
type ActorKind string

const (
	Engine ActorKind = "engine"
	Client ActorKind = "client"
	Person ActorKind = "person"
	Rule   ActorKind = "rule"
	File   ActorKind = "file"
)

// IsHuman tells whether a person stands behind the act. A changed file is a person's act.
func (a Actor) IsHuman() bool { return a.Kind == Person || a.Kind == File }

// String names the actor for people.
func (a Actor) String() string {
	var b strings.Builder
	b.WriteString(string(a.Kind))
	if a.Name != "" {
		b.WriteString(" " + a.Name)
	}
	if a.Via != "" {
		b.WriteString(" via " + a.Via)
	}
	return b.String()
}
