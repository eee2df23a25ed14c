package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/zclconf/go-cty/cty"
)

// The names that a list over rows, or over the items of an HTTP answer, gives
// to its expressions.
const (
	rowName   = "row"
	rowsName  = "rows"
	itemName  = "item"
	itemsName = "items"
)

// listRows lists what one read of a source returns: an entry for each row. The
// read is bounded by the limits of the source, and made again for each page.
// The position is the number of a row and its URI: where the row is gone, the
// page begins at its place.
func (e *Engine) listRows(ctx context.Context, l *list, pos string, limit int) ([]Listed, string, error) {
	res, err := l.rows.Read(ctx, &sources.Request{Need: sources.JSONValues, Scope: &decl.Scope{}})
	if errors.Is(err, sources.ErrNotFound) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	if res.Truncated != "" {
		e.host.Log.WarnContext(ctx, "list is cut", "resource", l.resource.Name, "reason", res.Truncated)
	}
	rows, err := entriesOf(res)
	if err != nil {
		return nil, "", err
	}
	all := make([]Listed, 0, len(rows))
	seen := map[string]bool{}
	for i := range rows {
		if entry, ok := e.listEntry(ctx, l, &rows[i]); ok && !seen[entry.URI] {
			seen[entry.URI] = true
			all = append(all, entry)
		}
		if ctx.Err() != nil {
			return nil, "", ctx.Err()
		}
	}
	start := startOf(all, pos)
	end := min(start+limit, len(all))
	next := ""
	if end < len(all) {
		next = strconv.Itoa(end) + " " + all[end-1].URI
	}
	return all[start:end], next, nil
}

// startOf finds the row behind a position.
func startOf(all []Listed, pos string) int {
	number, uri, _ := strings.Cut(pos, " ")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 {
		return 0
	}
	for i, l := range all {
		if l.URI == uri {
			return i + 1
		}
	}
	return min(n, len(all))
}

// entriesOf makes an entry of each row, or of each item.
func entriesOf(res *sources.Result) ([]sources.ListEntry, error) {
	for _, name := range []struct{ all, one string }{{rowsName, rowName}, {itemsName, itemName}} {
		v, ok := res.Scope[name.all]
		if !ok {
			continue
		}
		plain, _ := v.Unmark()
		if plain.IsNull() || !plain.CanIterateElements() {
			return nil, fmt.Errorf("list %s: it is %s, not a list", name.all, plain.Type().FriendlyName())
		}
		var out []sources.ListEntry
		for it := plain.ElementIterator(); it.Next(); {
			_, row := it.Element()
			// Items are found under both names, so that a column of the same
			// name gives a parameter its value whatever the source is.
			out = append(out, sources.ListEntry{Size: -1, Scope: map[string]cty.Value{name.one: row, rowName: row}})
		}
		return out, nil
	}
	return nil, errors.New("list entries: the source has neither rows nor items")
}
