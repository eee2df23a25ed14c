package sql

import (
	"errors"
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/zclconf/go-cty/cty"
)

// contentSink encodes rows into contents.
type contentSink struct {
	source   *source
	req      *sources.Request
	raw      rawMode
	enc      *encoder
	cols     []column
	contents []sources.Content
	whole    *sources.Content // the value of the only column, in place of a document
}

// rawMode says whether the value of a single column is the content itself. It
// is where the resource declares a media type that is not JSON: an image, a
// page of Markdown.
type rawMode int

const (
	rawNever rawMode = iota
	rawText          // the declared media type is text
	rawBytes         // any other
)

func rawOf(mimeType string) rawMode {
	if mimeType == "" {
		return rawNever
	}
	t, _, err := mime.ParseMediaType(mimeType)
	if err != nil {
		t = strings.ToLower(strings.TrimSpace(mimeType))
	}
	_, sub, _ := strings.Cut(t, "/")
	switch {
	case sub == "json" || strings.HasSuffix(sub, "+json") || sub == "x-ndjson" || sub == "jsonl" || sub == "ndjson":
		return rawNever
	case strings.HasPrefix(t, "text/") || sub == "xml" || strings.HasSuffix(sub, "+xml") ||
		sub == "yaml" || sub == "x-yaml" || sub == "javascript" || sub == "sql" || sub == "toml":
		return rawText
	}
	return rawBytes
}

func (s *contentSink) begin(cols []column) {
	s.cols = cols
	s.enc.begin(cols)
}

func (s *contentSink) row(cells []cell) error {
	each := s.source.settings.rows == rowsEach
	if s.whole != nil && !each {
		return errors.New("query returned more than one row of one binary column: set rows to \"one\" or \"each\"")
	}
	content, err := s.rawContent(cells)
	if err != nil {
		return err
	}
	if !each {
		if content != nil {
			s.whole = content
			return nil
		}
		return s.enc.row(cells)
	}
	if content == nil {
		if err := s.enc.row(cells); err != nil {
			return err
		}
		content = &sources.Content{Data: s.enc.take(), MIMEType: s.mimeType(), UTF8: true}
	}
	if content.URI, err = s.source.itemURI(s.req, s.cols, cells); err != nil {
		return err
	}
	s.contents = append(s.contents, *content)
	return nil
}

// rawContent returns the value of the only column as a content of its own, or
// nil where the row becomes part of a document.
func (s *contentSink) rawContent(cells []cell) (*sources.Content, error) {
	if s.raw == rawNever {
		return nil, nil
	}
	c := &cells[0]
	if s.source.settings.rows == rowsList && (c.kind != cellBinary || s.enc.rows > 0) {
		return nil, nil
	}
	var value []byte
	switch {
	case c.kind == cellNull:
		return nil, fmt.Errorf("%w: column %q is null", sources.ErrNotFound, s.cols[0].name)
	case c.kind == cellBinary:
		value = c.bytes
	case c.kind == cellText:
		value = []byte(c.text)
	case s.raw == rawText:
		value = appendPlain(nil, c)
	default:
		return nil, nil
	}
	if err := s.enc.room(len(value)); err != nil {
		return nil, err
	}
	s.enc.past += len(value)
	text := s.raw == rawText && utf8.Valid(value)
	return &sources.Content{Data: append([]byte{}, value...), Binary: !text, UTF8: text}, nil
}

func (s *contentSink) result(rows int) (*sources.Result, error) {
	switch {
	case s.source.settings.rows == rowsEach:
		if s.contents == nil {
			s.contents = []sources.Content{}
		}
		return &sources.Result{Contents: s.contents}, nil
	case s.whole != nil:
		return &sources.Result{Contents: []sources.Content{*s.whole}}, nil
	}
	data := s.enc.end()
	if rows == 0 && s.source.settings.rows == rowsOne && s.source.settings.format == formatJSON {
		data = append(data, "null"...)
	}
	s.source.sizeHint.Store(int64(len(data)))
	return &sources.Result{Contents: []sources.Content{{Data: data, MIMEType: s.mimeType(), UTF8: true}}}, nil
}

// mimeType is that of the format, where the resource declares none.
func (s *contentSink) mimeType() string {
	if s.req.MIMEType != "" {
		return ""
	}
	return s.source.settings.format.mimeType()
}

// itemURI evaluates item_uri for a row.
func (s *source) itemURI(req *sources.Request, cols []column, cells []cell) (string, error) {
	row, err := rowValue(cols, cells, false)
	if err != nil {
		return "", err
	}
	v, err := s.settings.itemURI.Value(req.Scope.With(map[string]cty.Value{"row": row}))
	if err != nil {
		return "", fmt.Errorf("evaluate item_uri: %w", err)
	}
	v, _ = v.Unmark()
	if v.IsNull() || v.Type() != cty.String {
		return "", fmt.Errorf("evaluate item_uri: it is not a string but %s", v.Type().FriendlyName())
	}
	return v.AsString(), nil
}
