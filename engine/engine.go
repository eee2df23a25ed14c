package engine

import (
	"errors"
	"fmt"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
)

// Engine answers requests from one configuration. It is immutable and safe
// for concurrent use.
type Engine struct {
	info        Info
	index       *Index
	resources   []*resource // in declaration order, as in the index
	listed      []Listed
	templates   []Listed
	lists       []*list // of list blocks, in declaration order
	tools       []*tool
	cache       *cache
	connections []sources.Connection
	host        sources.Host
}

// resource is a declaration with its opened source.
type resource struct {
	*decl.Resource
	source sources.Source // nil: the body is everything
}

// New makes the connections and sources of a configuration ready and indexes
// its resources. Nothing reaches a backend yet. The configuration must have
// been loaded without errors, and with the same kinds.
func New(c *decl.Config, kinds []sources.Kind, host sources.Host) (*Engine, error) {
	e := &Engine{host: host, cache: newCache(host.Now), info: Info{
		Name: c.Server.Name, Title: c.Server.Title, Version: c.Server.Version,
		Instructions: c.Server.Instructions, PageSize: c.Server.PageSize,
		LegacyNotFound: c.Server.LegacyNotFound,
	}}
	o := &opener{kinds: kinds, host: host, opened: map[*decl.Connection]sources.Connection{}}
	for _, conn := range c.Connections {
		opened, err := o.connect(conn)
		if err != nil {
			return nil, errors.Join(err, e.Close())
		}
		if opened != nil {
			e.connections = append(e.connections, opened)
		}
	}
	entries := make([]Entry, len(c.Resources))
	for i, d := range c.Resources {
		r := &resource{Resource: d}
		if d.Source != nil {
			var err error
			if r.source, err = o.source(d.Source); err != nil {
				return nil, errors.Join(fmt.Errorf("open resource %q: %w", d.Name, err), e.Close())
			}
		}
		e.resources = append(e.resources, r)
		entries[i] = Entry{Matcher: d.Matcher, AllowDot: dotParams(d.Params)}
		if err := e.list(o, r); err != nil {
			return nil, errors.Join(fmt.Errorf("open list of resource %q: %w", d.Name, err), e.Close())
		}
	}
	if err := e.openTools(o, c); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	e.index = NewIndex(entries)
	return e, nil
}

// opener opens what a configuration declares.
type opener struct {
	kinds  []sources.Kind
	host   sources.Host
	opened map[*decl.Connection]sources.Connection
}

func (o *opener) connect(c *decl.Connection) (sources.Connection, error) {
	for _, k := range o.kinds {
		for _, ck := range k.Connections {
			if ck.Spec.Type != c.Kind {
				continue
			}
			if !k.Serves(c.Kind) {
				return nil, nil // declared only; Unavailable says so
			}
			conn, err := k.Connect(o.host, c)
			if err != nil {
				return nil, fmt.Errorf("open connection %s: %w", c.ID(), err)
			}
			o.opened[c] = conn
			return conn, nil
		}
	}
	panic("engine: no kind for connection " + c.ID())
}

func (o *opener) source(s *decl.Source) (sources.Source, error) {
	for _, k := range o.kinds {
		if k.Name == s.Kind {
			return k.New(o.host, o.opened[s.Connection], s)
		}
	}
	panic("engine: no kind for source " + s.Kind)
}

func dotParams(params []*decl.Param) []string {
	var names []string
	for _, p := range params {
		if p.AllowDotSegments {
			names = append(names, p.Name)
		}
	}
	return names
}

// list adds the resource to the list that it belongs to, and opens the list
// that it has itself.
func (e *Engine) list(o *opener, r *resource) error {
	if r.Hidden {
		return nil
	}
	l := listedOf(r.Resource)
	if r.Matcher.Static() {
		l.URI = r.URI
		e.listed = append(e.listed, l)
		return nil
	}
	l.URITemplate = r.URI
	e.templates = append(e.templates, l)
	if r.List == nil {
		return nil
	}
	var source sources.Source
	if r.List.Source != nil {
		var err error
		if source, err = o.source(r.List.Source); err != nil {
			return err
		}
	}
	e.openList(r, source)
	return nil
}

// listedOf is what lists say of a declaration.
func listedOf(d *decl.Resource) Listed {
	l := Listed{
		Name: d.Name, Title: d.Title, Description: d.Description, MIMEType: d.MIMEType,
		Size: d.Size, Audience: d.Audience, Priority: d.Priority,
	}
	for _, i := range d.Icons {
		l.Icons = append(l.Icons, Icon(i))
	}
	return l
}

// Info returns what the server says of itself.
func (e *Engine) Info() Info { return e.info }

// Templates returns the listed resource templates in declaration order.
func (e *Engine) Templates() []Listed { return e.templates }

// Close ends running reads and releases every connection.
func (e *Engine) Close() error {
	var errs []error
	for _, c := range e.connections {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
