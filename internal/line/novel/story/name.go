package story

import (
	"fmt"
	"regexp"
	"strconv"

	"golang.org/x/text/unicode/norm"

	"sluice/internal/fault"
	"sluice/internal/safepath"
)

const maxName = 80 // bytes

var namePattern = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{M}\p{N}_-]*$`)

// ParseName brings a project's name to the one form by which it is kept, and refuses what could be a path. Names are
// compared with FoldName.
func ParseName(name string) (string, error) {
	clean := norm.NFC.String(name)
	switch {
	case len(clean) > maxName:
		return "", fault.New(fault.BadValue, "project_name", "project name of %d bytes is over the limit of %d: %.40q", len(clean), maxName, clean)
	case !namePattern.MatchString(clean):
		return "", fault.New(fault.BadValue, "project_name",
			"project name %q is not a letter or digit followed by letters, digits, - and _", name)
	}
	if why := safepath.NameFlaw(clean, ""); why != "" {
		return "", fault.New(fault.BadValue, "project_name", "project name %q %s", name, why)
	}
	return clean, nil
}

// FoldName is what two names that mean the same project have in common.
func FoldName(name string) string { return safepath.Fold(norm.NFC.String(name)) }

// Root is the directory of all projects.
const Root = "projects"

// Files of a project, relative to its directory.
const (
	SettingsFile   = "settings.json"
	WorldFile      = "world.json"
	ThemeFile      = "theme_conflict.json"
	CharactersFile = "characters.json"
	OutlineFile    = "outline.json"
	MemoryFile     = "chapter_memory.json"
	ReportsFile    = "consistency_reports.json"
	ChaptersDir    = "chapters"
	ReviewsDir     = "reviews"
	VersionsDir    = ".versions"
)

// Dir is the directory of a project; its name is one that ParseName gave.
func Dir(project string) string { return Root + "/" + project }

// PlanFile is where a chapter's plan stands.
func PlanFile(chapter int) string { return fmt.Sprintf("chapters/chapter_%03d_plan.json", chapter) }

// ChapterFile is where a chapter stands.
func ChapterFile(chapter int) string { return fmt.Sprintf("chapters/chapter_%03d.json", chapter) }

// SceneFile is where a scene stands while its chapter is incomplete.
func SceneFile(chapter, scene int) string {
	return fmt.Sprintf("chapters/scene_%03d_%03d.json", chapter, scene)
}

// RevisionFile is where a chapter's revision stands.
func RevisionFile(chapter int) string {
	return fmt.Sprintf("chapters/chapter_%03d_revision.json", chapter)
}

// RevisedFile is the reading view of a candidate.
func RevisedFile(chapter int) string {
	return fmt.Sprintf("chapters/chapter_%03d_revised.txt", chapter)
}

// ReviewFile is where a chapter's logic review stands.
func ReviewFile(chapter int) string {
	return fmt.Sprintf("reviews/chapter_%03d_logic_review.json", chapter)
}

// Kind is what a file of a project holds.
type Kind string

const (
	KindSettings   Kind = "settings"
	KindWorld      Kind = "world"
	KindTheme      Kind = "theme"
	KindCharacters Kind = "characters"
	KindOutline    Kind = "outline"
	KindPlan       Kind = "plan"
	KindChapter    Kind = "text"
	KindScene      Kind = "scene"
	KindRevision   Kind = "revision"
	KindReview     Kind = "logic"
	KindMemory     Kind = "memory"
	KindReports    Kind = "consistency"
)

// Place is a file of a project by what it holds.
type Place struct {
	Kind    Kind
	Chapter int
	Scene   int
}

var (
	wholeFiles = map[string]Kind{
		SettingsFile: KindSettings, WorldFile: KindWorld, ThemeFile: KindTheme, CharactersFile: KindCharacters,
		OutlineFile: KindOutline, MemoryFile: KindMemory, ReportsFile: KindReports,
	}
	chapterFiles = []struct {
		pattern *regexp.Regexp
		kind    Kind
	}{
		{regexp.MustCompile(`^chapters/chapter_(\d+)\.json$`), KindChapter},
		{regexp.MustCompile(`^chapters/chapter_(\d+)_plan\.json$`), KindPlan},
		{regexp.MustCompile(`^chapters/chapter_(\d+)_revision\.json$`), KindRevision},
		{regexp.MustCompile(`^chapters/scene_(\d+)_(\d+)\.json$`), KindScene},
		{regexp.MustCompile(`^reviews/chapter_(\d+)_logic_review\.json$`), KindReview},
	}
)

// ParsePlace says what the file at a path relative to its project holds. Only the exact names count: backups, half
// files and other spellings of a number are nothing.
func ParsePlace(path string) (Place, bool) {
	if k, ok := wholeFiles[path]; ok {
		return Place{Kind: k}, true
	}
	for _, f := range chapterFiles {
		m := f.pattern.FindStringSubmatch(path)
		if m == nil {
			continue
		}
		p := Place{Kind: f.kind}
		var err error
		if p.Chapter, err = strconv.Atoi(m[1]); err != nil || p.Chapter < 1 {
			return Place{}, false
		}
		if len(m) > 2 {
			if p.Scene, err = strconv.Atoi(m[2]); err != nil || p.Scene < 1 {
				return Place{}, false
			}
		}
		return p, p.File() == path
	}
	return Place{}, false
}

// File is the path of a place, relative to its project.
func (p Place) File() string {
	switch p.Kind {
	case KindChapter:
		return ChapterFile(p.Chapter)
	case KindPlan:
		return PlanFile(p.Chapter)
	case KindRevision:
		return RevisionFile(p.Chapter)
	case KindScene:
		return SceneFile(p.Chapter, p.Scene)
	case KindReview:
		return ReviewFile(p.Chapter)
	}
	for file, kind := range wholeFiles {
		if kind == p.Kind {
			return file
		}
	}
	return ""
}
