package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
)

// Check holds a configuration, loaded without errors, against its live
// backends. A connection that cannot be reached is one diagnostic at its block;
// the sources over the others are held against their backend without being
// read. unchecked says, in sentences, what was not checked and why.
func Check(ctx context.Context, c *decl.Config, kinds []sources.Kind, host sources.Host) (found decl.Diagnostics, unchecked []string) {
	k := &checker{opener: opener{kinds: kinds, host: host, opened: map[*decl.Connection]sources.Connection{}}, down: map[*decl.Connection]bool{}, said: map[*decl.Connection]bool{}}
	defer k.close()
	k.connections(ctx, c.Connections)
	for _, r := range c.Resources {
		owner := fmt.Sprintf("resource %q", r.Name)
		k.source(ctx, owner, r.Source, r.Body.Expr())
		if l := r.List; l != nil {
			k.source(ctx, "list of "+owner, l.Source, l.Name, l.Title, l.Description, l.MIMEType)
		}
		k.completions(ctx, owner, r.Params)
	}
	for _, t := range c.Tools {
		owner := fmt.Sprintf("tool %q", t.Name)
		k.source(ctx, owner, t.Source, t.Body.Expr())
		k.completions(ctx, owner, t.Params)
	}
	for _, p := range c.Prompts {
		k.completions(ctx, fmt.Sprintf("prompt %q", p.Name), p.Params)
	}
	return k.found, k.unchecked
}

// checker is one run of Check.
type checker struct {
	opener
	down      map[*decl.Connection]bool
	said      map[*decl.Connection]bool // what is never checked
	found     decl.Diagnostics
	unchecked []string
}

func (k *checker) close() {
	for _, c := range k.opened {
		_ = c.Close()
	}
}

// report says why something could not be reached.
func (k *checker) report(at decl.Range, summary string, err error) {
	k.found = append(k.found, &decl.Diagnostic{Code: "unreachable", Range: at, Summary: summary, Detail: upperFirst(err.Error()) + "."})
}

func (k *checker) skip(owner, format string, args ...any) {
	k.unchecked = append(k.unchecked, owner+": "+fmt.Sprintf(format, args...))
}

// connections opens and tries every connection, all at once.
func (k *checker) connections(ctx context.Context, declared []*decl.Connection) {
	errs := make([]error, len(declared))
	var wg sync.WaitGroup
	for i, c := range declared {
		conn, err := k.connect(c)
		if err != nil {
			errs[i] = err
			continue
		}
		if p, ok := conn.(sources.Checker); ok {
			wg.Go(func() { errs[i] = p.Ping(ctx) })
		}
	}
	wg.Wait()
	for i, c := range declared {
		if errs[i] != nil {
			k.down[c] = true
			k.report(c.Range, fmt.Sprintf("connection %s cannot be reached", c.ID()), errs[i])
		}
	}
}

func (k *checker) completions(ctx context.Context, owner string, params []*decl.Param) {
	for _, p := range params {
		if p.Complete != nil {
			k.source(ctx, fmt.Sprintf("completions of %q of %s", p.Name, owner), p.Complete.Source)
		}
	}
}

// source checks one source, and the expressions over its rows.
func (k *checker) source(ctx context.Context, owner string, s *decl.Source, over ...*decl.Expr) {
	if s == nil {
		return
	}
	if k.down[s.Connection] {
		k.skip(owner, "connection %s cannot be reached", s.Connection.ID())
		return
	}
	if s.Connection != nil && k.opened[s.Connection] == nil || !k.serves(s.Kind) {
		k.skip(owner, "this version cannot read its source")
		return
	}
	src, err := k.opener.source(s)
	if err != nil {
		k.report(s.Range, owner+" cannot be read", err)
		return
	}
	c, ok := src.(sources.SourceChecker)
	if !ok {
		k.skip(owner, "a %s source can be checked only by a read", s.Kind)
		return
	}
	found, open, err := c.Check(ctx)
	if err != nil {
		k.report(s.Range, owner+" could not be checked", err)
	}
	k.found = append(k.found, found...)
	if err == nil {
		k.partial(s.Connection)
	}
	for _, o := range open {
		k.skip(owner, "%s", o)
	}
	if cc, ok := src.(sources.ColumnChecker); ok && cc.CheckedColumns() != nil {
		for _, e := range append(over, s.RowExprs...) {
			k.columns(e, cc.CheckedColumns())
		}
	}
}

// partial says once for a connection what of its sources is never checked.
func (k *checker) partial(c *decl.Connection) {
	p, ok := k.opened[c].(sources.PartialChecker)
	if !ok || k.said[c] {
		return
	}
	k.said[c] = true
	for _, open := range p.Unchecked() {
		k.skip("connection "+c.ID(), "%s", open)
	}
}

// columns reports what an expression reads of a row that has no such column.
func (k *checker) columns(e *decl.Expr, columns []string) {
	if e == nil {
		return
	}
	for name, at := range e.Members("row") {
		if slices.Contains(columns, name) {
			continue
		}
		mean, _ := decl.DidYouMean(name, columns)
		k.found = append(k.found, &decl.Diagnostic{
			Code: "unknown_column", Range: at, Summary: fmt.Sprintf("the query has no column %q", name),
			Detail: strings.TrimSpace(fmt.Sprintf("Its columns are %s. %s", strings.Join(columns, ", "), mean)),
		})
	}
}

func (o *opener) serves(kind string) bool {
	for _, k := range o.kinds {
		if k.Name == kind {
			return k.New != nil
		}
	}
	return false
}
