// Package sources says what a data source is: a [Kind] decodes the blocks of
// its connections and sources and opens them, a [Source] answers one read.
//
// Each kind is a folder below this one. Kinds know nothing of MCP and nothing
// of each other; the engine knows nothing of SQL, HTTP or paths. The command
// line is the only place that names the kinds.
package sources
