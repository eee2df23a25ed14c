package http

import (
	"strings"
	"testing"

	"github.com/mcpdecl/mcpdecl/decl"
)

// only is the one diagnostic of a configuration, with the text that its place
// covers.
func only(t *testing.T, text string) (d *decl.Diagnostic, at string) {
	t.Helper()
	config, diags := load(t, t.TempDir(), text, map[string]string{"BAD": "a\nb", "T": "t"})
	if len(diags) != 1 {
		for _, d := range diags {
			t.Logf("%s: %s\n%s", d.Code, d, d.Detail)
		}
		t.Fatalf("%d diagnostics", len(diags))
	}
	d = diags[0]
	if d.Summary == "" || d.Detail == "" || strings.HasSuffix(d.Summary, ".") || strings.Contains(d.Summary+d.Detail, "a\nb") {
		t.Errorf("style: %s | %s", d.Summary, d.Detail)
	}
	return d, string(config.Files[d.Range.File][d.Range.Start.Byte:d.Range.End.Byte])
}

func TestConnectionDiagnostics(t *testing.T) {
	for name, c := range map[string]struct{ block, code, at string }{
		"C2 variable in the host":  {`base_url = "https://{region}.example.com"`, "invalid_url", `"https://{region}.example.com"`},
		"C2 variable as scheme":    {`base_url = "{scheme}://example.com"`, "invalid_url", `"{scheme}://example.com"`},
		"C2 user":                  {`base_url = "https://u@example.com"`, "invalid_url", `"https://u@example.com"`},
		"C2 no host":               {`base_url = "https://:80/x"`, "invalid_url", ""},
		"C2 other scheme":          {`base_url = "gopher://example.com"`, "invalid_url", ""},
		"climbing base":            {`base_url = "https://example.com/a/%2e%2e/b"`, "invalid_url", ""},
		"empty segment":            {`base_url = "https://example.com//b"`, "invalid_url", ""},
		"two credentials":          {"bearer = \"x\"\nheaders = { authorization = \"y\" }", "two_credentials", ""},
		"C4 line break in token":   {`bearer = env("BAD")`, "invalid_header_value", `env("BAD")`},
		"C4 line break in header":  {`headers = { X-Key = env("BAD") }`, "invalid_header_value", ""},
		"no header name":           {`headers = { "X Key" = "x" }`, "invalid_header", ""},
		"managed header":           {`headers = { Host = "x" }`, "managed_header", ""},
		"twice the same header":    {`headers = { X-Key = "x", x-key = "y" }`, "duplicate_name", ""},
		"forwarded host":           {`forward_headers = ["host"]`, "managed_header", `["host"]`},
		"forwarded session":        {`forward_headers = ["Mcp-Session-Id"]`, "managed_header", ""},
		"forwarded token":          {`forward_headers = ["authorization"]`, "forwarded_token", ""},
		"set and forwarded":        {"headers = { X-A = \"x\" }\nforward_headers = [\"x-a\"]", "duplicate_name", ""},
		"private and not allowed":  {"base_url = \"http://10.0.0.1\"\nallow_private = false", "invalid_value", "false"},
		"localhost, not allowed":   {"base_url = \"http://localhost:1\"\nallow_private = false", "invalid_value", "false"},
		"proxy without a scheme":   {`proxy = "proxy.example.com:3128"`, "invalid_url", ""},
		"health elsewhere":         {`health = "//evil.example"`, "invalid_value", ""},
		"health climbs":            {`health = "/../status"`, "invalid_value", ""},
		"relative token url":       {"oauth2_client_credentials {\ntoken_url = \"/token\"\nclient_id = \"a\"\nclient_secret = \"b\"\n}", "invalid_url", `"/token"`},
		"no certificate":           {`ca_file = "x.pem"`, "no_such_file", `"x.pem"`},
		"waits":                    {"retry {\nmin_wait = \"5s\"\n}", "invalid_value", `"5s"`},
		"no redirects of the kind": {`redirects = "all"`, "invalid_value", `"all"`},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(c.block, "base_url") {
				c.block = "base_url = \"https://api.example.com\"\n" + c.block
			}
			d, at := only(t, "connection \"http\" \"api\" {\n"+c.block+"\n}\nresource \"r\" {\n uri = \"t://r\"\n text = \"x\"\n}\n")
			if d.Code != c.code || c.at != "" && at != c.at {
				t.Errorf("%s at %q: %s\n%s", d.Code, at, d, d.Detail)
			}
		})
	}
}

func TestSourceDiagnostics(t *testing.T) {
	for name, c := range map[string]struct{ body, code, at, detail string }{
		"C2 absolute":           {`url = "https://{id}.example.com/"`, "absolute_url", "", "Write the path only"},
		"C2 variable scheme":    {`url = "{id}://example.com/"`, "absolute_url", "", ""},
		"C2 variable host":      {`url = "//{id}/x"`, "absolute_url", "", ""},
		"C2 variable user":      {`url = "https://{id}@example.com/"`, "absolute_url", "", ""},
		"C2 variable port":      {`url = "https://example.com:{id}/"`, "absolute_url", "", ""},
		"pasted":                {`url = "/x/${param.id}"`, "pasted_value", "", "{id}"},
		"unknown parameter":     {`url = "/x/{idd}{id}"`, "unknown_parameter", "idd", "Did you mean id?"},
		"fragment":              {`url = "/x#{id}"`, "fragment_in_url", "#", "%23"},
		"fragment expression":   {`url = "/x{#id}"`, "fragment_in_url", "{#id}", ""},
		"reserved in the query": {`url = "/x?q={+id}"`, "reserved_in_query", "{+id}", "{id}"},
		"second query":          {`url = "/x?q=1{?id}"`, "second_query", "{?id}", "{&id}"},
		"dot segment":           {`url = "/../{id}"`, "dot_segment", "", ""},
		"encoded dot segment":   {`url = "/%2e%2e/{id}"`, "dot_segment", "", ""},
		"two bodies":            {"url = \"/{id}\"\nmethod = \"POST\"\nbody = \"x\"\njson_body = {}", "two_bodies", "json_body", ""},
		"body of a GET":         {"url = \"/{id}\"\nbody = \"x\"", "body_without_post", "body", "POST"},
		"body is an object":     {"url = \"/{id}\"\nmethod = \"POST\"\nbody = { a = 1 }", "wrong_type", "{ a = 1 }", "json_body"},
		"header is a list":      {"url = \"/{id}\"\nheaders = { X-A = [1] }", "wrong_type", "[1]", "jsonencode"},
		"header with a break":   {"url = \"/{id}\"\nheaders = { X-A = \"a\\nb\" }", "invalid_header_value", "", ""},
		"header name":           {"url = \"/{id}\"\nheaders = { \"X:A\" = \"a\" }", "invalid_header", "", ""},
		"managed header":        {"url = \"/{id}\"\nheaders = { Content-Length = \"1\" }", "managed_header", "", ""},
		"same header":           {"url = \"/{id}\"\nheaders = { X-A = \"1\", x-a = \"2\" }", "duplicate_name", "", ""},
		"items is text":         {"url = \"/{id}\"\nitems = \"x\"", "wrong_type", `"x"`, "list"},
		"items shows a secret":  {"url = \"/{id}\"\nitems = [env(\"T\")]", "secret_shown", "", ""},
		"each without uri":      {"url = \"/{id}\"\nrows = \"each\"", "missing_item_uri", `"each"`, ""},
		"uri without each":      {"url = \"/{id}\"\nitem_uri = \"x\"", "item_uri_without_each", "item_uri", ""},
		"uri is a number":       {"url = \"/{id}\"\nrows = \"each\"\nitem_uri = 5", "wrong_type", "5", ""},
		"status":                {"url = \"/{id}\"\nnot_found = [200]", "invalid_value", "[200]", ""},
		"head without content":  {"url = \"/{id}\"\nmethod = \"HEAD\"", "head_without_content", `"HEAD"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d, at := only(t, "connection \"http\" \"api\" {\n base_url = \"https://api.example.com\"\n}\nresource \"r\" {\n uri = \"t://r/{id}\"\n source \"http\" {\n connection = connection.http.api\n"+c.body+"\n }\n}\n")
			if d.Code != c.code || c.at != "" && at != c.at || !strings.Contains(d.Detail, c.detail) {
				t.Errorf("%s at %q: %s\n%s", d.Code, at, d, d.Detail)
			}
		})
	}
}

// What looks like a mistake and is none.
func TestValidDeclarations(t *testing.T) {
	for _, body := range []string{
		`url = "/proxy?target=https://example.com/{id}"`, `url = "{id}"`, `url = "/a//b/{id}"`, `url = "/x:y/{id}"`, `url = "/...{id}"`, `url = "?id={id}"`,
		"url = \"/{id}\"\nheaders = { X-A = null }", "url = \"/{id}\"\nnot_found = []", "url = \"/{id}?token=${env(\"T\")}\"",
	} {
		_, diags := load(t, t.TempDir(), "connection \"http\" \"api\" {\n base_url = \"https://api.example.com\"\n bearer = null\n allow_private = null\n}\nresource \"r\" {\n uri = \"t://r/{id}\"\n source \"http\" {\n connection = connection.http.api\n"+body+"\n }\n}\n", map[string]string{"T": "t"})
		for _, d := range diags {
			t.Errorf("%s: %s %s\n%s", body, d.Code, d, d.Detail)
		}
	}
}
