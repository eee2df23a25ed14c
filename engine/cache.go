package engine

import (
	linked "container/list"
	"slices"
	"sync"
	"time"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
)

// The bounds of a cache: what was not read for the longest time leaves first.
const (
	cacheEntries = 1000
	cacheBytes   = 64 << 20
)

// cache keeps results of resources with a cache block for as long as the block,
// or the backend, says. It is safe for concurrent use.
type cache struct {
	now func() time.Time

	mu      sync.Mutex
	entries map[string]*linked.Element // by URI
	recent  *linked.List               // of *cached, the latest read in front
	bytes   int
}

// cached is one result. It is never handed out itself.
type cached struct {
	uri       string
	contents  []Content
	size      int
	ttl       time.Duration
	public    bool
	expires   time.Time
	validator *sources.Validator
}

func newCache(now func() time.Time) *cache {
	return &cache{now: now, entries: map[string]*linked.Element{}, recent: linked.New()}
}

// get returns a fresh result of the URI, or the validator of one that is not
// fresh any more; both are nil when there is none.
func (c *cache) get(uri string) (*Result, *sources.Validator) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[uri]
	if !ok {
		return nil, nil
	}
	c.recent.MoveToFront(e)
	hit := e.Value.(*cached)
	if left := hit.expires.Sub(c.now()); left > 0 {
		return hit.result(left), nil
	}
	return nil, hit.validator
}

// refresh makes a result fresh again that the backend says is unchanged; nil
// when it has left the cache meanwhile.
func (c *cache) refresh(uri string) *Result {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[uri]
	if !ok {
		return nil
	}
	hit := e.Value.(*cached)
	hit.expires = c.now().Add(hit.ttl)
	return hit.result(hit.ttl)
}

// put keeps a result for its time; one that is not fresh at all is kept for its
// validator only.
func (c *cache) put(uri string, r *Result, v *sources.Validator) {
	n := &cached{uri: uri, contents: slices.Clone(r.Contents), ttl: r.TTL, public: r.Public, expires: c.now().Add(r.TTL), validator: v}
	for _, content := range r.Contents {
		n.size += len(content.Data)
	}
	if n.size > cacheBytes || r.TTL <= 0 && v == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.entries[uri]; ok {
		c.remove(old)
	}
	c.entries[uri] = c.recent.PushFront(n)
	c.bytes += n.size
	for len(c.entries) > cacheEntries || c.bytes > cacheBytes {
		c.remove(c.recent.Back())
	}
}

func (c *cache) remove(e *linked.Element) {
	gone := c.recent.Remove(e).(*cached)
	delete(c.entries, gone.uri)
	c.bytes -= gone.size
}

func (n *cached) result(left time.Duration) *Result {
	return &Result{Contents: slices.Clone(n.contents), TTL: left, Public: n.public}
}

// hints says how long a result is fresh, and whether all callers may share it,
// by its cache block.
func hints(block *decl.Cache, res *sources.Result) (ttl time.Duration, public bool) {
	if block.Upstream {
		return res.TTL, block.Public && !res.Private
	}
	return block.TTL, block.Public
}
