package file

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
)

// settings are what a connection block says. A source with a root of its own
// has them with their defaults.
type settings struct {
	root     string // resolved against the configuration file
	hidden   bool
	maxBytes int64
	maxFiles int
	auto     bool // charset = "auto"
}

// connection is a root. Between requests it holds nothing open but the root
// itself.
type connection struct {
	host     sources.Host
	id       string // file.docs, or "" for the root of one source
	settings *settings
	root     holder
	dirs     dirCache
}

func connect(host sources.Host, c *decl.Connection) (sources.Connection, error) {
	s, ok := c.Settings.(*settings)
	if !ok || s.root == "" {
		return nil, fmt.Errorf("open connection %s: it was not decoded without mistakes", c.ID())
	}
	return &connection{host: host, id: c.ID(), settings: s}, nil
}

// Close lets go of the root when the last running read is done with it. Later
// reads fail.
func (c *connection) Close() error {
	c.root.close()
	return nil
}

// Ping looks whether the root is there and can be listed.
func (c *connection) Ping(ctx context.Context) error {
	v, err := c.view()
	if err != nil {
		return err
	}
	defer v.close()
	stop := errors.New("one entry is enough")
	err = v.tree.readDir(".", func(dirEntry) error { return stop })
	if err != nil && err != stop {
		return fmt.Errorf("list root %q: %w", c.settings.root, cause(err))
	}
	return ctx.Err()
}

// view is a connection with its root opened, for one request.
type view struct {
	*connection
	tree *tree
}

func (c *connection) view() (*view, error) {
	t, err := c.root.open(c.settings.root)
	if err != nil {
		return nil, err
	}
	return &view{c, t}, nil
}

func (v *view) close() { v.tree.close() }
