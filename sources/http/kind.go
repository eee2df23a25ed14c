package http

import (
	"errors"
	"fmt"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
)

// Kind is the http source with the connections that it works over.
var Kind = sources.Kind{
	Name:        "http",
	Connections: []decl.ConnectionKind{{Spec: connectionSpec, Decode: decodeConnection}},
	Source:      decl.SourceKind{Spec: sourceSpec, Decode: decodeSource},
	Connect:     connect,
	New:         newSource,
}

func connect(host sources.Host, c *decl.Connection) (sources.Connection, error) {
	s, ok := c.Settings.(*settings)
	if !ok || s.base == nil {
		return nil, fmt.Errorf("open connection %s: it was not decoded without mistakes", c.ID())
	}
	return openConnection(host, c.ID(), s)
}

func newSource(host sources.Host, conn sources.Connection, s *decl.Source) (sources.Source, error) {
	c, ok := conn.(*connection)
	settings, ok2 := s.Settings.(*sourceSettings)
	if !ok || !ok2 || settings.target == nil {
		return nil, errors.New("open http source: it was not decoded without mistakes")
	}
	src := &source{conn: c, settings: settings, limits: settings.limits.or(c.settings.limits), now: host.Now}
	if len(settings.target.places) == 0 {
		u, broken := settings.target.url(c.settings.base, nil)
		if broken != nil {
			return nil, fmt.Errorf("open http source: url: %s", broken.Message)
		}
		src.fixed = u
	}
	return src, nil
}
