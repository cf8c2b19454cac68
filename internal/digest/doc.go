// Package digest owns the two ways in which Sluice names bytes: sha256 of content, and canonical JSON for values whose
// name must not depend on key order or spacing. It must not know any other package of the project.
package digest
