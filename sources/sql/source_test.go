package sql

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/zclconf/go-cty/cty"
)

const shop = `
connection "sqlite" "db" { path = "test.db" }
resource "customer" {
  uri = "t://customer/{id}"
  param "id" { type = integer }
  source "sql" {
    connection = connection.sqlite.db
    query      = "SELECT id, name, price FROM t WHERE id = :id OR :id = 0 ORDER BY id"
    rows       = "one"
  }
}
resource "each" {
  uri = "t://each{?q}"
  source "sql" {
    connection = connection.sqlite.db
    query      = "SELECT id, name FROM t WHERE name LIKE :pattern OR :q IS NULL ORDER BY id"
    args       = { pattern = "%${coalesce(param.q, "")}%" }
    rows       = "each"
    item_uri   = "t://customer/${row.id}"
  }
}
resource "secret" {
  uri = "t://secret/{id}"
  source "sql" {
    connection = connection.sqlite.db
    query      = "SELECT :id AS id, :token AS token, :n AS n, :d AS d, :l IN (:list) AS found"
    args       = { token = env("SQL_TEST_TOKEN"), n = 1 + 1, d = 0.1, l = "b", list = ["a", "b"] }
  }
}
`

func openShop(t *testing.T) *fixture {
	t.Setenv("SQL_TEST_TOKEN", "hunter2hunter2")
	dir, _ := sqliteFile(t, "CREATE TABLE t (id INTEGER, name TEXT, price)", "INSERT INTO t VALUES (1, 'Ada', 1.5), (2, 'Bob', NULL)")
	return open(t, dir, shop)
}

func TestRowsOne(t *testing.T) {
	f := openShop(t)
	if got := f.text("customer", int64(1)); got != `{"id":1,"name":"Ada","price":1.5}` {
		t.Errorf("got %s", got)
	}
	wantNotFound(t, f, "customer", int64(9))
	if _, err := f.read("customer", int64(0)); !errors.Is(err, ErrSecondRow) {
		t.Errorf("got %v", err)
	}
}

func TestRowsEach(t *testing.T) {
	f := openShop(t)
	res, err := f.read("each", nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range res.Contents {
		got = append(got, c.URI+" "+c.MIMEType+" "+string(c.Data))
	}
	want := `t://customer/1 application/json {"id":1,"name":"Ada"}|t://customer/2 application/json {"id":2,"name":"Bob"}`
	if strings.Join(got, "|") != want {
		t.Errorf("got %v", got)
	}
	if res, err = f.read("each", "da"); err != nil || len(res.Contents) != 1 {
		t.Errorf("got %v, %v", res, err)
	}
	wantNotFound(t, f, "each", "x")
}

func TestScope(t *testing.T) {
	f := openShop(t)
	req := f.request("customer", int64(1))
	req.Need = sources.TextValues
	res, err := f.sources["customer"].Read(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	want := cty.ObjectVal(map[string]cty.Value{"id": cty.NumberIntVal(1), "name": cty.StringVal("Ada"), "price": cty.NumberFloatVal(1.5)})
	if !res.Scope["row"].RawEquals(want) && res.Scope["row"].Equals(want).False() {
		t.Errorf("row: %#v", res.Scope["row"])
	}
	if got := res.Scope["rows"].LengthInt(); got != 1 {
		t.Errorf("%d rows", got)
	}
	if got := strings.Join(res.Columns, " "); got != "id name price" {
		t.Errorf("columns %s", got)
	}
	req = f.request("each", nil)
	req.Need = sources.JSONValues
	if res, err = f.sources["each"].Read(context.Background(), req); err != nil || strings.Join(res.ItemURIs, " ") != "t://customer/1 t://customer/2" {
		t.Errorf("got %v, %v", res, err)
	}
}

func TestScopeOfJSONKeepsDigits(t *testing.T) {
	v, err := jsonValue(`{"a":[1.10,9007199254740993,null,true,{}],"b":"x"}`, true)
	if err != nil {
		t.Fatal(err)
	}
	digits, _ := decl.Digits(v.GetAttr("a").Index(cty.NumberIntVal(0)))
	big, _ := decl.Digits(v.GetAttr("a").Index(cty.NumberIntVal(1)))
	if digits != "1.10" || big != "9007199254740993" {
		t.Errorf("got %s, %s", digits, big)
	}
	if _, err := jsonValue(strings.Repeat("[", 1e6), true); err == nil {
		t.Errorf("a million levels were read")
	}
}

func TestExplain(t *testing.T) {
	f := openShop(t)
	plan, err := f.sources["secret"].Explain(f.request("secret", "x"))
	if err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(plan)
	want := `{"kind":"sql","connection":"sqlite.db","statement":"SELECT ?1 AS id, ?2 AS token, ?3 AS n, ?4 AS d, ?5 IN (?6, ?7) AS found",` +
		`"bound":[{"name":"id","value":"x"},{"name":"token","value":"(secret)"},{"name":"n","value":2},{"name":"d","value":0.1},{"name":"l","value":"b"},{"name":"list","value":"a"},{"name":"list","value":"b"}]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := f.text("secret", "x"); got != `[{"id":"x","token":"hunter2hunter2","n":2,"d":0.1,"found":1}]` {
		t.Errorf("got %s", got)
	}
}

func TestB5_BoundWithTheDeclaredType(t *testing.T) {
	dir, _ := sqliteFile(t)
	f := open(t, dir, `
connection "sqlite" "db" { path = "test.db" }
resource "r" {
  uri = "t://r/{i}/{n}/{b}/{s}"
  param "i" { type = integer }
  param "n" { type = number }
  param "b" { type = bool }
  source "sql" {
    connection = connection.sqlite.db
    query      = "SELECT typeof(:i) || typeof(:n) || typeof(:b) || typeof(:s) AS types, :i AS i, :n AS n, :b AS b, :s AS s"
  }
}
`)
	if got, want := f.text("r", int64(5), 1.5, true, "5"), `[{"types":"integerrealintegertext","i":5,"n":1.5,"b":1,"s":"5"}]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestConcurrentReads(t *testing.T) {
	f := openShop(t)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			for k := range 50 {
				id := int64(1 + (i+k)%2)
				want := map[int64]string{1: `{"id":1,"name":"Ada","price":1.5}`, 2: `{"id":2,"name":"Bob","price":null}`}[id]
				res, err := f.read("customer", id)
				if err != nil || string(res.Contents[0].Data) != want {
					t.Errorf("got %v, %v", res, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestPreparedStatementsAreBounded(t *testing.T) {
	f := openShop(t)
	src := f.sources["secret"].(*source)
	closed := 0
	c := stmts[string, int]{close: func(int) { closed++ }}
	for i := range maxStmts + 10 {
		c.put(fmt.Sprint(i), i)
		c.get("0")
	}
	if _, ok := c.get("0"); !ok || closed != 10 || len(c.byKey) != maxStmts {
		t.Errorf("%d closed, %d kept", closed, len(c.byKey))
	}
	for n := range 200 {
		src.expanded([]int{n, -1, -1, -1, -1, -1})
	}
	if len(src.texts) > 64 {
		t.Errorf("%d texts are kept", len(src.texts))
	}
}

func TestClosedConnection(t *testing.T) {
	dir, _ := sqliteFile(t)
	f := open(t, dir, oneQuery(endless, `timeout = "60s"`))
	failed := make(chan error)
	go func() {
		_, err := f.read("r")
		failed <- err
	}()
	for _, c := range f.conns {
		for c.(*connection).db.Stats().InUse == 0 {
			if len(failed) > 0 {
				break
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := <-failed; !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
	if _, err := f.read("r"); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}
