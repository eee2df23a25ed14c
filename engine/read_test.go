package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/zclconf/go-cty/cty"
)

// fake is a kind whose sources answer what a test says.
type fake struct {
	read    func(req *sources.Request) (*sources.Result, error)
	opened  int
	connErr error
}

func (f *fake) Read(_ context.Context, req *sources.Request) (*sources.Result, error) {
	return f.read(req)
}

func (f *fake) Explain(req *sources.Request) (*sources.Plan, error) {
	return &sources.Plan{Kind: "fake", Statement: "READ"}, nil
}

func (f *fake) Close() error { f.opened--; return nil }

func (f *fake) kind() sources.Kind {
	spec := &decl.BlockSpec{Type: "fake"}
	return sources.Kind{
		Name: "fake",
		Connections: []decl.ConnectionKind{{
			Spec: &decl.BlockSpec{Type: "fakedb"}, Decode: func(*decl.Block) any { return nil },
		}},
		Source: decl.SourceKind{Spec: spec, Decode: func(b *decl.Block, in *decl.SourceContext) *decl.Source {
			s := &decl.Source{SaysTTL: true, Scope: map[string]cty.Type{"row": cty.DynamicPseudoType}}
			for i := range in.Params {
				s.Uses = append(s.Uses, i)
			}
			return s
		}},
		Connect: func(sources.Host, *decl.Connection) (sources.Connection, error) {
			if f.connErr != nil {
				return nil, f.connErr
			}
			f.opened++
			return f, nil
		},
		New: func(sources.Host, sources.Connection, *decl.Source) (sources.Source, error) { return f, nil },
	}
}

func (f *fake) engine(t testing.TB, config string) (*Engine, error) {
	t.Helper()
	return f.engineOf(t, config, f.kind())
}

func (f *fake) engineOf(t testing.TB, config string, k sources.Kind) (*Engine, error) {
	t.Helper()
	c, diags := decl.Load([]string{"main.hcl"}, decl.Options{
		ReadFile:  func(string) ([]byte, error) { return []byte(config), nil },
		Stat:      func(string) (fs.FileInfo, error) { return fileInfo{}, nil },
		LookupEnv: func(string) (string, bool) { return "", false },
		Kinds:     decl.Kinds{Connections: k.Connections, Sources: []decl.SourceKind{k.Source}},
	})
	if diags.HasErrors() {
		t.Fatal(diags[0], diags[0].Detail)
	}
	return New(c, []sources.Kind{k}, sources.Host{Log: slog.New(slog.DiscardHandler), Now: time.Now})
}

func (f *fake) mustEngine(t testing.TB, config string) *Engine {
	t.Helper()
	e, err := f.engine(t, config)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// fileInfo is that of a regular file.
type fileInfo struct{ fs.FileInfo }

func (fileInfo) IsDir() bool { return false }

func answer(c ...sources.Content) func(*sources.Request) (*sources.Result, error) {
	return func(*sources.Request) (*sources.Result, error) { return &sources.Result{Contents: c}, nil }
}

func TestReadConvertsParameters(t *testing.T) {
	var got []any
	f := &fake{read: func(req *sources.Request) (*sources.Result, error) {
		got = req.Params
		return &sources.Result{Contents: []sources.Content{{Data: []byte("x")}}}, nil
	}}
	e := f.mustEngine(t, `
resource "r" {
  uri = "x://r/{s}{/path*}{?n,f,b,missing,ids*}"
  param "n" {
    type = integer
  }
  param "f" {
    type = number
  }
  param "b" {
    type = bool
  }
  param "missing" {
    default = "d"
  }
  param "ids" {
    type = list(integer)
  }
  source "fake" {}
}`)
	if _, err := e.Read(t.Context(), "x://r/a%20b/p/q%2Fr?n=-7&f=1.5e3&b=true&ids=1&ids=2"); err != nil {
		t.Fatal(err)
	}
	want := []any{"a b", []string{"p", "q/r"}, int64(-7), 1500.0, true, "d", []int64{1, 2}}
	if fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", want) {
		t.Errorf("params %#v, want %#v", got, want)
	}
	if _, err := e.Read(t.Context(), "x://r/a"); err != nil {
		t.Fatal(err)
	}
	if want = []any{"a", nil, nil, nil, nil, "d", nil}; fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", want) {
		t.Errorf("params %#v, want %#v", got, want)
	}
}

func TestReadRefusesValues(t *testing.T) {
	f := &fake{read: answer(sources.Content{Data: []byte("x")})}
	e := f.mustEngine(t, `
resource "r" {
  uri = "x://r{?n,f,b,e,p,d,dt,u,m,l,v,ids*}"
  param "n" {
    type    = integer
    minimum = 1
    maximum = 9007199254740992
  }
  param "f" {
    type = number
  }
  param "b" {
    type = bool
  }
  param "e" {
    enum = ["x", "y"]
  }
  param "p" {
    pattern = "^[a-z]+$"
  }
  param "d" {
    format = "date"
  }
  param "dt" {
    format = "date-time"
  }
  param "u" {
    format = "uuid"
  }
  param "m" {
    format = "email"
  }
  param "l" {
    min_length = 2
    max_length = 3
  }
  param "v" {
    validation {
      condition     = substr(param.v, 0, 1) == "x"
      error_message = "v must begin with x, not ${param.v}"
    }
  }
  param "ids" {
    type       = list(integer)
    max_length = 2
  }
  source "fake" {}
}`)
	for query, want := range map[string]string{
		"n=1": "", "n=9007199254740992": "", "n=0": "minimum", "n=9007199254740993": "maximum", "n=1.0": "type", "n=+1": "type",
		"n=01": "", "n=0x10": "type", "n=99999999999999999999": "type", "n=": "type", "n=%31": "",
		"f=1e3": "", "f=-0.5": "", "f=0.1": "", "f=1.10": "", "f=0.0": "", "f=1e-400": "type", "f=9007199254740993": "type",
		"f=12345678901234567890.123456789": "type", "f=1e-99999999": "type", "f=123456789012345.25": "", "f=NaN": "type", "f=Infinity": "type", "f=1e999": "type", "f=.5": "type",
		"b=true": "", "b=false": "", "b=1": "type", "b=TRUE": "type",
		"e=x": "", "e=X": "enum", "p=abc": "", "p=a1": "pattern",
		"d=2026-02-28": "", "d=2026-02-30": "format", "dt=2026-01-02T03:04:05Z": "", "dt=2026-01-02": "format",
		"dt=2026-01-02t03:04:05.5%2B01:00": "", "dt=2026-01-02T03:04:05,5Z": "format", "dt=2026-01-02T3:04:05Z": "format",
		"u=123e4567-e89b-12d3-a456-426614174000": "", "u=123": "format", "m=a@b.example": "", "m=a": "format",
		"l=%C3%A9%C3%A9": "", "l=%C3%A9": "min_length", "l=abcd": "max_length", "v=xy": "", "v=y": "validation",
		"ids=1&ids=2": "", "ids=1&ids=x": "type", "ids=1&ids=2&ids=3": "max_length",
	} {
		_, err := e.Read(t.Context(), "x://r?"+query)
		var own *Error
		got := ""
		if errors.As(err, &own) {
			got, _ = own.Data["rule"].(string)
			if own.Code != CodeInvalidParams || own.Data["parameter"] != query[:strings.IndexByte(query, '=')] || own.NotFound {
				t.Errorf("%s: %+v", query, own)
			}
		}
		if got != want || (want == "") != (err == nil) {
			t.Errorf("%s: rule %q (%v), want %q", query, got, err, want)
		}
	}
	_, err := e.Read(t.Context(), "x://r?v=y")
	if err == nil || !strings.Contains(err.Error(), "v must begin with x, not y") {
		t.Errorf("validation: %v", err)
	}
	for query, want := range map[string]string{
		"n=99999999999999999999": "is not an integer of 64 bits", "n=x": "is not an integer",
		"f=0.1234567890123456789": "is not a number that a double carries exactly", "f=x": "is not a number",
	} {
		if _, err := e.Read(t.Context(), "x://r?"+query); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", query, err)
		}
	}
}

func TestReadErrors(t *testing.T) {
	f := &fake{}
	e := f.mustEngine(t, `
resource "r" {
  uri = "x://r/{id}"
  source "fake" {}
}`)
	for name, c := range map[string]struct {
		uri      string
		err      error
		code     int
		notFound bool
		message  string
	}{
		"no match":         {"x://q", nil, CodeInvalidParams, true, "Resource not found"},
		"no row":           {"x://r/1", fmt.Errorf("read: %w", sources.ErrNotFound), CodeInvalidParams, true, "Resource not found"},
		"refused":          {"x://r/..%2Fx", nil, CodeInvalidParams, false, "URI refused"},
		"dot segment":      {"x://r/../x", nil, CodeInvalidParams, false, "URI refused"},
		"template as sent": {"x://r/{id}", nil, CodeInvalidParams, false, "URI refused"},
		"backend":          {"x://r/1", errors.New("dial tcp 10.0.0.1: user admin"), CodeInternal, false, "Internal error"},
	} {
		f.read = func(*sources.Request) (*sources.Result, error) { return nil, c.err }
		_, err := e.Read(t.Context(), c.uri)
		var own *Error
		if !errors.As(err, &own) || own.Code != c.code || own.NotFound != c.notFound || !strings.HasPrefix(own.Message, c.message) {
			t.Errorf("%s: %+v", name, err)
			continue
		}
		if own.Data["uri"] == nil || strings.Contains(fmt.Sprint(own.Message, own.Data), "admin") {
			t.Errorf("%s: %+v", name, own)
		}
	}
	f.read = func(*sources.Request) (*sources.Result, error) { return nil, nil }
	if _, err := e.Read(t.Context(), "x://r/1"); err == nil {
		t.Error("a source without a result is no error")
	}
}

func TestRender(t *testing.T) {
	row := map[string]cty.Value{"row": cty.ObjectVal(map[string]cty.Value{
		"n": cty.NumberIntVal(1), "s": cty.StringVal("<a> & \u2028"), "none": cty.NullVal(cty.String),
	})}
	for name, c := range map[string]struct {
		body string
		res  sources.Result
		want []Content
	}{
		"own rendering": {"", sources.Result{Contents: []sources.Content{{MIMEType: "application/json", Data: []byte("[]")}}},
			[]Content{{URI: "x://r", MIMEType: "application/json", Data: []byte("[]")}}},
		"own type wins": {`mime_type = "text/csv"`, sources.Result{Contents: []sources.Content{{MIMEType: "text/plain", Data: []byte("a")}}},
			[]Content{{URI: "x://r", MIMEType: "text/csv", Data: []byte("a")}}},
		"bytes are a blob": {"", sources.Result{Contents: []sources.Content{{URI: "x://i", MIMEType: "image/png", Data: []byte("\x89P\xff")}}},
			[]Content{{URI: "x://i", MIMEType: "image/png", Data: []byte("\x89P\xff"), Binary: true}}},
		"empty": {"", sources.Result{Contents: []sources.Content{{MIMEType: "text/plain"}}}, []Content{{URI: "x://r", MIMEType: "text/plain"}}},
		"cut": {"", sources.Result{Contents: []sources.Content{{MIMEType: "text/csv", Data: []byte("a")}}, Truncated: "only the first row"},
			[]Content{{URI: "x://r", MIMEType: "text/csv", Data: []byte("a"), Meta: map[string]any{"mcpdecl/truncated": true}},
				{URI: "x://r", MIMEType: "text/plain", Data: []byte("only the first row")}}},
		"text": {`text = "n is ${row.n}: ${row.s}"`, sources.Result{Scope: row},
			[]Content{{URI: "x://r", MIMEType: "text/plain", Data: []byte("n is 1: <a> & \u2028")}}},
		"number as text": {`text = row.n`, sources.Result{Scope: row}, []Content{{URI: "x://r", MIMEType: "text/plain", Data: []byte("1")}}},
		"json": {`json = { b = row.s, a = [row.n, row.none, true], u = uri }`, sources.Result{Scope: row},
			[]Content{{URI: "x://r", MIMEType: "application/json", Data: []byte(`{"a":[1,null,true],"b":"<a> & \u2028","u":"x://r"}`)}}},
		"blob": {`blob = "iVD/"`, sources.Result{Scope: row},
			[]Content{{URI: "x://r", MIMEType: "application/octet-stream", Data: []byte("\x89P\xff"), Binary: true}}},
	} {
		f := &fake{read: func(*sources.Request) (*sources.Result, error) { r := c.res; return &r, nil }}
		e := f.mustEngine(t, "resource \"r\" {\n uri = \"x://r\"\n "+c.body+"\n source \"fake\" {}\n}")
		res, err := e.Read(t.Context(), "x://r")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, want := fmt.Sprintf("%+v", res.Contents), fmt.Sprintf("%+v", c.want); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// TestRenderItems evaluates the body of a resource for each row on its own.
func TestRenderItems(t *testing.T) {
	res := &sources.Result{
		Scope:    map[string]cty.Value{"rows": cty.TupleVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"n": cty.NumberIntVal(1)}), cty.ObjectVal(map[string]cty.Value{"n": cty.NumberIntVal(2)})})},
		ItemURIs: []string{"x://1", "x://2"},
	}
	f := &fake{read: func(*sources.Request) (*sources.Result, error) { return res, nil }}
	e := f.mustEngine(t, "resource \"r\" {\n uri = \"x://r\"\n text = \"n ${row.n}\"\n source \"fake\" {}\n}")
	got, err := e.Read(t.Context(), "x://r")
	if err != nil || fmt.Sprint(got.Contents) != fmt.Sprint([]Content{
		{URI: "x://1", MIMEType: "text/plain", Data: []byte("n 1")}, {URI: "x://2", MIMEType: "text/plain", Data: []byte("n 2")}}) {
		t.Errorf("%v, %v", got, err)
	}
	res.Scope, res.ItemURIs = map[string]cty.Value{"rows": cty.EmptyTupleVal}, []string{}
	var own *Error
	if _, err := e.Read(t.Context(), "x://r"); !errors.As(err, &own) || !own.NotFound {
		t.Errorf("no rows: %v", err)
	}
}

func TestRenderFailsWithThePlace(t *testing.T) {
	row := map[string]cty.Value{"row": cty.ObjectVal(map[string]cty.Value{"none": cty.NullVal(cty.String), "x": cty.EmptyObjectVal})}
	for body, want := range map[string]string{
		`text = "Phone: ${row.none}"`: "main.hcl:3:",
		`text = row.none`:             "coalesce",
		`text = row.missing`:          "missing",
		`text = row.x`:                "not a string",
		`blob = "${row.x == row.x}!"`: "not base64",
	} {
		f := &fake{read: func(*sources.Request) (*sources.Result, error) { return &sources.Result{Scope: row}, nil }}
		e := f.mustEngine(t, "resource \"r\" {\n uri = \"x://r\"\n "+body+"\n source \"fake\" {}\n}")
		_, err := e.Read(t.Context(), "x://r")
		var own *Error
		if !errors.As(err, &own) || own.Code != CodeInternal || own.Message != "Internal error" || !strings.Contains(own.Error(), want) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestJSONNumbers holds the rule of docs/types.md for json expressions: a
// number that a double cannot carry exactly is a string of its digits.
func TestJSONNumbers(t *testing.T) {
	number := func(digits string) cty.Value {
		v, err := decl.NumberVal(digits)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	scope := map[string]cty.Value{"row": cty.ObjectVal(map[string]cty.Value{
		"big": number("9007199254740993"), "exact": number("9007199254740992"), "scale": number("10.00"), "tiny": number("1e-20"),
	})}
	for expr, want := range map[string]string{
		"row.big": `"9007199254740993"`, "row.exact": "9007199254740992", "row.scale": "10.00", "row.tiny": "1e-20",
		"row.scale * 2": "20", "1 / 3": "0.3333333333333333", "1.5": "1.5", "-0.25": "-0.25", "[row.scale, 1]": "[10.00,1]",
		"18446744073709551615": `"18446744073709551615"`, "1e30": `"1000000000000000000000000000000"`,
	} {
		f := &fake{read: func(*sources.Request) (*sources.Result, error) { return &sources.Result{Scope: scope}, nil }}
		e := f.mustEngine(t, "resource \"r\" {\n uri = \"x://r\"\n json = "+expr+"\n source \"fake\" {}\n}")
		res, err := e.Read(t.Context(), "x://r")
		if err != nil || string(res.Contents[0].Data) != want {
			t.Errorf("%s: %v %s, want %s", expr, err, res.Contents[0].Data, want)
		}
	}
}

func TestNewClosesWhatItOpened(t *testing.T) {
	f := &fake{}
	config := "connection \"fakedb\" \"a\" {}\nconnection \"fakedb\" \"b\" {}\nresource \"r\" {\n uri = \"x://r\"\n text = \"x\"\n}"
	e := f.mustEngine(t, config)
	if f.opened != 2 {
		t.Errorf("%d connections are open", f.opened)
	}
	if err := e.Close(); err != nil || f.opened != 0 {
		t.Errorf("%d connections are open after Close: %v", f.opened, err)
	}
	f.connErr = errors.New("no such driver")
	if _, err := f.engine(t, config); err == nil || !strings.Contains(err.Error(), "open connection fakedb.a: no such driver") {
		t.Errorf("New: %v", err)
	}
}

func TestLists(t *testing.T) {
	f := &fake{}
	e := f.mustEngine(t, `
server {
  name      = "s"
  page_size = 7
}
resource "b" {
  uri  = "x://b"
  text = "b"
  size = 1
}
resource "hidden" {
  uri    = "x://h"
  text   = "h"
  hidden = true
}
resource "t" {
  uri  = "x://t/{id}"
  text = param.id
}
resource "a" {
  uri  = "x://a"
  text = "a"
}`)
	if got := fmt.Sprint(e.Info().Name, e.Info().PageSize); got != "s7" {
		t.Errorf("info %s", got)
	}
	var names []string
	page, err := e.List(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range append(page.Resources, e.Templates()...) {
		names = append(names, l.Name+"="+l.URI+l.URITemplate)
	}
	if got := strings.Join(names, " "); got != "b=x://b a=x://a t=x://t/{id}" {
		t.Errorf("listed %s", got)
	}
	if _, err := e.Read(t.Context(), "x://h"); err != nil {
		t.Errorf("a hidden resource cannot be read: %v", err)
	}
}

// BenchmarkRead is one read of a resource template without a backend: find,
// convert, source, render.
func BenchmarkRead(b *testing.B) {
	data := []byte(`{"id":1,"name":"Zoë Müller"}`)
	f := &fake{read: answer(sources.Content{MIMEType: typeJSON, Data: data})}
	e := f.mustEngine(b, `
resource "customer" {
  uri = "shop://customers/{id}"
  param "id" {
    type    = integer
    minimum = 1
  }
  source "fake" {}
}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Read(context.Background(), "shop://customers/4711"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReadText is a read whose text is a template over a row.
func BenchmarkReadText(b *testing.B) {
	row := map[string]cty.Value{"row": cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("Zoë"), "id": cty.NumberIntVal(1)})}
	f := &fake{read: func(*sources.Request) (*sources.Result, error) { return &sources.Result{Scope: row}, nil }}
	e := f.mustEngine(b, `
resource "customer" {
  uri  = "shop://customers/{id}"
  text = "# ${row.name}\n\nCustomer ${row.id} at ${uri}\n"
  source "fake" {}
}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Read(context.Background(), "shop://customers/4711"); err != nil {
			b.Fatal(err)
		}
	}
}

func TestIsURI(t *testing.T) {
	for s, want := range map[string]bool{
		"shop://orders/1": true, "urn:isbn:1": true, "a+b.c-1:x": true, "x://caf\u00e9": true, "": false, "1e2": false, "no scheme 1": false,
		"x://a b": false, "x://a\n": false, "1x://a": false, "://a": false, "x://{id}": false,
	} {
		if isURI(s) != want {
			t.Errorf("isURI(%q) = %t", s, !want)
		}
	}
}
