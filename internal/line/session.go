package line

import (
	"strings"

	"sluice/internal/journal"
	"sluice/internal/kernel"
)

// Labels by which a run and its session know each other. A run has at most one of them.
const (
	LabelSession   = "session_name"           // made in this session, which is open
	LabelCommitted = "committed_from_session" // made in this session, which was committed: its files are the workspace's
	LabelEnded     = "ended_with_session"     // made in this session, which was cancelled: no door finds the run
)

const sessionsDir = "workspace/sessions/"

// ownDirs lie at the top of a session's directory and in workspace/ without one.
var ownDirs = [...]string{"generation-runs/", "planning-runs/", "workflow-state/"}

// SessionDir is where a session keeps its files.
func SessionDir(session string) string { return sessionsDir + session }

// SessionOf names the session in whose directory a path lies, and gives the rest of the path.
func SessionOf(path string) (session, rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, sessionsDir)
	if !ok {
		return "", "", false
	}
	session, rest, ok = strings.Cut(rest, "/")
	return session, rest, ok && rest != ""
}

// SessionPath gives the file by which a session shows a path of the workspace.
func SessionPath(session, path string) string {
	if rest, ok := strings.CutPrefix(path, "workspace/"); ok && isOwnDir(rest) {
		path = rest
	}
	return SessionDir(session) + "/" + path
}

// GlobalPath is the reverse of SessionPath. Other paths are given back as they are.
func GlobalPath(session, path string) string {
	rest, ok := strings.CutPrefix(path, SessionDir(session)+"/")
	switch {
	case !ok:
		return path
	case isOwnDir(rest):
		return "workspace/" + rest
	}
	return rest
}

func isOwnDir(path string) bool {
	for _, dir := range ownDirs {
		if strings.HasPrefix(path, dir) {
			return true
		}
	}
	return false
}

// PathNow gives where a path stands now that was recorded when the run was made: recorded paths never change, and the
// files of a committed session are the workspace's.
func PathNow(r *kernel.Run, recorded string) string {
	if s := r.Labels()[LabelCommitted]; s != "" {
		return GlobalPath(s, recorded)
	}
	return recorded
}

// FilesNow brings the files that a line shows at their recorded paths to where they stand now. A line whose runs can
// be made in sessions lets its Files end with it.
func FilesNow(r *kernel.Run, files []File) []File {
	ended := r.Labels()[LabelEnded] != ""
	var now []File
	for _, f := range files {
		switch place := PathNow(r, f.Path); {
		case ended: // what an editor left there is kept before it is removed
			now = append(now, File{Path: f.Path, Part: f.Part, Role: journal.State})
		case place != f.Path:
			now = append(now, File{Path: f.Path, Role: f.Role, Loose: true})
			f.Path = place
			fallthrough
		default:
			now = append(now, f)
		}
	}
	return now
}

// StatesNow does the same for the files that show the run as a whole.
func StatesNow(r *kernel.Run, files []StateFile) []StateFile {
	ended := r.Labels()[LabelEnded] != ""
	var now []StateFile
	for _, f := range files {
		switch place := PathNow(r, f.Path); {
		case ended:
			now = append(now, StateFile{Path: f.Path})
		case place != f.Path:
			now = append(now, StateFile{Path: f.Path, Loose: true}, StateFile{Path: place, Body: f.Body})
		default:
			now = append(now, f)
		}
	}
	return now
}
