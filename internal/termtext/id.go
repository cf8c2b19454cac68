package termtext

import "regexp"

// An id of this form is copied, never typed or remembered.
const random = `[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`

var (
	randomID  = regexp.MustCompile(`^` + random + `$`)
	randomIDs = regexp.MustCompile(random)
)

// IsRandomID says whether an id is random, and so says nothing to a person.
func IsRandomID(id string) bool { return randomID.MatchString(id) }

// ShortID is the beginning of a random id, which commands take in its place; other ids are whole.
func ShortID(id string) string {
	if IsRandomID(id) {
		return id[:8]
	}
	return id
}

// NameIDs puts names in the place of the random ids in a text.
func NameIDs(text string, name func(id string) string) string {
	return randomIDs.ReplaceAllStringFunc(text, name)
}
