// Package uritmpl parses URI templates (RFC 6570, levels 1 to 4), expands
// them, matches URIs against them and compares them.
//
// Parse reads every valid template. Compile accepts those with exactly one
// reading of every URI and refuses the others with an Error that says how to
// write them instead: a resource that is listed but cannot be read is worse
// than an error at the start. What holds of every Matcher is
//
//	m.Match(m.Expand(values)) == values
//
// for all values that a match returned.
//
// Matching works on the normal form of RFC 3986 section 6.2.2, cuts the URI at
// its delimiters first, and decodes each value once. It takes time linear in
// the URI and never goes back: a path has at most one stretch of varying
// length, and within a segment a reading is found from one end, or, where
// kinds of values are mixed, by one pass from the right and one from the left.
//
// For one URI and many matchers, ReadURI, Capture and Decode are the three
// steps of Match: only the first and the last can refuse a URI, and only the
// winner decodes. Segment and TailMask are what an index sorts matchers by.
//
// Compare treats the URIs of a template as a product of sets, one for each
// fixed segment, one for the stretch between, and one for each query key and
// the fragment. It compares those by small automata, whose shortest common
// text is the witness.
//
// The package does not fetch, resolve references, remove dot segments or read
// anything but its arguments, and knows nothing of MCP.
package uritmpl
