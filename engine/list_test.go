package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/zclconf/go-cty/cty"
)

func rowsResult(rows ...map[string]cty.Value) *sources.Result {
	var out []cty.Value
	for _, r := range rows {
		out = append(out, cty.ObjectVal(r))
	}
	return &sources.Result{Scope: map[string]cty.Value{"rows": cty.TupleVal(out)}}
}

const listConfig = `
server {
  page_size = 3
}
resource "a" {
  uri  = "x://a"
  text = "a"
}
resource "b" {
  uri  = "x://b"
  text = "b"
}
resource "customer" {
  uri         = "x://customers/{id}"
  title       = "Customer"
  description = "One customer."
  param "id" {
    type    = integer
    minimum = 1
  }
  source "fake" {}
  list {
    source "fake" {}
    name  = "c${row.id}"
    title = row.name
  }
}
resource "order" {
  uri = "x://orders/{number}"
  source "fake" {}
  list {
    source "fake" {}
    params = { number = "n${row.id}" }
  }
}
`

func listedURIs(t *testing.T, e *Engine) string {
	t.Helper()
	var uris []string
	for cursor, n := "", 0; n < 100; n++ {
		p, err := e.List(t.Context(), cursor)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Resources) > e.info.PageSize {
			t.Errorf("a page of %d", len(p.Resources))
		}
		for _, l := range p.Resources {
			uris = append(uris, strings.TrimPrefix(l.URI, "x://"))
		}
		if cursor = p.Next; cursor == "" {
			return strings.Join(uris, " ")
		}
	}
	t.Fatal("the pages do not end")
	return ""
}

func TestListOfRows(t *testing.T) {
	var rows []map[string]cty.Value
	for i := range 5 {
		rows = append(rows, map[string]cty.Value{"id": cty.NumberIntVal(int64(i)), "name": cty.StringVal(fmt.Sprint("N", i))})
	}
	f := &fake{read: func(req *sources.Request) (*sources.Result, error) {
		if req.Need != sources.JSONValues || req.Params != nil {
			t.Errorf("request %+v", req)
		}
		return rowsResult(rows...), nil
	}}
	e := f.mustEngine(t, listConfig)
	// Customer 0 breaks the minimum: it cannot be read and is not listed.
	want := "a b customers/1 customers/2 customers/3 customers/4 orders/n0 orders/n1 orders/n2 orders/n3 orders/n4"
	if got := listedURIs(t, e); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	p, err := e.List(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if l := p.Resources[2]; l.Name != "c1" || l.Title != "N1" || l.Description != "" || l.Size != -1 {
		t.Errorf("entry %+v", l)
	}
	// The row of the cursor goes: the next page begins at its place.
	rows = append(rows[:1], rows[2:]...)
	p, err = e.List(t.Context(), p.Next)
	if err != nil || p.Resources[0].URI != "x://customers/3" && p.Resources[0].URI != "x://customers/2" {
		t.Errorf("behind a row that is gone: %v %v", p, err)
	}
}

func TestListGoesOnWithoutAFailedSource(t *testing.T) {
	f := &fake{read: func(*sources.Request) (*sources.Result, error) { return nil, errors.New("down") }}
	e := f.mustEngine(t, listConfig)
	p, err := e.List(t.Context(), "")
	if err != nil || len(p.Resources) != 2 || fmt.Sprint(p.Incomplete) != "[customer order]" || p.Next != "" {
		t.Errorf("%+v %v", p, err)
	}
	f.read = func(*sources.Request) (*sources.Result, error) { return nil, sources.ErrNotFound }
	if p, err = e.List(t.Context(), ""); err != nil || len(p.Resources) != 2 || p.Incomplete != nil {
		t.Errorf("no rows: %+v %v", p, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.List(ctx, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestListLeavesOutWhatAnotherResourceAnswers(t *testing.T) {
	row := func(id string) map[string]cty.Value { return map[string]cty.Value{"id": cty.StringVal(id)} }
	f := &fake{read: func(*sources.Request) (*sources.Result, error) {
		return rowsResult(row("x"), row("about"), row("x"), row("a/b"), row(""), row(".."), map[string]cty.Value{"id": cty.NullVal(cty.String)}), nil
	}}
	e := f.mustEngine(t, `
resource "about" {
  uri    = "x://about"
  text   = "about"
  hidden = true
}
resource "page" {
  uri = "x://{id}"
  source "fake" {}
  list {
    source "fake" {}
  }
}`)
	if got := listedURIs(t, e); got != "x a%2Fb" {
		t.Errorf("got %s", got)
	}
}

// TestListAsksOn gives a source that finds its entries slowly.
func TestListAsksOn(t *testing.T) {
	f := &slowLister{}
	k := f.kind()
	k.New = func(sources.Host, sources.Connection, *decl.Source) (sources.Source, error) { return f, nil }
	f.k = &k
	e := f.mustEngine(t, `
resource "page" {
  uri = "x://{id}"
  source "fake" {}
  list {
    source "fake" {}
    title = row.title
  }
}`)
	e.info.PageSize = 3
	if got := listedURIs(t, e); got != "0 9 18 27 36 45" {
		t.Errorf("got %s", got)
	}
	if f.loads != 6 {
		t.Errorf("%d loads", f.loads)
	}
}

// slowLister finds an entry at every ninth step, and makes one step a call.
type slowLister struct {
	fake
	k     *sources.Kind
	loads int
}

func (s *slowLister) mustEngine(t *testing.T, config string) *Engine {
	t.Helper()
	e, err := s.engineOf(t, config, *s.k)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func (s *slowLister) List(_ context.Context, after string, _ int) ([]sources.ListEntry, string, error) {
	n := 0
	if after != "" {
		fmt.Sscan(after, &n)
	}
	next := fmt.Sprint(n + 1)
	if n == 50 {
		next = ""
	}
	if n%9 != 0 {
		return nil, next, nil
	}
	return []sources.ListEntry{{
		Name: fmt.Sprint(n), Size: -1, Params: map[string]any{"id": fmt.Sprint(n)},
		Scope: map[string]cty.Value{"row": cty.UnknownVal(cty.DynamicPseudoType)},
		Load: func(context.Context) (map[string]cty.Value, error) {
			s.loads++
			return map[string]cty.Value{"row": cty.ObjectVal(map[string]cty.Value{"title": cty.StringVal("T")})}, nil
		},
	}}, next, nil
}

func TestIncompleteListOnTheWire(t *testing.T) {
	b := &fakeBackend{resources: []Listed{{URI: "x://a", Name: "a", Size: -1}}, incomplete: []string{"customer"}}
	generations(t, b, ServerOptions{}, func(t *testing.T, w *wire) {
		var got struct {
			Meta      map[string]any `json:"_meta"`
			Resources []struct{ URI string }
		}
		w.call("resources/list", "").decode(t, &got)
		if fmt.Sprint(got.Meta["mcpdecl/incomplete"]) != "[customer]" || len(got.Resources) != 1 {
			t.Errorf("got %+v", got)
		}
	})
}
