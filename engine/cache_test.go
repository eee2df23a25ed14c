package engine

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpdecl/mcpdecl/sources"
)

const cacheConfig = `
resource "own" {
  uri = "x://own/{id}"
  source "fake" {}
  cache {
    ttl   = "30s"
    scope = "public"
  }
}
resource "upstream" {
  uri = "x://up/{id}"
  source "fake" {}
  cache {
    ttl   = "upstream"
    scope = "public"
  }
}
resource "none" {
  uri = "x://none/{id}"
  source "fake" {}
}`

// cacheEngine is an engine with a clock that a test moves, and a source that
// counts its reads.
func cacheEngine(t *testing.T) (e *Engine, f *fake, reads *int, clock *time.Time) {
	reads, clock = new(int), new(time.Time)
	*clock = time.Unix(1e9, 0)
	f = &fake{read: func(req *sources.Request) (*sources.Result, error) {
		*reads++
		return &sources.Result{Contents: []sources.Content{{Data: []byte(fmt.Sprint(req.URI, " read ", *reads))}}}, nil
	}}
	e = f.mustEngine(t, cacheConfig)
	e.cache.now = func() time.Time { return *clock }
	return e, f, reads, clock
}

func TestCacheKeepsForItsTime(t *testing.T) {
	e, _, reads, clock := cacheEngine(t)
	read := func(uri string) *Result {
		res, err := e.Read(t.Context(), uri)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	first := read("x://own/1")
	if first.TTL != 30*time.Second || !first.Public {
		t.Errorf("first: %+v", first)
	}
	*clock = clock.Add(10 * time.Second)
	second := read("x://own/1")
	if *reads != 1 || second.TTL != 20*time.Second || !second.Public || string(second.Contents[0].Data) != "x://own/1 read 1" {
		t.Errorf("second: %d reads, %+v", *reads, second)
	}
	second.Contents[0] = Content{} // the result belongs to the caller
	if got := read("x://own/1"); string(got.Contents[0].Data) != "x://own/1 read 1" {
		t.Errorf("a caller changed the cache: %+v", got)
	}
	read("x://own/2")
	*clock = clock.Add(25 * time.Second)
	if got := read("x://own/1"); *reads != 3 || string(got.Contents[0].Data) != "x://own/1 read 3" {
		t.Errorf("after its time: %d reads, %s", *reads, got.Contents[0].Data)
	}
	read("x://none/1")
	if got := read("x://none/1"); *reads != 5 || got.TTL != 0 || got.Public {
		t.Errorf("without a block: %d reads, %+v", *reads, got)
	}
}

func TestCacheAsTheBackendSays(t *testing.T) {
	e, f, reads, clock := cacheEngine(t)
	var asked []*sources.Validator
	f.read = func(req *sources.Request) (*sources.Result, error) {
		*reads++
		asked = append(asked, req.Validator)
		if req.Validator != nil {
			return nil, sources.ErrNotModified
		}
		return &sources.Result{
			Contents: []sources.Content{{Data: []byte("v1")}}, TTL: time.Minute, Validator: &sources.Validator{ETag: `"1"`},
			PerCaller: strings.HasSuffix(req.URI, "mine"), Private: strings.HasSuffix(req.URI, "private"),
		}, nil
	}
	for i, step := range []struct {
		uri   string
		after time.Duration
		reads int
	}{{"x://up/1", 0, 1}, {"x://up/1", 59 * time.Second, 1}, {"x://up/1", 2 * time.Second, 2}, {"x://up/1", 59 * time.Second, 2}, {"x://up/mine", 0, 3}, {"x://up/mine", 0, 4}, {"x://up/private", 0, 5}, {"x://up/private", 0, 5}} {
		*clock = clock.Add(step.after)
		res, err := e.Read(t.Context(), step.uri)
		if err != nil || string(res.Contents[0].Data) != "v1" || *reads != step.reads || res.Public != (step.uri == "x://up/1") {
			t.Errorf("step %d: %v, %v, %d reads", i, res, err, *reads)
		}
	}
	if asked[1] == nil || asked[1].ETag != `"1"` || asked[0] != nil || asked[3] != nil {
		t.Errorf("validators %v", asked)
	}
}

func TestCacheIsBounded(t *testing.T) {
	c := newCache(time.Now)
	for i := range 2 * cacheEntries {
		c.put(fmt.Sprint(i), &Result{Contents: []Content{{Data: make([]byte, 10)}}, TTL: time.Hour}, nil)
	}
	if len(c.entries) != cacheEntries || c.recent.Len() != cacheEntries || c.bytes != 10*cacheEntries {
		t.Errorf("%d entries, %d bytes", len(c.entries), c.bytes)
	}
	if r, _ := c.get("0"); r != nil {
		t.Error("the oldest is still there")
	}
	for i := range 10 {
		c.put(fmt.Sprint("big", i), &Result{Contents: []Content{{Data: make([]byte, cacheBytes/4)}}, TTL: time.Hour}, nil)
	}
	if c.bytes > cacheBytes {
		t.Errorf("%d bytes", c.bytes)
	}
	c.put("huge", &Result{Contents: []Content{{Data: make([]byte, cacheBytes+1)}}, TTL: time.Hour}, nil)
	if r, _ := c.get("huge"); r != nil {
		t.Error("a result larger than the cache is kept")
	}
}

func TestS15_CachedResultForManyReaders(t *testing.T) {
	e, _, _, _ := cacheEngine(t)
	if _, err := e.Read(t.Context(), "x://own/1"); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			res, err := e.Read(t.Context(), "x://own/1")
			if err != nil {
				t.Error(err)
				return
			}
			res.Contents[0].MIMEType = "text/plain" // as an encoder might
		})
	}
	wg.Wait()
}
