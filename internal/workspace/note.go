package workspace

import "path"

// noteDir holds small facts about how this user works in the workspace. They are private and no part of its content.
const noteDir = privateDir + "/note"

// Note gives a small private file; nil if there is none. The name is ours, never a caller's.
func (t *Tree) Note(name string) ([]byte, error) {
	body, _, err := t.read(path.Join(noteDir, name))
	if isAbsent(err) {
		return nil, nil
	}
	return body, fail("read", name, err)
}

// SetNote writes a small private file.
func (t *Tree) SetNote(name string, body []byte) error {
	return t.writePrivate(path.Join(noteDir, name), body)
}
