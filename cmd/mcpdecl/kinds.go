package main

import (
	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/mcpdecl/mcpdecl/sources/file"
	"github.com/mcpdecl/mcpdecl/sources/http"
	"github.com/mcpdecl/mcpdecl/sources/sql"
)

// kinds are the kinds of sources that a configuration may use. A new kind is
// one line here.
var kinds = []sources.Kind{sql.Kind, http.Kind, file.Kind}

// declKinds is what the loader needs of them.
func declKinds() decl.Kinds {
	var out decl.Kinds
	for _, k := range kinds {
		out.Connections = append(out.Connections, k.Connections...)
		out.Sources = append(out.Sources, k.Source)
	}
	return out
}
