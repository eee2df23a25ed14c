package sql

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-sqlite3"
	"github.com/mcpdecl/mcpdecl/sources"
)

// sqliteOpener opens sessions with a database file.
type sqliteOpener struct {
	settings *settings
	host     sources.Host
	// dsn is made at the first session, which runs the init scripts.
	dsn func() (string, error)
}

func newSQLite(host sources.Host, id string, s *settings) (opener, error) {
	return &sqliteOpener{s, host, sync.OnceValues(func() (string, error) {
		if s.sqlite.path != "" {
			return sqliteDSN(s.sqlite.path, s, s.sqlite.immutable)
		}
		path, err := loadScripts(host, id, s)
		if err != nil {
			return "", err
		}
		return sqliteDSN(path, s, s.readOnly)
	})}, nil
}

// sqliteDSN builds the URI of the file. The mode never creates a file, and no
// character of the path is taken for a part of the URI.
func sqliteDSN(path string, s *settings, immutable bool) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", path, err)
	}
	escaped := (&url.URL{Path: filepath.ToSlash(abs)}).EscapedPath()
	if !strings.HasPrefix(escaped, "/") {
		escaped = "/" + escaped // C:/x becomes file:///C:/x
	}
	// SQLite cannot be interrupted while it waits for a lock, so that it waits
	// for a moment only; the session waits on.
	busy := min(s.sqlite.busyTimeout, busySlice)
	q := url.Values{"mode": {"rw"}, "_busy_timeout": {strconv.FormatInt(busy.Milliseconds(), 10)}}
	if s.readOnly {
		q.Set("mode", "ro")
		q.Set("_query_only", "1")
	}
	if immutable {
		q.Set("immutable", "1")
	}
	if s.sqlite.cacheSize > 0 {
		// A negative number counts KiB instead of pages.
		q.Set("_cache_size", strconv.FormatInt(-max(1, s.sqlite.cacheSize>>10), 10))
	}
	return "file://" + escaped + "?" + q.Encode(), nil
}

func (o *sqliteOpener) open(ctx context.Context) (s session, err error) {
	dsn, err := o.dsn()
	if err != nil {
		return nil, err
	}
	err = untilFree(ctx, o.settings.sqlite.busyTimeout, func() (err error) {
		s, err = o.openOnce(dsn)
		return err
	})
	return s, err
}

func (o *sqliteOpener) openOnce(dsn string) (session, error) {
	replaced := o.watch() // before: a file that comes between is seen too often, not never
	conn, err := new(sqlite3.SQLiteDriver).Open(dsn)
	if err != nil {
		return nil, err
	}
	c := conn.(*sqlite3.SQLiteConn)
	if n := o.settings.sqlite.mmapSize; n > 0 {
		if _, err := c.Exec("PRAGMA mmap_size = "+strconv.FormatInt(n, 10), nil); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	// Reading the schema finds out what opening alone does not: that the file
	// is no database, or is locked.
	if _, err := c.Exec("SELECT count(*) FROM sqlite_schema", nil); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	// No other file is ever attached: not by ATTACH, not by VACUUM INTO.
	c.SetLimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
	if o.settings.readOnly {
		c.RegisterAuthorizer(authorize)
	}
	s := &sqliteSession{SQLiteConn: c, readOnly: o.settings.readOnly, busyTimeout: o.settings.sqlite.busyTimeout, replaced: replaced}
	s.stmts.close = func(st *sqliteStmt) { _ = st.Close() }
	nudge, err := c.Prepare("SELECT 1")
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	s.nudge = nudge.(*sqlite3.SQLiteStmt)
	return s, nil
}

// authorize lets a statement read and compute, and nothing else. It is asked
// when a statement is prepared, for every single thing that it would do.
func authorize(action int, arg1, arg2, _ string) int {
	const recursive = 33 // SQLITE_RECURSIVE, which the driver does not name
	switch action {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, recursive:
		return sqlite3.SQLITE_OK
	case sqlite3.SQLITE_FUNCTION:
		if strings.EqualFold(arg2, "load_extension") {
			return sqlite3.SQLITE_DENY
		}
		return sqlite3.SQLITE_OK
	case sqlite3.SQLITE_PRAGMA:
		return authorizePragma(strings.ToLower(arg1), arg2)
	}
	return sqlite3.SQLITE_DENY
}

// authorizePragma lets a statement look at the schema.
func authorizePragma(name, value string) int {
	switch name {
	case "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list":
		return sqlite3.SQLITE_OK
	case "user_version", "schema_version", "application_id", "encoding", "page_count", "page_size",
		"freelist_count", "collation_list", "function_list", "module_list", "pragma_list",
		"compile_options", "database_list", "data_version", "journal_mode", "query_only",
		"cache_size", "mmap_size", "busy_timeout", "foreign_keys", "auto_vacuum", "synchronous":
		if value == "" {
			return sqlite3.SQLITE_OK
		}
	}
	return sqlite3.SQLITE_DENY
}

// errReplaced says that a session reads a file that its name no longer stands
// for.
var errReplaced = errors.New("the database file was replaced")

// stale is a replaced file only: a file does not hang up, and SQLite prepares a
// statement anew by itself when the schema has changed.
func (o *sqliteOpener) stale(err error) bool { return errors.Is(err, errReplaced) }

// watchEvery bounds how often a session looks whether its file was replaced: a
// look takes a tenth of the time of a point read.
const watchEvery = 100 * time.Millisecond

// watch returns a function that tells whether another file has taken the name
// of the database, as happens when a new one is renamed over it, or none has
// it.
func (o *sqliteOpener) watch() func() bool {
	name, stat := o.settings.sqlite.path, o.host.Stat
	if name == "" || o.settings.sqlite.immutable || stat == nil || o.host.SameFile == nil {
		return func() bool { return false }
	}
	opened, err := stat(name)
	if err != nil {
		return func() bool { return false } // opening it will say why
	}
	looked := o.host.Now()
	return func() bool {
		if o.host.Now().Sub(looked) < watchEvery {
			return false
		}
		looked = o.host.Now()
		now, err := stat(name)
		return errors.Is(err, fs.ErrNotExist) || err == nil && !o.host.SameFile(opened, now)
	}
}

func (o *sqliteOpener) plain(err error) error {
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code {
	case sqlite3.ErrTooBig:
		return &TooLargeError{Limit: o.settings.limits.maxBytes}
	case sqlite3.ErrAuth, sqlite3.ErrReadonly, sqlite3.ErrPerm:
		if o.settings.readOnly {
			return fmt.Errorf("%w (%w)", ErrReadOnly, err)
		}
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return fmt.Errorf("database was locked by a writer for longer than busy_timeout %s: %w", o.settings.sqlite.busyTimeout, err)
	}
	return err
}
