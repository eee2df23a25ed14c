package file

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
)

const (
	// maxVisited bounds the names that one read of a glob looks at.
	maxVisited = 1_000_000
	// readTimeout bounds one read: counting the lines of a file of any length,
	// a network file system that crawls.
	readTimeout = 30 * time.Second
)

// sourceSettings are what a source block says.
type sourceSettings struct {
	root  *settings // instead of a connection
	path  *pathTemplate
	glob  *globTemplate
	part  partExprs
	place string
	at    decl.Range // of path or glob
}

// source answers reads with one file, or with all that match a pattern.
type source struct {
	conn     *connection
	settings *sourceSettings
	// skipped says that a name that cannot stand in a URI was logged.
	skipped atomic.Bool
}

func newSource(host sources.Host, conn sources.Connection, s *decl.Source) (sources.Source, error) {
	settings, ok := s.Settings.(*sourceSettings)
	if !ok || settings.path == nil && settings.glob == nil {
		return nil, errors.New("open file source: it was not decoded without mistakes")
	}
	if s.Connection == nil {
		conn = &connection{host: host, settings: settings.root}
	}
	c, ok := conn.(*connection)
	if !ok || c.settings == nil {
		return nil, errors.New("open file source: it was not decoded without mistakes")
	}
	return &source{conn: c, settings: settings}, nil
}

// title names the connection in the log.
func (c *connection) title() string {
	if c.id == "" {
		return c.settings.root
	}
	return c.id
}

// Read reads the file, or the files.
func (s *source) Read(ctx context.Context, req *sources.Request) (*sources.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	v, err := s.conn.view()
	if err != nil {
		return nil, err
	}
	defer v.close()
	if s.settings.path == nil {
		return s.readAll(ctx, v, req)
	}
	return s.readOne(ctx, v, req)
}

func (s *source) readOne(ctx context.Context, v *view, req *sources.Request) (*sources.Result, error) {
	part, err := s.settings.part.eval(req.Scope)
	if err != nil {
		return nil, err
	}
	name, ok := s.settings.path.expand(req.Params)
	if !ok {
		return nil, sources.ErrNotFound
	}
	c, p, err := v.read(ctx, name, s.matcher(req.Params), part, req.MIMEType)
	if err != nil {
		return nil, err
	}
	if req.Need != sources.Contents {
		return &sources.Result{Scope: scopeOf(p, c)}, nil
	}
	return &sources.Result{Contents: []sources.Content{c}}, nil
}

// matcher says which files can be read by path.
func (s *source) matcher(params []any) func(name string) bool {
	if s.settings.glob == nil {
		return func(string) bool { return true }
	}
	p, ok := s.settings.glob.expand(params)
	if !ok {
		return func(string) bool { return false }
	}
	return p.matches
}

// readAll reads the files that match, each as a content with the request's URI
// and its path as the fragment.
func (s *source) readAll(ctx context.Context, v *view, req *sources.Request) (*sources.Result, error) {
	p, ok := s.settings.glob.expand(req.Params)
	if !ok {
		return nil, sources.ErrNotFound
	}
	found, more, err := v.glob(ctx, p, s.conn.settings.maxFiles)
	if err != nil {
		return nil, err
	}
	out := &sources.Result{}
	rest := s.conn.settings.maxBytes
	for _, f := range found {
		c, _, err := v.read(ctx, f.name, p.matches, nil, req.MIMEType)
		if err == sources.ErrNotFound {
			continue // gone since
		}
		if err != nil {
			return nil, err
		}
		if rest -= int64(len(c.Data)); rest < 0 {
			return nil, tooLarge("the files together are", s.conn.settings.maxBytes)
		}
		if !strings.Contains(req.URI, "#") {
			c.URI = req.URI + "#" + (&url.URL{Path: f.name}).EscapedPath()
		}
		out.Contents = append(out.Contents, c)
	}
	if len(out.Contents) == 0 {
		return nil, sources.ErrNotFound
	}
	if more {
		out.Truncated = fmt.Sprintf("only the first %d files, in the order of their paths; more match %s", s.conn.settings.maxFiles, p.text)
	}
	return out, nil
}

// read reads one file, or a part of it.
func (v *view) read(ctx context.Context, name string, matches func(string) bool, part *part, mimeType string) (sources.Content, place, error) {
	p, h, err := v.open(ctx, name)
	if err != nil {
		return sources.Content{}, p, err
	}
	defer h.Close()
	if !matches(p.name) {
		return sources.Content{}, p, sources.ErrNotFound
	}
	r := reader{ctx: ctx, file: h, size: p.info.Size(), max: v.settings.maxBytes, auto: v.settings.auto}
	data, err := r.read(part)
	if err != nil {
		return sources.Content{}, p, fmt.Errorf("read %q: %w", p.name, cause(err))
	}
	c := sources.Content{MIMEType: mimeType, Data: data, Modified: p.info.ModTime()}
	text := r.text
	c.UTF8 = text
	if c.MIMEType == "" {
		c.MIMEType = typeByName(p.name, text)
	}
	c.Binary = !text || neverText(c.MIMEType)
	return c, p, nil
}

// tooLarge is a failure that a client may know the reason of.
func tooLarge(what string, limit int64) error {
	return &sources.PublicError{Message: fmt.Sprintf("%s larger than %s (max_bytes)", what, sizeText(limit))}
}

// sizeText writes a size as a configuration would.
func sizeText(n int64) string {
	for _, u := range []struct {
		name string
		size int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= u.size && n%u.size == 0 {
			return fmt.Sprintf("%d %s", n/u.size, u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// Explain says which names would be looked up.
func (s *source) Explain(req *sources.Request) (*sources.Plan, error) {
	plan := &sources.Plan{Kind: "file", Connection: s.conn.id, Root: s.conn.settings.root}
	if s.settings.path != nil {
		if name, ok := s.settings.path.expand(req.Params); ok {
			plan.Path = name
		}
	}
	if s.settings.glob != nil {
		if p, ok := s.settings.glob.expand(req.Params); ok {
			plan.Glob = p.text
		}
	}
	return plan, nil
}
