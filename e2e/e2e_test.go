package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"sluice/internal/wire"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"sluice": func() { os.Exit(wire.Main(fuse(os.Getenv("SLUICE_E2E_FUSE"), os.Getenv("SLUICE_E2E_AT")))) },
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			// Nothing of the user who runs the tests may leak into them.
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, ".config"))
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("USER", "ann")
			env.Setenv("SLUICE_PERSON_NAME", "ann")
			schemas, err := filepath.Abs(filepath.Join("..", "schemas"))
			env.Setenv("SCHEMAS", schemas)
			return err
		},
		Cmds: commands(),
	})
}
