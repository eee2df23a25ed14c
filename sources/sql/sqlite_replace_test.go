package sql

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// replacedConfig reads one value, with every session open at once.
func replacedConfig(more string) string {
	return strings.Replace(oneQuery("SELECT n FROM t"), "path = ", more+"\n  path = ", 1)
}

// TestSQLiteFileIsReplaced renames a new database over one that is being read,
// as a deployment does: the next read is one of the new file, on a read-only
// connection and on one that may write.
func TestSQLiteFileIsReplaced(t *testing.T) {
	for _, more := range []string{"", "read_only = false"} {
		dir, name := sqliteFile(t, "CREATE TABLE t (n INTEGER)", "INSERT INTO t VALUES (1)")
		f := open(t, dir, replacedConfig(more))
		readAll := func(want string) {
			t.Helper()
			var wg sync.WaitGroup
			for range 8 { // more than one session of the pool
				wg.Go(func() {
					res, err := f.read("r")
					if err != nil || !strings.Contains(string(res.Contents[0].Data), want) {
						t.Errorf("%q: got %v, %v, want %s", more, res, err, want)
					}
				})
			}
			wg.Wait()
		}
		readAll(`"n":1`)
		_, next := sqliteFile(t, "CREATE TABLE t (n INTEGER)", "INSERT INTO t VALUES (2)")
		if err := os.Rename(next, name); err != nil {
			t.Fatal(err)
		}
		time.Sleep(watchEvery)
		readAll(`"n":2`)
		sqliteExec(t, name, "UPDATE t SET n = 3") // in place: the sessions stay
		readAll(`"n":3`)
	}
}

// TestSQLiteFileIsGone does not read a file that was deleted.
func TestSQLiteFileIsGone(t *testing.T) {
	dir, name := sqliteFile(t, "CREATE TABLE t (n INTEGER)", "INSERT INTO t VALUES (1)")
	f := open(t, dir, replacedConfig(""))
	if got := f.text("r"); !strings.Contains(got, `"n":1`) {
		t.Fatal(got)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	time.Sleep(watchEvery)
	_, err := f.read("r")
	var down *UnavailableError
	if !errors.As(err, &down) {
		t.Errorf("got %v", err)
	}
}

// TestSQLiteImmutableFileIsNotWatched: nobody replaces it, says its attribute.
func TestSQLiteImmutableFileIsNotWatched(t *testing.T) {
	dir, name := sqliteFile(t, "CREATE TABLE t (n INTEGER)", "INSERT INTO t VALUES (1)")
	f := open(t, dir, replacedConfig("immutable = true"))
	if got := f.text("r"); !strings.Contains(got, `"n":1`) {
		t.Fatal(got)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	time.Sleep(watchEvery)
	if got := f.text("r"); !strings.Contains(got, `"n":1`) {
		t.Error(got)
	}
}
