package engine

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// defaultPageSize is the length of a page when a configuration says nothing.
const defaultPageSize = 1000

// listResult is a result of both lists on the wire; one of them is not nil.
type listResult struct {
	mcp.ResultBase
	ResultType string `json:"resultType,omitempty"`
	cacheHint
	NextCursor string       `json:"nextCursor,omitempty"`
	Resources  []wireListed `json:"resources,omitzero"`
	Templates  []wireListed `json:"resourceTemplates,omitzero"`
}

// wireListed is a Resource or a ResourceTemplate on the wire. It is not the
// SDK's type because that one cannot say a size or a priority of 0.
type wireListed struct {
	URI         string           `json:"uri,omitempty"`
	URITemplate string           `json:"uriTemplate,omitempty"`
	Name        string           `json:"name"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	MIMEType    string           `json:"mimeType,omitempty"`
	Size        *int64           `json:"size,omitempty"`
	Annotations *wireAnnotations `json:"annotations,omitempty"`
	Icons       []wireIcon       `json:"icons,omitempty"`
}

type wireAnnotations struct {
	Audience     []string `json:"audience,omitempty"`
	Priority     *float64 `json:"priority,omitempty"`
	LastModified string   `json:"lastModified,omitempty"`
}

type wireIcon struct {
	Src      string   `json:"src"`
	MIMEType string   `json:"mimeType,omitempty"`
	Sizes    []string `json:"sizes,omitempty"`
}

func listResources(ctx context.Context, b Backend, req *mcp.ListResourcesRequest) (mcp.Result, error) {
	var cursor string
	if req.Params != nil {
		cursor = req.Params.Cursor
	}
	page, err := b.List(ctx, cursor)
	if err != nil {
		return nil, err
	}
	out := &listResult{
		ResultType: resultType(req),
		cacheHint:  cacheHint{CacheScope: scopePrivate},
		NextCursor: page.Next,
		Resources:  listedToWire(page.Resources),
	}
	if len(page.Incomplete) > 0 {
		out.Meta = map[string]any{"mcpdecl/incomplete": page.Incomplete}
	}
	return out, nil
}

func listTemplates(b Backend, req *mcp.ListResourceTemplatesRequest) (mcp.Result, error) {
	var cursor string
	if req.Params != nil {
		cursor = req.Params.Cursor
	}
	page, next, err := pageOf(b.Templates(), cursor, b.Info().PageSize)
	if err != nil {
		return nil, err
	}
	return &listResult{
		ResultType: resultType(req),
		cacheHint:  cacheHint{CacheScope: scopePrivate},
		NextCursor: next,
		Templates:  listedToWire(page),
	}, nil
}

// pageOf returns the entries behind a cursor and the cursor of the page after
// them. A cursor names the last entry that was sent, so it stays good when
// entries are added before or behind it, also in another process that serves
// the same configuration.
func pageOf(all []Listed, cursor string, size int) ([]Listed, string, error) {
	if size <= 0 {
		size = defaultPageSize
	}
	start := 0
	if cursor != "" {
		var ok bool
		if start, ok = afterCursor(all, cursor); !ok {
			return nil, "", invalidCursor()
		}
	}
	end := min(start+size, len(all))
	page := slices.Clone(all[start:end])
	next := ""
	if end < len(all) {
		next = cursorOf(all[end-1])
	}
	return page, next, nil
}

// cursorOf is opaque to clients. The URI template of a template and the URI of
// a resource have a prefix each, so that a cursor of one list is not one of
// the other.
func cursorOf(l Listed) string {
	key := "r " + l.URI
	if l.URITemplate != "" {
		key = "t " + l.URITemplate
	}
	return base64.RawURLEncoding.EncodeToString([]byte(key))
}

func afterCursor(all []Listed, cursor string) (int, bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil {
		return 0, false
	}
	kind, key, ok := strings.Cut(string(raw), " ")
	if !ok {
		return 0, false
	}
	for i, l := range all {
		if kind == "r" && l.URITemplate == "" && l.URI == key || kind == "t" && l.URITemplate == key {
			return i + 1, true
		}
	}
	return 0, false
}

func listedToWire(page []Listed) []wireListed {
	out := make([]wireListed, 0, len(page))
	for i := range page {
		out = append(out, oneToWire(&page[i]))
	}
	return out
}

func oneToWire(l *Listed) wireListed {
	w := wireListed{
		URI:         l.URI,
		URITemplate: l.URITemplate,
		Name:        l.Name,
		Title:       l.Title,
		Description: l.Description,
		MIMEType:    l.MIMEType,
	}
	if l.Size >= 0 && l.URITemplate == "" {
		w.Size = &l.Size
	}
	if len(l.Audience) > 0 || l.Priority != nil || !l.LastModified.IsZero() {
		w.Annotations = &wireAnnotations{Audience: l.Audience, Priority: l.Priority}
		if !l.LastModified.IsZero() {
			w.Annotations.LastModified = l.LastModified.UTC().Format(time.RFC3339)
		}
	}
	for _, icon := range l.Icons {
		w.Icons = append(w.Icons, wireIcon(icon))
	}
	return w
}
