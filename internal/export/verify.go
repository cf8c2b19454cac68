package export

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"sluice/internal/kernel"
)

// Report is what a bundle holds and what is wrong with it. Findings are in a fixed order.
type Report struct {
	Run        string    `json:"run"`
	Line       string    `json:"line"`
	Items      int       `json:"items"`
	Candidates int       `json:"candidates"`
	Files      int       `json:"files"`
	Bytes      int64     `json:"bytes"`
	Findings   []Finding `json:"findings"`
}

// Finding is one thing that is wrong with a bundle. It has the shape of the findings on a workspace.
type Finding struct {
	Code       string `json:"code"`
	Severity   string `json:"severity"`
	Run        string `json:"run,omitempty"`
	Seq        int64  `json:"seq,omitempty"`
	Node       string `json:"node,omitempty"`
	Path       string `json:"path,omitempty"`
	Message    string `json:"message"`
	Hint       string `json:"hint,omitempty"`
	Command    string `json:"command,omitempty"`
	Repairable bool   `json:"repairable"`
}

// Codes of findings. All are errors but litter, which is a note.
const (
	ManifestMissing = "manifest_missing"
	ManifestBad     = "manifest_bad"   // not a manifest, or one that contradicts itself
	ManifestNewer   = "manifest_newer" // of a format that this program does not know
	FileMissing     = "file_missing"
	FileAltered     = "file_altered"
	FileExtra       = "file_extra"      // not in the manifest
	FileUnreadable  = "file_unreadable" // no regular file, or not to be read
	FileLitter      = "file_litter"     // what a desktop puts into every folder
	NotApproved     = "not_approved"    // neither approved on recorded grounds nor marked as a candidate
)

const (
	severe = "error"
	note   = "note"

	maxManifest = 64 << 20
)

// VerifyDir checks a bundle with nothing but its directory: every file of the manifest is there with its hash, nothing
// else is, and every version is approved on recorded grounds or marked as a candidate.
func VerifyDir(fsys fs.FS) Report {
	v := &bundle{fsys: fsys, listed: map[string]bool{ManifestName: true}}
	if m, ok := v.manifest(); ok {
		v.report.Run, v.report.Line = m.Run, m.Line
		for _, e := range m.Entries {
			v.entry(e)
		}
		v.strangers()
	}
	for i := range v.report.Findings {
		v.report.Findings[i].Run = v.report.Run
	}
	slices.SortStableFunc(v.report.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Node, b.Node), cmp.Compare(a.Code, b.Code))
	})
	if v.report.Findings == nil {
		v.report.Findings = []Finding{}
	}
	return v.report
}

// bundle is a directory being checked.
type bundle struct {
	fsys   fs.FS
	listed map[string]bool
	report Report
}

func (v *bundle) find(f Finding) {
	f.Severity = cmp.Or(f.Severity, severe)
	v.report.Findings = append(v.report.Findings, f)
}

func (v *bundle) manifest() (Manifest, bool) {
	bad := Finding{Path: ManifestName}
	raw, err := readLimited(v.fsys, ManifestName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		bad.Code, bad.Message = ManifestMissing, "there is no "+ManifestName
	case err != nil:
		bad.Code, bad.Message = ManifestBad, err.Error()
	}
	var m Manifest
	if bad.Code == "" {
		if err := json.Unmarshal(raw, &m); err != nil {
			bad.Code, bad.Message = ManifestBad, fmt.Sprintf("it is no manifest: %v", err)
		}
	}
	switch {
	case bad.Code != "" || m.Format == format:
	case strings.HasPrefix(m.Format, "sluice/export@"):
		bad.Code, bad.Message = ManifestNewer, fmt.Sprintf("it has format %q and this program knows %q", m.Format, format)
		bad.Command = "sluice version"
	default:
		bad.Code, bad.Message = ManifestBad, fmt.Sprintf("it has format %q and not %q", m.Format, format)
	}
	if bad.Code != "" {
		v.find(bad)
		return Manifest{}, false
	}
	return m, true
}

func readLimited(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	if err == nil && len(raw) > maxManifest {
		err = fmt.Errorf("it is longer than %d bytes", maxManifest)
	}
	return raw, err
}

func (v *bundle) entry(e Entry) {
	v.report.Items++
	wrong := func(code, message string) {
		v.find(Finding{Code: code, Node: e.Node, Path: ManifestName, Message: message})
	}
	switch {
	case e.Approved && e.Candidate:
		wrong(ManifestBad, fmt.Sprintf("version %s is said to be approved and a candidate", e.Version))
	case e.Candidate:
		v.report.Candidates++
	case !e.Approved:
		wrong(NotApproved, fmt.Sprintf("version %s is not approved and not marked as a candidate", e.Version))
	case e.By.Rule == "" && !slices.ContainsFunc(e.By.Reviews, func(r Review) bool { return r.Verdict == string(kernel.ForIt) }):
		wrong(NotApproved, fmt.Sprintf("version %s is said to be approved, by no rule and no review", e.Version))
	}
	if len(e.Files) == 0 {
		wrong(ManifestBad, fmt.Sprintf("version %s has no file", e.Version))
	}
	for _, f := range e.Files {
		switch {
		case f.Version != e.Version:
			wrong(ManifestBad, fmt.Sprintf("file %s of version %s is said to come from %s", f.Path, e.Version, f.Version))
		case f.Part == "" && (len(e.Files) > 1 || f.SHA256 != e.Digest.Hex()):
			wrong(ManifestBad, fmt.Sprintf("file %s is said to be version %s and has another hash", f.Path, e.Version))
		}
		v.file(e.Node, f)
	}
}

func (v *bundle) file(node string, f File) {
	v.report.Files++
	found := Finding{Node: node, Path: f.Path}
	if !fs.ValidPath(f.Path) || f.Path == "." || v.listed[f.Path] {
		found.Code, found.Path = ManifestBad, ManifestName
		found.Message = fmt.Sprintf("it lists %q, which is no path inside the bundle or is listed twice", f.Path)
		v.find(found)
		return
	}
	v.listed[f.Path] = true
	sum, size, err := hash(v.fsys, f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		found.Code, found.Message = FileMissing, "it is in the manifest and not there"
	case err != nil:
		found.Code, found.Message = FileUnreadable, err.Error()
	case sum != f.SHA256:
		found.Code, found.Message = FileAltered, fmt.Sprintf("it hashes to %.12s and the manifest says %.12s", sum, f.SHA256)
	case size != f.Size:
		found.Code, found.Path = ManifestBad, ManifestName
		found.Message = fmt.Sprintf("it says that %s has %d bytes, which has %d", f.Path, f.Size, size)
	default:
		v.report.Bytes += size
		return
	}
	v.find(found)
}

func hash(fsys fs.FS, name string) (sum string, size int64, err error) {
	f, err := fsys.Open(name)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	if fi, err := f.Stat(); err != nil || !fi.Mode().IsRegular() {
		return "", 0, cmp.Or(err, errors.New("it is no regular file"))
	}
	h := sha256.New()
	size, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), size, err
}

// strangers finds what the manifest does not list.
func (v *bundle) strangers() {
	_ = fs.WalkDir(v.fsys, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			v.find(Finding{Code: FileUnreadable, Path: p, Message: err.Error()})
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
		case v.listed[p] && d.Type().IsRegular():
		case v.listed[p]:
			v.find(Finding{Code: FileUnreadable, Path: p, Message: "it is no regular file"})
		case isLitter(path.Base(p)):
			v.find(Finding{Code: FileLitter, Severity: note, Path: p, Message: "a desktop program left it here"})
		default:
			v.find(Finding{Code: FileExtra, Path: p, Message: "it is not in the manifest"})
		}
		return nil
	})
}

func isLitter(name string) bool {
	return name == ".DS_Store" || name == "Thumbs.db" || name == "desktop.ini"
}
