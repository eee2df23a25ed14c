package http

import (
	"encoding/json"
	"errors"
	"fmt"
	nethttp "net/http"
	"strings"
	"testing"

	"github.com/mcpdecl/mcpdecl/sources"
)

const issues = `{"total": 3, "issues": [
  {"number": 12, "title": "first", "labels": [], "user": {"login": "ada", "id": 1.0}},
  {"title": "second \u00fc <b>", "number": 7, "labels": ["x"], "user": {"id": 2, "login": "bob"}},
  {"number": 3, "title": "third", "labels": [], "user": {"login": "ada", "id": 1.0}}
]}`

func TestItems(t *testing.T) {
	server := reply(t, 200, "application/json", issues)
	for name, c := range map[string]struct{ source, want string }{
		"as sent": {"items = body.issues",
			`[{"number": 12, "title": "first", "labels": [], "user": {"login": "ada", "id": 1.0}},{"title": "second \u00fc <b>", "number": 7, "labels": ["x"], "user": {"id": 2, "login": "bob"}},{"number": 3, "title": "third", "labels": [], "user": {"login": "ada", "id": 1.0}}]`},
		"filtered": {"items = [for i in body.issues : i if i.number < 10]",
			`[{"title": "second \u00fc <b>", "number": 7, "labels": ["x"], "user": {"id": 2, "login": "bob"}},{"number": 3, "title": "third", "labels": [], "user": {"login": "ada", "id": 1.0}}]`},
		"reversed": {"items = [for n in [2, 1, 0] : body.issues[n].user]", `[{"login": "ada", "id": 1.0},{"id": 2, "login": "bob"},{"login": "ada", "id": 1.0}]`},
		"changed":  {"items = [for i in body.issues : merge(i, { title = \"x\" }) if i.number == 12]", `[{"number":12,"title":"x","labels":[],"user":{"login": "ada", "id": 1.0}}]`},
		"computed": {"items = [for i in body.issues : { t = i.title, id = i.user.id }]", `[{"id":1.0,"t":"first"},{"id":2,"t":"second ü <b>"},{"id":1.0,"t":"third"}]`},
		"scalars":  {"items = [body.total, \"a\", true, null, body.issues[0].user.id]", `[3,"a",true,null,1.0]`},
		"one":      {"items = [body.issues[1]]\nrows = \"one\"", `{"title": "second \u00fc <b>", "number": 7, "labels": ["x"], "user": {"id": 2, "login": "bob"}}`},
		"object":   {"items = body.issues[0].user\nrows = \"one\"", `{"login": "ada", "id": 1.0}`},
		"empty":    {"items = body.issues[0].labels\nallow_empty = true", `[]`},
		"null":     {"items = null\nallow_empty = true\nrows = \"one\"", `null`},
	} {
		f := open(t, server, one("", "url = \"/x\"\n"+c.source))
		if got := f.content("r"); string(got.Data) != c.want || got.MIMEType != "application/json" {
			t.Errorf("%s: got  %s\nwant %s", name, got.Data, c.want)
		}
	}
	for _, source := range []string{"items = body.issues[0].labels", "items = null", "items = []\nrows = \"one\""} {
		if _, err := open(t, server, one("", "url = \"/x\"\n"+source)).read("r"); !errors.Is(err, sources.ErrNotFound) {
			t.Errorf("%s: %v", source, err)
		}
	}
	var bad *BodyError
	if _, err := open(t, server, one("", "url = \"/x\"\nitems = body.issues\nrows = \"one\"")).read("r"); !errors.As(err, &bad) {
		t.Errorf("a second item: %v", err)
	}
}

func TestItemsEach(t *testing.T) {
	f := open(t, reply(t, 200, "application/json", issues), one("", "url = \"/x\"\nitems = body.issues\nrows = \"each\"\nitem_uri = \"t://issues/${item.number}?id=${item.user.id}&n=${body.total}\""))
	res, err := f.read("r")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range res.Contents {
		got = append(got, c.URI)
	}
	if want := "t://issues/12?id=1.0&n=3 t://issues/7?id=2&n=3 t://issues/3?id=1.0&n=3"; strings.Join(got, " ") != want {
		t.Errorf("got %v", got)
	}
	if string(res.Contents[0].Data) != `{"number": 12, "title": "first", "labels": [], "user": {"login": "ada", "id": 1.0}}` {
		t.Errorf("got %s", res.Contents[0].Data)
	}
	// Without items, the body is the list.
	f = open(t, reply(t, 200, "application/json", `[{"id":1},{"id":2}]`), one("", "url = \"/x\"\nrows = \"each\"\nitem_uri = \"t://${item.id}\""))
	if res, err := f.read("r"); err != nil || len(res.Contents) != 2 || res.Contents[1].URI != "t://2" {
		t.Errorf("got %v, %v", res, err)
	}
}

// Many objects, some computed: the search for their text stays quick.
func TestManyItems(t *testing.T) {
	var b strings.Builder
	b.WriteString("[")
	for i := range 20000 {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `{"z":%d,"a":"x"}`, i)
	}
	b.WriteString("]")
	server := reply(t, 200, "application/json", b.String())
	if got := open(t, server, one("timeout = \"60s\"", "url = \"/x\"\nitems = body")).text("r"); got != b.String() {
		t.Errorf("%d bytes differ", len(got))
	}
	got := open(t, server, one("timeout = \"60s\"", "url = \"/x\"\nitems = [for i in body : { z = i.z + 1, a = \"y\" }]")).text("r")
	if !strings.HasPrefix(got, `[{"z":1,"a":"y"},{"z":2,`) {
		t.Errorf("got %s", got[:60])
	}
}

func TestScope(t *testing.T) {
	server := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Count", "3")
		w.Header().Set("Set-Cookie", "session=1")
		w.WriteHeader(203)
		_, _ = w.Write([]byte(issues))
	})
	f := open(t, server, strings.Replace(one("", "url = \"/x\"\nitems = body.issues\nrows = \"each\"\nitem_uri = \"t://${item.number}\""),
		"uri = \"t://r\"", "uri = \"t://r\"\njson = { i = items, s = status, h = header.x-count }", 1))
	res, err := f.read("r")
	if err != nil {
		t.Fatal(err)
	}
	header := res.Scope["header"].AsValueMap()
	if header["x-count"].AsString() != "3" || header["X-Count"].AsString() != "3" || res.Scope["items"].LengthInt() != 3 {
		t.Errorf("got %#v", res.Scope)
	}
	if _, ok := header["Set-Cookie"]; ok {
		t.Error("a cookie is offered to expressions")
	}
	if n, _ := res.Scope["status"].AsBigFloat().Int64(); n != 203 || strings.Join(res.ItemURIs, " ") != "t://12 t://7 t://3" {
		t.Errorf("%d %v", n, res.ItemURIs)
	}
	// An answer to HEAD has no body, and is there.
	f = open(t, server, strings.Replace(one("", "url = \"/x\"\nmethod = \"HEAD\""), "uri = \"t://r\"", "uri = \"t://r\"\ntext = header.x-count", 1))
	if res, err = f.read("r"); err != nil || !res.Scope["body"].IsNull() {
		t.Errorf("HEAD: %v", err)
	}
	// Text is a string for a text template.
	f = open(t, reply(t, 200, "text/markdown", "# {}"), strings.Replace(one("", "url = \"/x\""), "uri = \"t://r\"", "uri = \"t://r\"\ntext = body", 1))
	if res, err = f.read("r"); err != nil || res.Scope["body"].AsString() != "# {}" {
		t.Errorf("text: %v", err)
	}
}

func TestNumbers(t *testing.T) {
	for digits, want := range map[string][2]string{ // as a number for json, as text
		"1":                        {"1", "1"},
		"1.10":                     {"1.10", `"1.10"`},
		"-0":                       {"-0", `"-0"`},
		"1E5":                      {"1E5", `"1E5"`},
		"420465847726953123":       {"420465847726953123", "420465847726953123"},
		"3.14159265358979323846":   {`"3.14159265358979323846"`, "3.14159265358979323846"},
		"0.000000000000000000001":  {"0.000000000000000000001", "0.000000000000000000001"},
		"1e999999999":              {`"1e999999999"`, `"1e999999999"`},
		"1e-999999999999999999999": {`"1e-999999999999999999999"`, `"1e-999999999999999999999"`},
	} {
		for i, n := range []numbers{exactNumbers, textNumbers} {
			v, _, err := parseJSON([]byte(digits), n, false)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := appendValue(nil, v, nil); string(got) != want[i] || err != nil {
				t.Errorf("%s: got %s, want %s", digits, got, want[i])
			}
		}
	}
}

// FuzzJSON: the reader of bodies takes exactly what encoding/json takes, and
// writes it back as it was.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{issues, `[1,-0.5e3,"\u00e9\ud800",{"a":{},"b":[],"a":null}]`, " \n{} ", `"\\\""`, "[[[", "{\"a\":1e99999}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, doc, err := parseJSON([]byte(s), exactNumbers, true)
		if err != nil {
			return
		}
		out, err := appendValue(nil, v, nil)
		if err != nil || !json.Valid(out) {
			t.Fatalf("%q is written as %q: %v", s, out, err)
		}
		if v.Type().IsObjectType() && !v.IsNull() {
			raw, err := appendValue(nil, v, doc)
			if err != nil || string(raw) != strings.Trim(strings.TrimPrefix(s, "\ufeff"), " \t\r\n") {
				t.Fatalf("%q is written as %q: %v", s, raw, err)
			}
		}
	})
}
