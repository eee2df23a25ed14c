package sql

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"

	"github.com/mattn/go-sqlite3"
	"github.com/mcpdecl/mcpdecl/sources"
)

// loadScripts runs the init scripts into a private temporary file and returns
// its name, made of the connection's id. A database that is really in memory would belong to one session;
// a file can be read by a whole pool, and faster.
func loadScripts(host sources.Host, id string, s *settings) (string, error) {
	if host.TempDir == nil || host.ReadFile == nil {
		return "", errors.New("run init scripts: no temporary directory")
	}
	dir, err := host.TempDir()
	if err != nil {
		return "", fmt.Errorf("run init scripts: %w", err)
	}
	now := host.Now
	if now == nil {
		return "", errors.New("run init scripts: no clock")
	}
	name := filepath.Join(dir, id+"-"+strconv.FormatInt(now().UnixNano(), 36)+".db")
	dsn := "file://" + (&url.URL{Path: filepath.ToSlash(name)}).EscapedPath() + "?mode=rwc&_journal_mode=OFF&_synchronous=OFF"
	conn, err := new(sqlite3.SQLiteDriver).Open(dsn)
	if err != nil {
		return "", fmt.Errorf("create database for init scripts: %w", err)
	}
	c := conn.(*sqlite3.SQLiteConn)
	for _, script := range s.sqlite.init {
		text, err := host.ReadFile(script)
		if err != nil {
			return "", errors.Join(fmt.Errorf("read script: %w", err), c.Close())
		}
		if _, err := c.Exec(string(text), nil); err != nil {
			return "", errors.Join(fmt.Errorf("run script %s: %w", script, err), c.Close())
		}
	}
	if err := c.Close(); err != nil {
		return "", fmt.Errorf("close database for init scripts: %w", err)
	}
	return name, nil
}
