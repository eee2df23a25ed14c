package http

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

const png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"

func TestS14_TextOrBlob(t *testing.T) {
	for _, c := range []struct {
		contentType, body, declared string
		wantType                    string
		binary                      bool
	}{
		{"image/png", png, "", "image/png", true},
		{"image/png", "only letters", "", "image/png", true},
		{"", png, "", "image/png", true},
		{"application/octet-stream", "letters", "", "application/octet-stream", true},
		{"application/octet-stream", "# Title", "text/markdown", "application/octet-stream", false},
		{"application/octet-stream", png, "text/markdown", "application/octet-stream", true},
		{"text/plain; charset=utf-8", "grün", "", "text/plain", false},
		{"text/plain; charset=utf-8; format=flowed", "x", "", "text/plain; format=flowed", false},
		{"text/plain", "a\xffb", "", "text/plain", true},
		{"text/plain; charset=utf-8", "a\xffb", "", "text/plain; charset=utf-8", true},
		{"application/json", `{"a":1}`, "", "application/json", false},
		{"application/vnd.api+json", `{}`, "", "application/vnd.api+json", false},
		{"application/json", "{\"a\":\"\xff\"}", "", "application/json", true},
		{"image/svg+xml", "<svg/>", "", "image/svg+xml", false},
		{"application/atom+xml; charset=utf-8", "<a/>", "", "application/atom+xml", false},
		{"application/pdf", "%PDF-1.7", "", "application/pdf", true},
		{"", `{"a": 1}`, "", "application/json", false},
		{"", "some text", "", "text/plain", false},
		{"", "<html><body>x", "", "text/html", false},
		{"nonsense", "some text", "", "text/plain", false},
		{"TEXT/HTML", "x", "", "text/html", false},
		{"text/csv", "a,b\x00\n", "", "text/csv", false},
	} {
		text := one("", `url = "/x"`)
		if c.declared != "" {
			text = strings.Replace(text, "uri = \"t://r\"", "uri = \"t://r\"\nmime_type = \""+c.declared+"\"", 1)
		}
		got := open(t, reply(t, 200, c.contentType, c.body), text).content("r")
		if string(got.Data) != c.body || got.MIMEType != c.wantType || got.Binary != c.binary {
			t.Errorf("%s %q %s: got %s, binary %t, %q", c.contentType, c.body, c.declared, got.MIMEType, got.Binary, got.Data)
		}
	}
}

func TestCharsets(t *testing.T) {
	const german, czech, kana = "Grüße, 5 €", "příliš žluťoučký", "日本語カナ"
	encode := func(s string, f func(string) (string, error)) string {
		out, err := f(s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	utf16be := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().String
	for name, c := range map[string]struct {
		contentType, body, want string
		binary                  bool
	}{
		"latin":             {"text/plain; charset=ISO-8859-1", encode("Grüße", charmap.ISO8859_1.NewEncoder().String), "Grüße", false},
		"windows":           {"text/plain; charset=windows-1252", encode(german, charmap.Windows1252.NewEncoder().String), german, false},
		"latin 2":           {"text/csv; charset=\"iso-8859-2\"", encode(czech, charmap.ISO8859_2.NewEncoder().String), czech, false},
		"japanese":          {"text/html; charset=Shift_JIS", encode(kana, japanese.ShiftJIS.NewEncoder().String), kana, false},
		"euc":               {"text/plain; charset=euc-jp", encode(kana, japanese.EUCJP.NewEncoder().String), kana, false},
		"utf-16 with mark":  {"text/plain", encode(german, utf16be), german, false},
		"utf-16 said":       {"text/plain; charset=utf-16", encode(german, utf16be), german, false},
		"xml declaration":   {"application/atom+xml", "<?xml version='1.0' encoding = 'ISO-8859-2'?><a>" + encode(czech, charmap.ISO8859_2.NewEncoder().String), "<?xml version='1.0' encoding = 'ISO-8859-2'?><a>" + czech, false},
		"xml of no charset": {"text/xml", "<?xml version=\"1.0\"?><a>\xe9", "<?xml version=\"1.0\"?><a>\xe9", true},
		"xml that lies":     {"text/xml", "<?xml version=\"1.0\" encoding=\"UTF-8\"?><a>\xe9", "<?xml version=\"1.0\" encoding=\"UTF-8\"?><a>\xe9", true},
		"html meta":         {"text/html", "<meta charset=windows-1250>" + encode(czech, charmap.Windows1250.NewEncoder().String), "<meta charset=windows-1250>" + czech, false},
		"not in it":         {"text/plain; charset=Shift_JIS", "\x85\xff\x81", "\x85\xff\x81", true},
		"unknown charset":   {"text/plain; charset=klingon", german, german, false},
		"unknown and wrong": {"text/plain; charset=klingon", "\xff\x00", "\xff\x00", true},
		"said utf-8, is not": {"application/json; charset=utf-8", encode(`"ü"`, charmap.ISO8859_1.NewEncoder().String),
			encode(`"ü"`, charmap.ISO8859_1.NewEncoder().String), true},
	} {
		got := open(t, reply(t, 200, c.contentType, c.body), one("", `url = "/x"`)).content("r")
		if string(got.Data) != c.want || got.Binary != c.binary || !c.binary && strings.Contains(got.MIMEType, "charset") {
			t.Errorf("%s: %q %s binary %t", name, got.Data, got.MIMEType, got.Binary)
		}
	}
	body := encode(`{"name":"Grüße"}`, charmap.ISO8859_1.NewEncoder().String)
	f := open(t, reply(t, 200, "application/json; charset=iso-8859-1", body), one("", "url = \"/x\"\nitems = [body]"))
	if got := f.text("r"); got != `[{"name":"Grüße"}]` {
		t.Errorf("items: %s", got)
	}
	f = open(t, reply(t, 200, "application/json", "\xef\xbb\xbf{\"a\":1}"), one("", "url = \"/x\"\nitems = [body]"))
	if got := f.text("r"); got != `[{"a":1}]` {
		t.Errorf("byte order mark: %s", got)
	}
	if _, err := open(t, reply(t, 200, "text/plain; charset=iso-8859-1", strings.Repeat("\xe4", 600)), one("max_bytes = \"1000\"", `url = "/x"`)).read("r"); err == nil {
		t.Error("the transcoded text is beyond max_bytes")
	}
}
