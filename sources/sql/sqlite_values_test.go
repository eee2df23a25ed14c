package sql

import (
	"strings"
	"testing"
)

// Each test is named after a row of the list of faults that systems of this
// kind have shown.

func TestA1_IntegersBeyondADouble(t *testing.T) {
	got := queryText(t, "SELECT 9007199254740993 AS a, 9007199254740992 AS b, -9007199254740993 AS c, 1152921504606846976 AS d, 9223372036854775807 AS e", nil)
	want := `[{"a":"9007199254740993","b":9007199254740992,"c":"-9007199254740993","d":1152921504606846976,"e":"9223372036854775807"}]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestA3_InfiniteNumbers(t *testing.T) {
	got := queryText(t, "SELECT 9e999 AS a, -9e999 AS b, 1.5 AS c, 10.0 AS d, 1e-7 AS e, 1e21 AS f, 0.1 + 0.2 AS g", nil)
	want := `[{"a":"Infinity","b":"-Infinity","c":1.5,"d":10,"e":1e-07,"f":1e+21,"g":0.30000000000000004}]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestA7_NumbersStayNumbers(t *testing.T) {
	got := queryText(t, "SELECT b FROM t", nil, "CREATE TABLE t (b BOOLEAN)", "INSERT INTO t VALUES (2), (1), (0), ('true')")
	if want := `[{"b":2},{"b":1},{"b":0},{"b":"true"}]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestA8_JSONIsEmbeddedTextIsNot(t *testing.T) {
	got := queryText(t, "SELECT j, t FROM t", nil, "CREATE TABLE t (j JSON, t TEXT)",
		`INSERT INTO t VALUES ('{"id":9007199254740993, "v": 1.10}', '"x"'), ('not json', '{}'), (NULL, NULL), ('[1,
2]', 'a'), (CAST(x'22ff22' AS TEXT), 'b')`)
	want := `[{"j":{"id":9007199254740993, "v": 1.10},"t":"\"x\""},{"j":"not json","t":"{}"},{"j":null,"t":null},{"j":[1,2],"t":"a"},{"j":"data:application/octet-stream;base64,Iv8i","t":"b"}]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestA9_DatesByStoredClass(t *testing.T) {
	statements := []string{"CREATE TABLE t (d DATE, s TIMESTAMP, m DATETIME)",
		"INSERT INTO t VALUES ('2026-01-02', '2026-01-02 03:04:05Z', 1), ('not-a-date', 'x', 'y'), (1735787045, 1735787045123, 1.5)"}
	want := `[{"d":"2026-01-02","s":"2026-01-02 03:04:05Z","m":1},{"d":"not-a-date","s":"x","m":"y"},{"d":1735787045,"s":1735787045123,"m":1.5}]`
	dir, name := sqliteFile(t, statements...)
	f := open(t, dir, oneQuery("SELECT d, s, m FROM t"))
	for range 3 { // the first read, and reads of the kept statement
		if got := f.text("r"); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	// A change of the schema makes the driver look at the types anew.
	sqliteExec(t, name, "ALTER TABLE t ADD COLUMN x", "DROP TABLE t", "CREATE TABLE t (s TEXT, m BOOLEAN, d DATETIME)", "INSERT INTO t VALUES ('a', 7, '2026-01-02')")
	if got, want := f.text("r"), `[{"d":"2026-01-02","s":"a","m":7}]`; got != want {
		t.Errorf("after a change of the schema: got %s, want %s", got, want)
	}
}

func TestA10_Binary(t *testing.T) {
	dir, _ := sqliteFile(t, "CREATE TABLE t (id INTEGER, b BLOB, s TEXT)", "INSERT INTO t VALUES (1, x'89504e470d0a1a0a', '# T'), (2, NULL, ''), (3, x'', NULL)")
	f := open(t, dir, `
connection "sqlite" "db" { path = "test.db" }
resource "json" {
  uri = "t://json"
  source "sql" {
    connection = connection.sqlite.db
    query      = "SELECT b FROM t ORDER BY id"
  }
}
resource "png" {
  uri       = "t://png/{id}"
  mime_type = "image/png"
  source "sql" {
    connection = connection.sqlite.db
    query      = "SELECT b FROM t WHERE id = :id"
  }
}
resource "page" {
  uri       = "t://page/{id}"
  mime_type = "text/markdown"
  source "sql" {
    connection = connection.sqlite.db
    query      = "SELECT s FROM t WHERE id = :id"
    rows       = "one"
  }
}
`)
	if got, want := f.text("json"), `[{"b":"iVBORw0KGgo="},{"b":null},{"b":""}]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	res, err := f.read("png", "1")
	if err != nil || !res.Contents[0].Binary || string(res.Contents[0].Data) != "\x89PNG\r\n\x1a\n" {
		t.Errorf("png: %+v, %v", res, err)
	}
	if res, err = f.read("png", "3"); err != nil || !res.Contents[0].Binary || res.Contents[0].Data == nil || len(res.Contents[0].Data) != 0 {
		t.Errorf("empty png: %+v, %v", res, err)
	}
	if res, err = f.read("page", "1"); err != nil || res.Contents[0].Binary || string(res.Contents[0].Data) != "# T" {
		t.Errorf("page: %+v, %v", res, err)
	}
	if res, err = f.read("page", "2"); err != nil || res.Contents[0].Binary || len(res.Contents[0].Data) != 0 {
		t.Errorf("empty page: %+v, %v", res, err)
	}
	wantNotFound(t, f, "page", "3")
}

func TestA12_NullsAndEmptyTexts(t *testing.T) {
	got := queryText(t, "SELECT NULL AS a, '' AS b, x'' AS c", nil)
	if want := `[{"a":null,"b":"","c":""}]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestA13_TwoColumnsOfOneName(t *testing.T) {
	dir, _ := sqliteFile(t)
	_, err := open(t, dir, oneQuery("SELECT 1 AS id, 2 AS name, 3 AS id")).read("r")
	if err == nil || !strings.Contains(err.Error(), `"id"`) || strings.Contains(err.Error(), "name\"") {
		t.Errorf("error %v", err)
	}
}

func TestTextIsValidJSON(t *testing.T) {
	got := queryText(t, "SELECT char(0,1,8,9,10,12,13,31,34,92,127,8232,128512) || '<&>' AS a, CAST(x'ff61' AS TEXT) AS b, '\"' AS \"k\"\"ey\"", nil)
	want := `[{"a":"\u0000\u0001\b\t\n\f\r\u001f\"\\` + "\x7f\u2028\U0001F600" + `<&>","b":"data:application/octet-stream;base64,/2E=","k\"ey":"\""}]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	mustJSON(t, got)
}

func TestFormats(t *testing.T) {
	rows := []string{"CREATE TABLE t (a, b)", `INSERT INTO t VALUES (1, 'x,"y"'), (NULL, ''), (1.5, 'p|q
r')`}
	for format, want := range map[string]string{
		"ndjson":   `{"a":1,"b":"x,\"y\""}` + "\n" + `{"a":null,"b":""}` + "\n" + `{"a":1.5,"b":"p|q\nr"}` + "\n",
		"csv":      "a,b\n1,\"x,\"\"y\"\"\"\n,\"\"\n1.5,\"p|q\nr\"\n",
		"markdown": "| a | b |\n| --- | --- |\n| 1 | x,\"y\" |\n| null |  |\n| 1.5 | p\\|q<br>r |\n",
	} {
		if got := queryText(t, "SELECT a, b FROM t", []string{`format = "` + format + `"`}, rows...); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", format, got, want)
		}
	}
}
