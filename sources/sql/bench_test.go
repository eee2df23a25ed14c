package sql

import (
	"bytes"
	"context"
	stdsql "database/sql"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The benchmarks run each read beside one that a careful programmer would
// write by hand with database/sql and encoding/json.

type benchRow struct {
	ID    int64   `json:"id"`
	Name  string  `json:"name"`
	Email string  `json:"email"`
	Price float64 `json:"price"`
	Note  *string `json:"note"`
}

const benchTable = `CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, email TEXT, price REAL, note TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
INSERT INTO t SELECT i, 'Customer ' || i, 'customer' || i || '@example.com', i * 1.25, CASE WHEN i % 3 = 0 THEN 'a "note" of ' || i END FROM n`

const benchConfig = `
connection "sqlite" "db" { 
  path = "test.db"
  max_rows = 100000
}
resource "one" {
  uri = "t://one/{id}"
  param "id" { type = integer }
  source "sql" {
    connection = connection.sqlite.db
    query      = "SELECT id, name, email, price, note FROM t WHERE id = :id"
    rows       = "one"
  }
}
resource "all" {
  uri = "t://all"
  source "sql" {
    connection = connection.sqlite.db
    query      = "SELECT id, name, email, price, note FROM t"
  }
}
`

// benchPair runs both reads by turns, so that whatever else the machine does
// hits both, and reports the medians and their ratio.
func benchPair(b *testing.B, f *fixture, name string, query handQuery, one bool, params ...any) {
	src, req := f.sources[name], f.request(name, params...)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var ours, hand []time.Duration
	for b.Loop() {
		t0 := time.Now()
		if _, err := src.Read(ctx, req); err != nil {
			b.Fatal(err)
		}
		t1 := time.Now()
		if _, err := readByHand(ctx, query, one); err != nil {
			b.Fatal(err)
		}
		ours, hand = append(ours, t1.Sub(t0)), append(hand, time.Since(t1))
	}
	o, h := median(ours), median(hand)
	b.ReportMetric(float64(o.Nanoseconds()), "ours-ns")
	b.ReportMetric(float64(h.Nanoseconds()), "byhand-ns")
	b.ReportMetric(float64(o)/float64(h), "ratio")
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// handRows are the rows of a query by hand: those of database/sql or of pgx.
type handRows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
}

type handQuery func(ctx context.Context) (rows handRows, done func(), err error)

// prepared is a query by hand through a prepared statement.
func preparedByHand(b testing.TB, db *stdsql.DB, query string, args ...any) handQuery {
	stmt, err := db.Prepare(query)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { stmt.Close() })
	return func(ctx context.Context) (handRows, func(), error) {
		rows, err := stmt.QueryContext(ctx, args...)
		if err != nil {
			return nil, nil, err
		}
		return rows, func() { rows.Close() }, nil
	}
}

// readByHand reads into structs and encodes them with encoding/json.
func readByHand(ctx context.Context, query handQuery, one bool) ([]byte, error) {
	rows, done, err := query(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	list := []benchRow{}
	for rows.Next() {
		var r benchRow
		if err := rows.Scan(&r.ID, &r.Name, &r.Email, &r.Price, &r.Note); err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if one {
		err = enc.Encode(list[0])
	} else {
		err = enc.Encode(list)
	}
	return bytes.TrimRight(buf.Bytes(), "\n"), err
}

func BenchmarkSQLite(b *testing.B) {
	dir, name := sqliteFile(b, benchTable)
	f := open(b, dir, benchConfig)
	db, err := stdsql.Open("sqlite3", "file:"+filepath.ToSlash(name)+"?mode=ro")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	b.Run("one", func(b *testing.B) {
		benchPair(b, f, "one", preparedByHand(b, db, "SELECT id, name, email, price, note FROM t WHERE id = ?", int64(5000)), true, int64(5000))
	})
	b.Run("all", func(b *testing.B) {
		benchPair(b, f, "all", preparedByHand(b, db, "SELECT id, name, email, price, note FROM t"), false)
	})
}

// TestSameAsByHand keeps the benchmarks honest: both sides give the same bytes.
func TestSameAsByHand(t *testing.T) {
	dir, name := sqliteFile(t, benchTable)
	f := open(t, dir, benchConfig)
	db, err := stdsql.Open("sqlite3", name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for resource, query := range map[string]string{
		"one": "SELECT id, name, email, price, note FROM t WHERE id = 300",
		"all": "SELECT id, name, email, price, note FROM t",
	} {
		want, err := readByHand(t.Context(), preparedByHand(t, db, query), resource == "one")
		if err != nil {
			t.Fatal(err)
		}
		var params []any
		if strings.HasPrefix(resource, "one") {
			params = []any{int64(300)}
		}
		if got := f.text(resource, params...); got != string(want) {
			t.Errorf("%s: %d bytes differ from %d bytes", resource, len(got), len(want))
		}
	}
}
