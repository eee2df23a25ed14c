package sql

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mattn/go-sqlite3"
)

// lockFile holds the lock of a writer until release is called.
func lockFile(t *testing.T, name string) (release func()) {
	conn, err := new(sqlite3.SQLiteDriver).Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.(*sqlite3.SQLiteConn).Exec("BEGIN EXCLUSIVE", nil); err != nil {
		t.Fatal(err)
	}
	return func() { conn.Close() }
}

func TestLockedFile(t *testing.T) {
	dir, name := sqliteFile(t, "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)")
	config := func(busy, timeout string) string {
		return strings.Replace(oneQuery("SELECT a FROM t", `timeout = "`+timeout+`"`), `path = "test.db"`, "path = \"test.db\"\nbusy_timeout = \""+busy+"\"", 1)
	}
	release := lockFile(t, name)
	_, err := open(t, dir, config("300ms", "10s")).read("r")
	if err == nil || !strings.Contains(err.Error(), "locked by a writer for longer than busy_timeout 300ms") {
		t.Errorf("got %v", err)
	}
	began := time.Now()
	_, err = open(t, dir, config("60s", "300ms")).read("r")
	var timeout *TimeoutError
	if !errors.As(err, &timeout) || time.Since(began) > 5*time.Second {
		t.Errorf("got %v after %s", err, time.Since(began))
	}
	time.AfterFunc(300*time.Millisecond, release)
	if got := open(t, dir, config("60s", "60s")).text("r"); got != `[{"a":1}]` {
		t.Errorf("got %s", got)
	}
}
