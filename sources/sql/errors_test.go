package sql

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/mcpdecl/mcpdecl/sources"
)

// TestFailuresThatClientsSee reads into the failures whose reason a client may
// see, and into one that is for the log alone.
func TestFailuresThatClientsSee(t *testing.T) {
	for name, c := range map[string]struct {
		query, more string
		spoil       bool // the file is no database any more
		want        string
	}{
		"unavailable": {"SELECT 1 AS a", "", true, "the database is unavailable"},
		"too long":    {endless, `timeout = "100ms"`, false, "the query took too long"},
		"too large":   {"SELECT zeroblob(2000) AS a", `max_bytes = "1KiB"`, false, "the result is too large"},
		"rows":        {"SELECT 1 AS a UNION SELECT 2", `rows = "one"`, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir, file := sqliteFile(t)
			f := open(t, dir, oneQuery(c.query, c.more))
			if c.spoil {
				if err := os.WriteFile(file, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err := f.read("r")
			if err == nil {
				t.Fatal("no error")
			}
			var public *sources.PublicError
			got := ""
			if errors.As(err, &public) {
				got = public.Message
			}
			if got != c.want {
				t.Errorf("a client sees %q of %v", got, err)
			}
			if fmt.Sprint(err) == c.want {
				t.Errorf("the log has no more than %q", c.want)
			}
		})
	}
	wait := publicReason(&WaitError{})
	if wait.public() != "the database is busy" {
		t.Errorf("got %q", wait.public())
	}
}
