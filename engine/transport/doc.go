// Package transport carries MCP between clients and the SDK's server: stdio
// and Streamable HTTP.
//
// The SDK's own edges end a session over one bad line, drop the answers of
// requests that were read before the end of input, and hang in a shutdown while
// a stream is open. So the framing, the checks of the envelope, of Host and of
// Origin, and the way to stop are here; sessions and methods stay with the SDK.
//
// Both transports stop in the same steps: no new calls; streams that only wait
// for news end; what runs may finish within a grace period; what still runs is
// cancelled, and its answer is waited for a moment.
//
// Large contents of results are written here too, since the SDK would copy them
// several times.
//
// The package knows nothing about resources, reads no environment, and writes
// nothing but frames to its output.
package transport
