package file

import (
	"cmp"
	"context"
	"io/fs"
	"slices"
	"sync"
	"time"
)

// dirEntry is a name in a directory with what the directory says of its type.
type dirEntry struct {
	name string
	typ  fs.FileMode
}

func (e dirEntry) isDir() bool { return e.typ.IsDir() }

func compareNames(e dirEntry, name string) int { return cmp.Compare(e.name, name) }

const (
	// A directory is remembered from this length on: a shorter one is read as
	// fast as it is found again.
	rememberedLength = 512
	// rememberedNames bounds what all remembered directories of a connection
	// hold together.
	rememberedNames = 400_000
)

// dirCache remembers the sorted names of large directories. An entry holds as
// long as the directory is the same and was not changed; the zero value is
// empty.
type dirCache struct {
	mu    sync.Mutex
	dirs  map[string]cachedDir
	names int
}

type cachedDir struct {
	info    fs.FileInfo
	entries []dirEntry
}

func (c *dirCache) get(dir string, now fs.FileInfo) ([]dirEntry, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, ok := c.dirs[dir]
	if !ok || !sameFile(d.info, now) || !d.info.ModTime().Equal(now.ModTime()) {
		return nil, false
	}
	return d.entries, true
}

func (c *dirCache) put(dir string, info fs.FileInfo, entries []dirEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.names += len(entries) - len(c.dirs[dir].entries); c.names > rememberedNames {
		clear(c.dirs)
		c.names = len(entries)
	}
	if len(entries) > rememberedNames {
		c.names = 0
		return
	}
	if c.dirs == nil {
		c.dirs = map[string]cachedDir{}
	}
	c.dirs[dir] = cachedDir{info, entries}
}

// settled reports whether every later change of a directory will show in its
// modification time: the time is older than the clock of the file system is
// coarse. A time without nanoseconds is that of a coarse one.
func settled(info fs.FileInfo, now time.Time) bool {
	coarse := 100 * time.Millisecond
	if info.ModTime().Nanosecond() == 0 {
		coarse = 2500 * time.Millisecond
	}
	return now.Sub(info.ModTime()) > coarse
}

// readDir returns the entries of a directory in the order of their names. The
// slice is shared.
func (v *view) readDir(ctx context.Context, dir string) ([]dirEntry, error) {
	if dir == "" {
		dir = "."
	}
	info, err := v.tree.lstat(dir)
	if err != nil {
		return nil, err
	}
	if entries, ok := v.dirs.get(dir, info); ok {
		return entries, nil
	}
	start := v.host.Now()
	var entries []dirEntry
	err = v.tree.readDir(dir, func(e dirEntry) error {
		entries = append(entries, e)
		if len(entries)%1024 == 0 {
			return ctx.Err()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b dirEntry) int { return cmp.Compare(a.name, b.name) })
	if len(entries) >= rememberedLength && info.IsDir() && settled(info, start) {
		after, err := v.tree.lstat(dir)
		if err == nil && sameFile(info, after) && info.ModTime().Equal(after.ModTime()) {
			v.dirs.put(dir, info, slices.Clip(entries))
		}
	}
	return entries, nil
}
