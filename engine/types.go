package engine

import (
	"time"
)

// Result is the answer to one read; it belongs to the caller.
type Result struct {
	Contents []Content
	// TTL is how long a client may keep the result; 0: not at all.
	TTL time.Duration
	// Public says that the result is the same for every caller.
	Public bool
}

// Content is one entry of a result.
type Content struct {
	URI      string
	MIMEType string
	Data     []byte // text (valid UTF-8), or the bytes of a blob
	Binary   bool   // Data is sent as a blob
	Meta     map[string]any
}

// Listed is one entry of resources/list (URI set) or of
// resources/templates/list (URITemplate set).
type Listed struct {
	URI, URITemplate             string
	Name                         string
	Title, Description, MIMEType string
	Size                         int64 // -1 when unknown
	Audience                     []string
	Priority                     *float64
	LastModified                 time.Time
	Icons                        []Icon
}

// Icon is one icon of a listed resource.
type Icon struct {
	Src, MIMEType string
	Sizes         []string
}

// Info is what the server says of itself.
type Info struct {
	Name, Title, Version, Instructions string
	// PageSize is the number of entries in a page of a list.
	PageSize int
	// LegacyNotFound answers sessions older than 2026-07-28 with -32002.
	LegacyNotFound bool
}
