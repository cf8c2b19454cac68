package line

import (
	"encoding/json"
	"slices"
	"time"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
)

// Line is one production line. Nil functions mean that the line has nothing to say there.
type Line struct {
	Name       string
	Definition []byte // what a run begins with and keeps for its life, kept in the store by its digest
	Steps      map[string]Step

	// Rule evaluates a node's gate rule on content. It is pure: the same content gives the same result.
	Rule func(n kernel.Node, body []byte) (kernel.RuleResult, error)
	// Unfold says which nodes follow an approved version. It is asked once per approved version and recorded.
	Unfold func(in Unfolding) (Followers, error)
	// Files says which files show a node as it stands now.
	Files func(r *kernel.Run, n kernel.View) []File
	// Records gives files that show single events, each written once and kept. They are asked for with the events that are
	// about to be committed, so that they cost what happened and not what there is.
	Records func(h Happened) ([]File, error)
	// Failure says what is told of an attempt that failed: numbers wanted first, or done with the account.
	Failure func(in In, e kernel.StepError) (Move, error)
	// Reserved gives the numbers that an attempt was given, from its snapshot, for those who repeat its step. Nil: no step
	// wants any.
	Reserved func(s kernel.Snapshot) ([]int64, error)
	// Supply turns a person's answer into the content that the ask's node takes, or refuses it. Nil output leaves it to
	// the door: content as it was given.
	Supply func(g Given) (*Out, error)
	// State renders the files that show the run as a whole. They are rewritten when their bytes change.
	State func(r *kernel.Run, body Body) ([]StateFile, error)
	// Shows tells whether the files of State show anything of a node: they are looked at only when one of those moved. Nil
	// means at every commit.
	Shows func(id kernel.NodeID) bool
	// Adopt reads a file that a person changed. An error names the place; then the last good version is put back. Nil
	// takes the file's bytes as they are.
	Adopt func(e Edited) (Out, error)
	// Export says which nodes a bundle holds, in which order and where. Nil means every make, by its id.
	Export func(r *kernel.Run) []Exported
	// Summary is the line's own part of a list row.
	Summary func(r *kernel.Run) json.RawMessage
	// Rows gives the rows of tables that SQL clients read, as far as they may differ from what was given before. They are
	// a function of the run alone, so that giving them all at once is the same as giving what changed each time.
	Rows func(c Changed) ([]journal.Row, error)
	// Command gives the exact command line for a next action, or "" for the general one.
	Command func(r *kernel.Run, n kernel.NodeID, action string) string
}

// Step moves one kind of node. It is a pure function of what came in and what models answered so far.
type Step func(in In) (Move, error)

// In is everything a step may know.
type In struct {
	Run     *kernel.Run // read only
	Node    kernel.Node
	Attempt kernel.Attempt
	Inputs  []Doc           // approved versions of what the node needs, and of what the step wanted
	Subject *Doc            // what a check judges, or what a rework improves
	Reviews []kernel.Review // findings carried into this attempt
	Replies []Reply         // of the calls asked for so far, in their order
	Files   []Found         // of the reads asked for so far, in their order
	Ran     []Ran           // of the commands asked for so far, in their order
	Wanted  []kernel.NodeID // asked for so far; those without an approved version are not among the inputs
	Numbers []int64         // reserved so far, in the order they were asked for
}

// Lacking gives those of the nodes that the step has neither needed nor wanted so far.
func (in In) Lacking(ids ...kernel.NodeID) []kernel.NodeID {
	var lacking []kernel.NodeID
	for _, id := range ids {
		_, there := in.Input(id)
		if !there && !slices.Contains(in.Wanted, id) && !slices.Contains(lacking, id) {
			lacking = append(lacking, id)
		}
	}
	return lacking
}

// Input finds the input that came from a node.
func (in In) Input(id kernel.NodeID) (Doc, bool) {
	for _, d := range in.Inputs {
		if d.Version.Node == id {
			return d, true
		}
	}
	return Doc{}, false
}

// Doc is a version with its bytes.
type Doc struct {
	Version kernel.Version
	Body    []byte
	Parts   []Part // of a bundle
}

// Part finds a part of a bundle by its path.
func (d Doc) Part(path string) ([]byte, bool) {
	for _, p := range d.Parts {
		if p.Path == path {
			return p.Body, true
		}
	}
	return nil, false
}

// Edited is a working file that a person changed.
type Edited struct {
	Run    *kernel.Run
	Node   kernel.Node
	Newest Doc    // the version that the file showed
	Part   string // of a bundle: which part the file shows
	Path   string
	File   []byte // what the file holds now
}

// Move is what a step wants next: approved versions of further nodes, files of the workspace, answers to calls and results
// of commands, all side by side, or to be done.
type Move struct {
	Wants    []kernel.NodeID // beside what the node needs; they become parents of what is delivered
	Reads    []string        // patterns of paths, as path.Match has them; every file that fits is read
	Calls    []Call
	Commands []Command
	// Numbers names series: of each the next number is reserved, for good, before the step goes on with it. A number is
	// never given twice, and one that is not used is lost.
	Numbers []string
	// Then goes on with the answers to the calls as the step itself would, without doing again what it did to ask them.
	// Nil leaves it to the step.
	Then Step
	Done *Out
}

// Found is a file that a step asked for.
type Found struct {
	Pattern string
	Path    string // empty: no file fits the pattern
	Body    []byte
}

// Call is one question to a model. Equal calls of one attempt are told apart by their slot.
type Call struct {
	Slot    string
	Agent   string
	Model   string // a model by name; empty leaves it to the settings
	System  string
	Prompt  string
	Schema  json.RawMessage // of the reply; empty means plain text
	Inputs  json.RawMessage // a JSON object of what the step was given, for rehearsal and for the record
	Sources []digest.Digest // of the versions the prompt was built from
	// Timeout bounds the wait for the reply, retries included; 0 leaves it to the provider.
	Timeout time.Duration
	// Tolerant: when the call fails for good the step goes on and finds the failure in the reply.
	Tolerant bool
	// Earlier is how many takes before the attempt's own count for this call: a usable reply of one of them is used again,
	// and one that was not asked in them is asked as it was then. So a step of many calls pays again only for the call that
	// failed it. 0 asks every take anew.
	Earlier int
	// Check refuses a reply that fits its schema and is still not usable; what it says is sent back for repair.
	Check func(content string) []string
}

// Reply is the answer to a call: text, or JSON that fits the call's schema.
type Reply struct {
	Content  string
	Model    string
	Provider string // class: real or rehearsal
	Reused   bool
	Usage    kernel.Usage
	Errors   []kernel.StepError // recovered on the way
	Failed   *kernel.StepError  // of a tolerant call that was not answered
}

// Command asks that the user's programs for files of this kind be run on a copy of them. A step says what the files are;
// which programs those are, if any, is the user's to say and nobody else's.
type Command struct {
	Slot   string // tells the commands of one attempt apart
	Format string // of what the files make up
	Files  []Part
}

// Ran is what became of a command.
type Ran struct {
	Slot     string
	NotRun   string // why nothing was run; then there are no programs
	Programs []Program
}

// Program is one program that was run to its end.
type Program struct {
	Name     string // of the user's rule
	Command  []string
	Exit     int           // -1: it did not end by itself
	TimedOut time.Duration // the limit it ran into; 0: none
	Output   string        // its beginning and its end
}

// IsPassed tells whether something was run and all of it ended well.
func (r Ran) IsPassed() bool {
	for _, p := range r.Programs {
		if p.Exit != 0 || p.TimedOut > 0 {
			return false
		}
	}
	return r.NotRun == "" && len(r.Programs) > 0
}

// Out is what a finished step hands over: content of a make, or the verdict of a check with an optional report.
type Out struct {
	Body     []byte
	Parts    []Part // of a bundle: Body lists them
	Schema   string
	ID       kernel.VersionID
	Variants []string
	Verdict  kernel.Verdict
	Review   kernel.Review
	Account  kernel.Account
}

// Part is one file of a bundle.
type Part struct {
	Path string
	Body []byte
}

// Unfolding is an approved version whose followers are asked for.
type Unfolding struct {
	Run     *kernel.Run
	Node    kernel.Node
	Version kernel.Version
	Body    []byte
}

// Followers are the nodes that follow, and those that are no longer wanted.
type Followers struct {
	Nodes   []kernel.Node
	Abandon []kernel.NodeID
}

// File shows one version at a path, or a record that is no version's. Neither means that the path must be empty.
type File struct {
	Path    string
	Version *kernel.Version
	Body    []byte // of a record, if there is no version: what the line makes of it, the same each time
	Part    string // of a bundle: which part
	Role    journal.Role
	// Base is what the path shows if it is nobody's so far: replacing or removing these bytes loses nothing. Other bytes
	// are a person's, as ever.
	Base digest.Digest
	// Loose: the path is not the run's any more, and what is there stays.
	Loose bool
}

// Exported is one node of a bundle.
type Exported struct {
	Node kernel.NodeID
	Path string // relative to the bundle
}

// Happened is what is about to be committed: the run as it then stands, and the events that made it so.
type Happened struct {
	Run    *kernel.Run
	Events []kernel.Event
	Body   Body
}

// Given is a person's answer to an ask as a door took it, before it is content.
type Given struct {
	Run     *kernel.Run
	Ask     *kernel.Ask
	By      kernel.Actor
	Choice  string
	Reason  string
	Set     map[string]string // answers by path or question
	Content []byte
	Body    Body
}

// Body gives the bytes of a version, for what its facts do not say.
type Body func(v *kernel.Version) ([]byte, error)

// StateFile shows the run as a whole. A nil body means that the path must be empty.
type StateFile struct {
	Path  string
	Body  []byte
	Loose bool // the path is not the run's any more, and what is there stays
	// Make is for a file that is costly to make, instead of Body: it is made only when Mark, which names what it would
	// show, is another than before.
	Make func() ([]byte, error)
	Mark digest.Digest
}

// Changed is a run whose rows are asked for.
type Changed struct {
	Run    *kernel.Run
	Events []kernel.Event  // what happened since rows were last given
	Nodes  []kernel.NodeID // those whose standing may differ by that, once each
	Whole  bool            // every row is wanted; Events and Nodes are empty then
	Body   Body
}

// Unusable is the error of a step whose replies cannot be used: the attempt counts and another take is made.
type Unusable struct{ Reason string }

// Error says what is wrong with the reply.
func (u Unusable) Error() string { return u.Reason }

// CallError is why a call was not answered.
type CallError struct {
	kernel.StepError
	Earlier []kernel.StepError // what was recovered from before
	Usage   kernel.Usage
	Next    []fault.Action
	Cause   error
}

// Error is the fact.
func (e *CallError) Error() string { return e.Message }

// Unwrap gives the cause.
func (e *CallError) Unwrap() error { return e.Cause }
