package sql

import (
	"os"
	"testing"

	"github.com/mcpdecl/mcpdecl/sources/sql/sqltest"
)

// servers are shared by the tests of the package.
var servers sqltest.Set

func TestMain(m *testing.M) {
	code := m.Run()
	servers.Stop()
	os.Exit(code)
}
