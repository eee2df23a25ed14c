package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpdecl/mcpdecl/sources/sql/sqltest"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain puts mcpdecl on the PATH of the tests: this test binary under
// another name.
func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){"mcpdecl": main})
}

// servers are the database servers that tests start when they need them.
var servers sqltest.Set

type tests struct{ *testing.M }

func (t tests) Run() int {
	defer servers.Stop()
	return t.M.Run()
}

// TestScripts runs the command-line sessions of testdata/script. Beside the
// commands of testscript there is "exits CODE COMMAND...", and $ROOT is the
// project.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		UpdateScripts:       *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("ROOT", root)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if err != nil || neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// required reports whether a test of this need must not skip.
func required(need string) bool {
	return slices.Contains(strings.Split(os.Getenv("MCPDECL_TEST_REQUIRE"), ","), need)
}
