package http

import (
	"bytes"
	"mime"
	nethttp "net/http"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/mcpdecl/mcpdecl/sources"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
)

// media is the media type of an answer.
type media struct {
	essence string // type/subtype in lower case, or ""
	params  map[string]string
}

func mediaOf(text string) media {
	essence, params, err := mime.ParseMediaType(text)
	if err != nil && err != mime.ErrInvalidMediaParameter || !strings.Contains(essence, "/") {
		return media{}
	}
	return media{essence, params}
}

// mediaHeader is a Content-Type with what it says, and how it is written when
// the text has become UTF-8.
type mediaHeader struct {
	header, plain string
	media         media
}

// mediaOf reads the Content-Type of an answer; most answers of a source have
// the same.
func (s *source) mediaOf(header string) *mediaHeader {
	if last := s.types.Load(); last != nil && last.header == header {
		return last
	}
	m := mediaOf(header)
	h := &mediaHeader{header, m.withoutCharset().String(), m}
	s.types.Store(h)
	return h
}

func (m media) subtype() string {
	_, sub, _ := strings.Cut(m.essence, "/")
	return sub
}

func (m media) isJSON() bool {
	sub := m.subtype()
	return sub == "json" || strings.HasSuffix(sub, "+json")
}

func (m media) isXML() bool {
	sub := m.subtype()
	return sub == "xml" || strings.HasSuffix(sub, "+xml")
}

// isText reports whether contents of the type are meant to be read as text.
func (m media) isText() bool {
	if strings.HasPrefix(m.essence, "text/") || m.isJSON() {
		return true
	}
	sub := m.subtype()
	if m.isXML() || strings.HasSuffix(sub, "+yaml") {
		return true
	}
	switch sub {
	case "xml-dtd", "yaml", "x-yaml", "toml", "javascript", "ecmascript", "x-javascript", "typescript", "sql", "graphql",
		"x-ndjson", "ndjson", "jsonl", "json-seq", "x-www-form-urlencoded", "x-sh", "x-httpd-php", "rtf", "x-tex", "markdown":
		return true
	}
	return false
}

// String is the type without its charset where the text has become UTF-8.
func (m media) String() string {
	return mime.FormatMediaType(m.essence, m.params)
}

func (m media) withoutCharset() media {
	params := map[string]string{}
	for k, v := range m.params {
		if k != "charset" {
			params[k] = v
		}
	}
	return media{m.essence, params}
}

// passThrough makes a content of the body as it is. It is text only where the
// type says text and the bytes are valid in their charset; text in another
// charset than UTF-8 is transcoded.
func (s *source) passThrough(a *answer, declared string) sources.Content {
	h := s.mediaOf(a.header.Get("Content-Type"))
	if h.media.essence == "" {
		m := sniff(a.body)
		h = &mediaHeader{plain: m.String(), media: m}
	}
	got := h.media
	judged := got
	if declared != "" { // the operator's word is the better one
		judged = mediaOf(declared)
	}
	if judged.isText() {
		if text, ok := toUTF8(a.body, got); ok {
			return sources.Content{MIMEType: h.plain, Data: text}
		}
	}
	return sources.Content{MIMEType: got.String(), Data: a.body, Binary: true}
}

// sniff guesses the type of a body that has none.
func sniff(body []byte) media {
	if isJSONText(body) {
		return media{essence: "application/json"}
	}
	return mediaOf(nethttp.DetectContentType(body)).withoutCharset()
}

// toUTF8 returns the body as UTF-8 text; false when it is not text in the
// charset that it says. UTF-8 is handed on as it is.
func toUTF8(body []byte, m media) ([]byte, bool) {
	name := strings.ToLower(strings.TrimSpace(m.params["charset"]))
	enc := encodingOf(body, m, name)
	if enc == nil {
		return body, utf8.Valid(body)
	}
	text, err := enc.NewDecoder().Bytes(body)
	if err != nil || bytes.ContainsRune(text, utf8.RuneError) {
		return nil, false
	}
	return text, true
}

// encodingOf returns the encoding of a body; nil is UTF-8.
func encodingOf(body []byte, m media, name string) encoding.Encoding {
	switch {
	case bytes.HasPrefix(body, []byte{0xff, 0xfe}) || bytes.HasPrefix(body, []byte{0xfe, 0xff}):
		return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM)
	case name == "utf-16":
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM) // RFC 2781, section 4.3
	case name != "":
		enc, canonical := charset.Lookup(name)
		if canonical == "utf-8" || canonical == "replacement" {
			return nil
		}
		return enc
	case m.essence == "text/html" && !utf8.Valid(body):
		enc, canonical, _ := charset.DetermineEncoding(body, "text/html")
		if canonical == "utf-8" {
			return nil
		}
		return enc
	case m.isXML() && !utf8.Valid(body):
		if named := xmlEncoding.FindSubmatch(body[:min(len(body), 200)]); named != nil {
			return encodingOf(body, media{}, strings.ToLower(string(named[1])))
		}
	}
	return nil
}

// xmlEncoding finds what an XML declaration says (XML 1.0, section 4.3.3), which
// counts where the type has no charset (RFC 7303, section 3).
var xmlEncoding = regexp.MustCompile(`^<\?xml[^>]*\sencoding\s*=\s*["\']([A-Za-z][A-Za-z0-9._-]*)["\']`)
