// Package engine answers MCP requests from declarations. A [Engine] holds one
// immutable snapshot: the index of URIs, the opened sources, the listings. A
// read is five steps in one function (read.go): find, convert, cache, source,
// render.
//
// The engine's own request and result types are free of SDK types; mcp.go is
// the one edge where they are converted. The engine never sees SQL, HTTP or a
// path: those are behind sources.Source.
package engine
