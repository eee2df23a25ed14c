package sources

import (
	"context"
	"time"

	"github.com/zclconf/go-cty/cty"
)

// Lister is a source that lists by itself what can be read, in pages, so that
// a long list costs no more than the page that is wanted.
type Lister interface {
	// List returns up to limit entries behind a position in the source's own
	// order, which stays the same while entries come and go; "" is the start.
	// next is the position behind them, "" when nothing follows. There may be
	// fewer entries than wanted, or none, although something follows: the work
	// of one call is bounded.
	List(ctx context.Context, after string, limit int) (entries []ListEntry, next string, err error)
}

// ListEntry is one thing that a source can read.
type ListEntry struct {
	// Name is the entry's name when the declaration has no other.
	Name     string
	MIMEType string
	Size     int64 // in bytes, -1 when unknown
	Modified time.Time
	// Params are texts of the parameters with which the entry is read, by name:
	// string, or []string for a list. What is not there may come from the
	// columns in Scope.
	Params map[string]any
	// Scope is what the expressions of the list block see.
	Scope map[string]cty.Value
	// Load returns the names that Scope has as unknown values because they are
	// costly to make; nil when there are none.
	Load func(ctx context.Context) (map[string]cty.Value, error)
}
