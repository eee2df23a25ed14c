package engine

import (
	"context"
	"encoding/base64"
	"strings"
	"sync/atomic"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/mcpdecl/mcpdecl/uritmpl"
)

// A list is the static resources in declaration order, and behind them what
// the list blocks find, block by block in declaration order. A cursor says in
// which of them, and behind what, the next page begins, so that it stays good
// when entries come and go, and in another process with the same configuration:
//
//	r URI       behind that static resource
//	l NAME POS  in the list of the resource NAME behind the position POS
//
// The position is that of the source, "" for the start.

// Page is one page of resources/list.
type Page struct {
	Resources []Listed
	// Next is the cursor of the next page, "" behind the last one.
	Next string
	// Incomplete are the resources whose lists could not be made.
	Incomplete []string
}

// list is a list block with what it asks.
type list struct {
	resource *resource
	decl     *decl.List
	matcher  *uritmpl.Matcher
	required []bool // of the parameters
	base     Listed // what every entry has in common
	lister   sources.Lister
	rows     sources.Source // where the source is no lister
	skipped  atomic.Bool    // an entry that cannot be read was logged
}

// List returns the page of resources behind a cursor, "" for the first one.
// Where a source fails, the lists of the others are whole.
func (e *Engine) List(ctx context.Context, cursor string) (*Page, error) {
	size := e.info.PageSize
	if size <= 0 {
		size = defaultPageSize
	}
	if name, pos, ok := listCursor(cursor); ok {
		for i, l := range e.lists {
			if l.resource.Name == name {
				return e.listFrom(ctx, &Page{}, size, i, pos)
			}
		}
		return nil, invalidCursor()
	}
	static, next, err := pageOf(e.listed, cursor, size)
	if err != nil {
		return nil, err
	}
	page := &Page{Resources: static, Next: next}
	if next != "" || len(e.lists) == 0 {
		return page, nil
	}
	return e.listFrom(ctx, page, size, 0, "")
}

// listFrom fills a page from the list at an index on.
func (e *Engine) listFrom(ctx context.Context, page *Page, size, index int, pos string) (*Page, error) {
	for ; index < len(e.lists); index, pos = index+1, "" {
		l := e.lists[index]
		if len(page.Resources) >= size {
			page.Next = cursorOfList(l.resource.Name, pos)
			return page, nil
		}
		entries, next, err := e.listOne(ctx, l, pos, size-len(page.Resources))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			e.host.Log.WarnContext(ctx, "list cannot be made", "resource", l.resource.Name, "error", err)
			page.Incomplete = append(page.Incomplete, l.resource.Name)
			continue
		}
		page.Resources = append(page.Resources, entries...)
		if next != "" {
			page.Next = cursorOfList(l.resource.Name, next)
			return page, nil
		}
	}
	return page, nil
}

// maxEmptySteps bounds how often a source is asked on for a page to which it
// has contributed nothing so far.
const maxEmptySteps = 16

// listOne takes up to limit entries from one list.
func (e *Engine) listOne(ctx context.Context, l *list, pos string, limit int) ([]Listed, string, error) {
	if l.lister == nil {
		return e.listRows(ctx, l, pos, limit)
	}
	var out []Listed
	for range maxEmptySteps {
		found, next, err := l.lister.List(ctx, pos, limit-len(out))
		if err != nil {
			return nil, "", err
		}
		for i := range found {
			if entry, ok := e.listEntry(ctx, l, &found[i]); ok {
				out = append(out, entry)
			}
		}
		if pos = next; pos == "" || len(out) == limit || ctx.Err() != nil {
			break
		}
	}
	return out, pos, nil
}

func cursorOfList(name, pos string) string {
	return base64.RawURLEncoding.EncodeToString([]byte("l " + name + " " + pos))
}

// listCursor reads a cursor of a list block; false for every other text.
func listCursor(cursor string) (name, pos string, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil {
		return "", "", false
	}
	rest, ok := strings.CutPrefix(string(raw), "l ")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, " ")
}

func invalidCursor() *Error {
	return &Error{Code: CodeInvalidParams, Message: "invalid cursor: start the list again without one"}
}
