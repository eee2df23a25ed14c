package sql

import (
	"fmt"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
)

// Kind is the sql source with the connections that it works over.
var Kind = sources.Kind{
	Name: "sql",
	Connections: []decl.ConnectionKind{
		{Spec: sqliteSpec, Decode: decodeSQLite},
		{Spec: postgresSpec, Decode: decodePostgres},
		{Spec: mysqlSpec, Decode: decodeMySQL},
	},
	Source:  decl.SourceKind{Spec: sourceSpec, Decode: decodeSource},
	Connect: connect,
	New:     newSource,
}

func connect(host sources.Host, c *decl.Connection) (sources.Connection, error) {
	s, ok := c.Settings.(*settings)
	if !ok {
		return nil, fmt.Errorf("open connection %s: it is not a sql connection", c.ID())
	}
	return openConnection(host, c.ID(), s)
}
