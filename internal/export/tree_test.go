package export

import (
	"context"
	"io/fs"
	"testing/fstest"

	"sluice/internal/fault"
)

func (m *mapTree) Sub(dir string) (fs.FS, error) {
	d, ok := m.dirs[dir]
	if !ok {
		return nil, fault.New(fault.NotFound, dir, "%s is not there", dir)
	}
	return d, nil
}

func (m *mapTree) ReplaceDir(_ context.Context, dir string, fill func(func(string, []byte) error) error) error {
	fresh := fstest.MapFS{}
	err := fill(func(p string, body []byte) error {
		fresh[p] = &fstest.MapFile{Data: body}
		return nil
	})
	if err == nil {
		m.dirs[dir] = fresh
	}
	return err
}
