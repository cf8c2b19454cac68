package scene

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/safepath"
)

// Levels of planning.
const (
	LevelScene   = "scene"
	LevelChapter = "chapter"
	LevelAct     = "act"
)

var levelNames = []string{LevelScene, LevelChapter, LevelAct}

var (
	workflowID  = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,199}$`)
	sceneID     = regexp.MustCompile(`^[0-9]{4}$`)
	sessionName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)
)

// CheckID refuses a workflow id that could not be one, before it nears a path.
func CheckID(id string) error {
	if workflowID.MatchString(id) {
		return nil
	}
	return fault.New(fault.BadValue, "workflow_id", "workflow id %.80q is not 1 to 200 of a-z, 0-9 and -", id).
		With(fault.Action{Action: "list", Command: "sluice scene list", Why: "it shows the ids there are"})
}

// CheckSession refuses a session name that could not be one. No name means no session.
func CheckSession(name string) error {
	if name == "" || sessionName.MatchString(name) {
		return nil
	}
	return fault.New(fault.BadValue, "session_name", "session name %.120q is not 1 to 100 of A-Z, a-z, 0-9, _ and -", name).
		With(fault.Action{Action: "list", Command: "sluice session list", Why: "it shows the sessions there are"})
}

// Subject is what a workflow is about.
type Subject struct {
	Workflow string // generation or planning
	SceneID  string
	Level    string
	Act      int
	Chapter  int
	Scene    int
	Session  string
}

// Subject of a wish for a generation.
func (g StartGeneration) Subject() (Subject, error) {
	if !sceneID.MatchString(g.SceneID) {
		return Subject{}, fault.New(fault.BadValue, "scene_id", "scene id %.80q is not four digits, two of the chapter and two of the scene", g.SceneID).
			With(fault.Action{Action: "generate", Command: "sluice scene generate 0204", Why: "chapter 2, scene 4"})
	}
	s := Subject{Workflow: Generation, SceneID: g.SceneID, Session: g.SessionName}
	_, _ = fmt.Sscanf(g.SceneID, "%02d%02d", &s.Chapter, &s.Scene)
	return s, CheckSession(g.SessionName)
}

// Subject of a wish for planning.
func (p StartPlanning) Subject() (Subject, error) {
	s := Subject{Workflow: Planning, Level: p.Level, Act: p.Act, Chapter: p.Chapter, Scene: p.Scene, Session: p.SessionName}
	bad := func(field, format string, args ...any) (Subject, error) {
		return Subject{}, fault.New(fault.BadValue, field, format, args...).
			With(fault.Action{Action: "plan", Command: "sluice scene plan --level scene --act 1 --chapter 2 --scene 4"})
	}
	wantChapter, wantScene := false, false
	switch p.Level {
	case LevelScene:
		wantChapter, wantScene = true, true
	case LevelChapter:
		wantChapter = true
	case LevelAct:
	default:
		return bad("level", "level %.80q is not scene, chapter or act", p.Level)
	}
	switch {
	case p.Act < 1 || p.Act > 99:
		return bad("act", "act %d is not 1 to 99", p.Act)
	case wantChapter && (p.Chapter < 1 || p.Chapter > 99), !wantChapter && p.Chapter != 0:
		return bad("chapter", "chapter %d does not go with level %s; 1 to 99 goes with scene and chapter", p.Chapter, p.Level)
	case wantScene && (p.Scene < 1 || p.Scene > 99), !wantScene && p.Scene != 0:
		return bad("scene", "scene %d does not go with level %s; 1 to 99 goes with scene", p.Scene, p.Level)
	}
	if wantScene {
		s.SceneID = fmt.Sprintf("%02d%02d", p.Chapter, p.Scene)
	}
	return s, CheckSession(p.SessionName)
}

// ID is the id of a workflow about the subject that begins now. The second and later ones of one second are numbered.
func (s Subject) ID(now time.Time, n int) kernel.RunID {
	about := "scene-" + s.SceneID
	switch s.Level {
	case LevelChapter:
		about = fmt.Sprintf("chapter-%02d", s.Chapter)
	case LevelAct:
		about = fmt.Sprintf("act-%d", s.Act)
	}
	id := s.Workflow + "-" + about + "-" + now.UTC().Format("20060102-150405")
	if n > 1 {
		id += fmt.Sprintf("-%d", n)
	}
	return kernel.RunID(id)
}

// stateRoot is where states and runs are: inside a session, or in the workspace's own directory.
func stateRoot(session string) string {
	if session == "" {
		return "workspace"
	}
	return line.SessionDir(session)
}

// WorkingDir is where a workflow keeps its files.
func WorkingDir(session, workflow, id string) string {
	return path.Join(stateRoot(session), workflow+"-runs", id)
}

// StatePath is where the state document of a workflow stands.
func StatePath(session, id string) string {
	return path.Join(stateRoot(session), "workflow-state", id+".json")
}

// IndexPath is where the index of the workflows of a session, or of none, stands.
func IndexPath(session string) string {
	return path.Join(stateRoot(session), "workflow-state", "index.json")
}

// LogPath is where the log of a workflow stands.
func LogPath(id string) string {
	return path.Join("workspace/logs/workflow-orchestration", id+".log")
}

// DiskPath is where a path of a document stands on disk: inside a session it is the session's copy.
func DiskPath(session, p string) string {
	if session == "" {
		return p
	}
	return line.SessionPath(session, line.GlobalPath(session, p))
}

// maxPath bounds paths that agents report.
const maxPath = 1024

// CheckPath refuses a reported path that is not plain, or that lies neither in the workflow's working directory nor at
// a place which its definition declares.
func CheckPath(p Params, given string) error {
	refuse := func(format string, args ...any) error {
		return fault.New(fault.BadPath, "artifacts", format, args...).
			With(fault.Action{Action: "write", Why: "files of this workflow belong under " + p.WorkingDir + "/"})
	}
	if len(given) > maxPath {
		return refuse("a path of %d bytes is longer than %d", len(given), maxPath)
	}
	if clean, err := safepath.Clean(given); err != nil || clean != given {
		return refuse("path %q is not a plain path relative to the workspace", given)
	}
	if strings.HasPrefix(given, p.WorkingDir+"/") {
		return nil
	}
	for _, place := range declaredPlaces(p) {
		if ok, err := path.Match(place, given); err == nil && ok {
			return nil
		}
	}
	return refuse("path %q lies outside %s and is no declared place of the workflow", given, p.WorkingDir)
}

// isGiven tells of a file that the workflow works from and does not write: the blueprint of a generation.
func isGiven(p Params, given string) bool {
	if p.Workflow != Generation || p.SceneID == "" {
		return false
	}
	ok, err := path.Match(declaredPlaces(p)[0], given)
	return err == nil && ok
}

// declaredPlaces are the files outside the working directory that a workflow may name, as patterns.
func declaredPlaces(p Params) []string {
	chapter := fmt.Sprintf("acts/act-*/chapters/chapter-%02d", p.Chapter)
	if p.Act > 0 {
		chapter = fmt.Sprintf("acts/act-%d/chapters/chapter-%02d", p.Act, p.Chapter)
	}
	switch {
	case p.Workflow == Planning && p.Level == LevelAct:
		return []string{fmt.Sprintf("acts/act-%d/strategic-plan.md", p.Act)}
	case p.Workflow == Planning && p.Level == LevelChapter:
		return []string{chapter + "/plan.md"}
	case p.SceneID == "":
		return nil
	}
	blueprint := chapter + "/scenes/scene-" + p.SceneID + "-blueprint.md"
	if p.Workflow == Planning {
		return []string{blueprint}
	}
	return []string{blueprint, chapter + "/content/scene-" + p.SceneID + ".md"}
}
