package publish

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/line/spec"
	"sluice/internal/line/spec/ledger"
)

// Documents is the file tree that documents are put into. Nothing else of the file system is reached.
type Documents interface {
	Read(path string) ([]byte, error) // not_found where there is none
	Write(path string, body []byte, perm fs.FileMode) error
}

// FileName is the name of the file target.
const FileName = "file"

// fileMapping is the form of the documents that this program writes.
const fileMapping = "file-1"

// File publishes a version as a Markdown document in the workspace.
type File struct {
	tree Documents
	dir  string
}

// NewFile makes the target. dir is inside the tree.
func NewFile(tree Documents, dir string) *File { return &File{tree, strings.Trim(dir, "/")} }

// Name of the target.
func (*File) Name() string { return FileName }

// fileFields are what the ledger keeps of a document.
type fileFields struct {
	Path     string `json:"path"`
	Document string `json:"document"`
}

// Prepare writes the document out, and puts it nowhere.
func (f *File) Prepare(r ledger.Request) (Payload, error) {
	id, err := spec.ParseFeatureID(r.Spec.Feature.FeatureID) // it becomes the name of a file
	if err != nil {
		return Payload{}, err
	}
	return NewPayload(r, FileName, fileMapping, fileFields{f.path(id), document(r)})
}

func (f *File) path(feature string) string { return f.dir + "/" + feature + ".md" }

const sealLine = "sha256: "

// document is the story with a title, and a seal in its front matter by which a later look sees whether a person changed it.
func document(r ledger.Request) string {
	head := frontMatter(r)
	body := "\n# " + visible(oneLine(r.Spec.Feature.Title)) + "\n" + strings.TrimPrefix(Story(r), head)
	return strings.TrimSuffix(head, fence) + sealLine + digest.Of([]byte(body)).Hex() + "\n" + fence + body
}

// isUntouched reports a document that is still as it was published.
func isUntouched(text string) bool {
	head, body, ok := strings.Cut(strings.TrimPrefix(text, fence), "\n"+fence)
	if !ok {
		return false
	}
	_, seal, ok := strings.Cut(head, sealLine)
	return ok && strings.TrimSpace(seal) == digest.Of([]byte(body)).Hex()
}

// Find looks whether the document is there. One that is not ours is refused: nothing is written over it.
func (f *File) Find(_ context.Context, p Payload) (string, bool, error) {
	path := f.path(p.Feature)
	text, there, err := f.read(path)
	if err != nil || !there {
		return "", false, err
	}
	if !IsOurs(text, p) {
		return "", false, &CallError{Code: Occupied, Message: path + " is a file of yours; move it away, or publish to another target"}
	}
	return path, true, nil
}

func (f *File) read(path string) (string, bool, error) {
	body, err := f.tree.Read(path)
	switch {
	case fault.CodeOf(err) == fault.NotFound:
		return "", false, nil
	case err != nil:
		return "", false, &CallError{Code: Rejected, Message: err.Error()}
	}
	return string(body), true, nil
}

// Create puts the document there.
func (f *File) Create(ctx context.Context, p Payload) (string, error) {
	path := f.path(p.Feature)
	return path, f.Update(ctx, path, p)
}

// Update replaces the document. What a person changed in it stays beside it.
func (f *File) Update(_ context.Context, externalID string, p Payload) error {
	fields, err := decodeFields[fileFields](p)
	if err != nil {
		return err
	}
	text, there, err := f.read(fields.Path)
	if err != nil {
		return err
	}
	if there && text == fields.Document {
		return nil
	}
	if there && !isUntouched(text) {
		kept := fmt.Sprintf("%s.edited-%s.md", strings.TrimSuffix(fields.Path, ".md"), digest.Of([]byte(text)).Short())
		if err := f.write(kept, text); err != nil {
			return err
		}
	}
	return f.write(fields.Path, fields.Document)
}

func (f *File) write(path, text string) error {
	if err := f.tree.Write(path, []byte(text), 0o644); err != nil {
		return &CallError{Code: Rejected, Message: err.Error()}
	}
	return nil
}
