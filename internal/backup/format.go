package backup

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"sluice/internal/fault"
	"sluice/internal/safepath"
)

// Format names what this package writes and reads.
const Format = "sluice-backup/1"

// Names inside an archive.
const (
	formatName   = "FORMAT"        // first: by it a backup is known before anything is unpacked
	manifestName = "MANIFEST.json" // last: without it the archive was cut off
	storePrefix  = "store/"        // of what stands in the private directory
	filesPrefix  = "workspace/"    // of what stands in the workspace
	storeName    = "sluice.db"
	blobsName    = "blobs"
)

// Manifest says what an archive holds.
type Manifest struct {
	Format    string    `json:"format"`
	CreatedAt time.Time `json:"created_at"`
	Program   string    `json:"program,omitempty"`
	Entries   []Entry   `json:"entries"`
	LeftOut   []LeftOut `json:"left_out,omitempty"`
}

// Entry is one file of an archive.
type Entry struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	Run    bool   `json:"executable,omitempty"`
}

// LeftOut is something of the workspace that the archive does not hold, and why.
type LeftOut struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Bytes adds up what the entries hold.
func (m Manifest) Bytes() int64 {
	var n int64
	for _, e := range m.Entries {
		n += e.Size
	}
	return n
}

var blobPath = regexp.MustCompile(`^blobs/([0-9a-f]{2})/([0-9a-f]{64})$`)

// privatePaths are what an archive holds of the private directory besides store and blobs: what people wrote and we put
// aside, and what tells our files from theirs. Locks and logs belong to the machine.
var privatePaths = []string{"kept", "note", "placed", "placed.old", ".gitignore"}

// place gives where an entry belongs below the restored directory, or refuses it.
func place(name string) (string, error) {
	if rest, ok := strings.CutPrefix(name, filesPrefix); ok {
		if rest == safepath.ConfigName {
			return rest, nil
		}
		clean, err := safepath.Clean(rest)
		if err != nil {
			return "", refuse("entry %q is no path of a workspace: %v", name, err)
		}
		if clean != rest {
			return "", refuse("entry %q is not the plain spelling of its path", name)
		}
		return rest, nil
	}
	rest, ok := strings.CutPrefix(name, storePrefix)
	if !ok {
		return "", refuse("entry %q belongs neither to the workspace nor to its store", name)
	}
	if m := blobPath.FindStringSubmatch(rest); rest == storeName || m != nil && strings.HasPrefix(m[2], m[1]) {
		return safepath.PrivateDir + "/" + rest, nil
	}
	top, below, isBelow := strings.Cut(rest, "/")
	for _, p := range privatePaths {
		if top != p || isBelow != (p == "kept" || p == "note") {
			continue
		}
		if isBelow {
			if clean, err := safepath.Clean(below); err != nil || clean != below {
				return "", refuse("entry %q is no path of the store", name)
			}
		}
		return safepath.PrivateDir + "/" + rest, nil
	}
	return "", refuse("entry %q is no part of a store", name)
}

// refuse says what is wrong with an archive.
func refuse(format string, args ...any) *fault.Error {
	return fault.New(fault.BadArchive, "backup", "the backup cannot be used: %s", fmt.Sprintf(format, args...)).
		With(fault.Action{Action: "another", Why: "use another backup: nothing of this one was kept"})
}
