package workspace

import (
	"sluice/internal/fault"
	"sluice/internal/safepath"
)

const (
	configName = safepath.ConfigName
	privateDir = safepath.PrivateDir
	keptDir    = privateDir + "/kept"
	lockName   = privateDir + "/checkout.lock"
	tempPrefix = safepath.TempPrefix
)

// CleanPath is safepath.Clean, under the name by which those know it who have a tree in hand.
func CleanPath(p string) (string, error) { return safepath.Clean(p) }

func badPath(subject, format string, args ...any) *fault.Error {
	return fault.New(fault.BadPath, subject, format, args...)
}

// fold gives names that some file system cannot tell apart the same key.
func fold(name string) string { return safepath.Fold(name) }
