package file

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"
)

// TestLargeDirectoryIsReadAgainWhenItChanges holds what is remembered of a
// directory against files that come and go.
func TestLargeDirectoryIsReadAgainWhenItChanges(t *testing.T) {
	s := serve(t, nil, everything)
	for i := range rememberedLength {
		s.write(fmt.Sprintf("f%04d.md", i), "x")
	}
	c := &connection{settings: defaultSettings(s.root)}
	c.host.Now = time.Now
	names := func() int {
		t.Helper()
		v, err := c.view()
		if err != nil {
			t.Fatal(err)
		}
		defer v.close()
		entries, err := v.readDir(context.Background(), "")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	// Just changed: not remembered, since a further change might not show.
	if names(); time.Since(mustStat(t, s.root).ModTime()) < 50*time.Millisecond && c.dirs.names != 0 {
		t.Error("a directory that has just changed is remembered")
	}
	want := rememberedLength
	for i := range 3 {
		time.Sleep(150 * time.Millisecond)
		if got := names(); got != want || c.dirs.names != want {
			t.Fatalf("%d names, %d remembered, want %d", got, c.dirs.names, want)
		}
		s.write(fmt.Sprintf("g%d.md", i), "x")
		if want++; names() != want {
			t.Fatal("a new file is not seen")
		}
	}
	if err := os.Remove(s.path("g0.md")); err != nil {
		t.Fatal(err)
	}
	if names() != want-1 {
		t.Error("a removed file is still seen")
	}
	c.Close()
	if _, err := c.view(); err == nil {
		t.Error("a closed connection opens its root")
	}
}

func TestDirCacheIsBounded(t *testing.T) {
	var c dirCache
	dir := t.TempDir()
	info := mustStat(t, dir)
	for i := range 10 {
		c.put(fmt.Sprint(i), info, make([]dirEntry, rememberedNames/3))
		if c.names > rememberedNames {
			t.Fatalf("%d names", c.names)
		}
	}
	c.put("huge", info, make([]dirEntry, rememberedNames+1))
	if _, ok := c.get("huge", info); ok || c.names != 0 {
		t.Error("too large a directory is remembered")
	}
	c.put("a", info, nil)
	if _, ok := c.get("a", info); !ok {
		t.Error("not found again")
	}
}
