package sql

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/mcpdecl/mcpdecl/sources/sql/sqltest"
)

// backend is a kind of server in the tests of faults.
type backend struct {
	kind   string
	start  func(t testing.TB) *sqltest.Server
	config func(s *sqltest.Server, connection, query string) string
	rows   string // a query of 2000 rows of one text each
}

func backends() []backend {
	return []backend{
		{"postgres", sqltest.Postgres, func(s *sqltest.Server, connection, query string) string {
			return pgConfig(s, query, connection, "max_rows = 5000")
		}, "SELECT repeat('x', 100) AS s FROM generate_series(1, 2000)"},
		{"mysql", sqltest.MySQL, func(s *sqltest.Server, connection, query string) string {
			return myOne(s, query, connection, "max_rows = 5000")
		}, "SELECT REPEAT('x', 100) AS s FROM seq_1_to_2000"},
	}
}

// behind is the server as seen through a proxy.
func behind(s *sqltest.Server, p *sqltest.Proxy) *sqltest.Server {
	return &sqltest.Server{Host: p.Host, Port: p.Port, User: s.User, Password: s.Password, Database: s.Database}
}

// tally counts how reads ended.
type tally struct {
	tried, right, failed, wrong atomic.Int64
}

func (y *tally) read(t *testing.T, f *fixture, want string) {
	y.tried.Add(1)
	res, err := f.read("r")
	switch {
	case err != nil:
		y.failed.Add(1)
		if strings.Contains(err.Error(), "p@ss") {
			t.Errorf("the password is shown: %v", err)
		}
	case len(res.Contents) == 1 && string(res.Contents[0].Data) == want && res.Truncated == "":
		y.right.Add(1)
	default:
		y.wrong.Add(1)
		t.Errorf("wrong result: %.200s", res.Contents[0].Data)
	}
}

func (y *tally) String() string {
	return fmt.Sprintf("%d reads: %d right, %d failed clearly, %d wrong", y.tried.Load(), y.right.Load(), y.failed.Load(), y.wrong.Load())
}

// hammer reads from several goroutines until stop is closed.
func (y *tally) hammer(t *testing.T, f *fixture, want string, stop chan struct{}) *sync.WaitGroup {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					y.read(t, f, want)
				}
			}
		})
	}
	return &wg
}

func TestFaults_RestartedServer(t *testing.T) {
	for _, b := range backends() {
		t.Run(b.kind, func(t *testing.T) {
			s := b.start(t)
			f := open(t, t.TempDir(), b.config(s, "cooldown = \"50ms\"", b.rows))
			want := f.text("r")
			var y tally
			stop := make(chan struct{})
			wg := y.hammer(t, f, want, stop)
			for range 2 {
				eventually(t, "reads succeed", func() bool { return y.right.Load() > 0 })
				s.Stop()
				failed := y.failed.Load()
				eventually(t, "reads fail", func() bool { return y.failed.Load() > failed })
				y.right.Store(0)
				s.Start(t)
				eventually(t, "reads succeed again", func() bool { return y.right.Load() > 0 })
			}
			close(stop)
			wg.Wait()
			t.Log(&y)
			// With nobody reading meanwhile, a restart is not even noticed.
			s.Stop()
			s.Start(t)
			for range 20 {
				if _, err := f.read("r"); err != nil {
					t.Errorf("after a restart: %v", err)
				}
			}
		})
	}
}

func TestFaults_CutConnections(t *testing.T) {
	for _, b := range backends() {
		t.Run(b.kind, func(t *testing.T) {
			s := shared(t, b.kind)
			p := sqltest.NewProxy(t, s.Addr())
			f := open(t, t.TempDir(), b.config(behind(s, p), "cooldown = \"10ms\"", b.rows))
			want := f.text("r")
			var y tally
			for i := range 60 {
				p.CutAfter(int64(i * 4001))
				y.read(t, f, want)
				p.CutAfter(-1)
				if i%3 == 0 {
					p.Cut() // idle connections die unnoticed
				}
				// One that met the cut may have left the cooldown behind.
				eventually(t, "reads succeed again", func() bool { _, err := f.read("r"); return err == nil })
			}
			t.Log(&y)
			if y.wrong.Load() != 0 || y.failed.Load() == 0 {
				t.Errorf("%s", &y)
			}
			p.Cut()
			if _, err := f.read("r"); err != nil {
				t.Errorf("after idle connections died: %v", err)
			}
		})
	}
}

func TestFaults_HungServer(t *testing.T) {
	for _, b := range backends() {
		t.Run(b.kind, func(t *testing.T) {
			s := shared(t, b.kind)
			p := sqltest.NewProxy(t, s.Addr())
			f := open(t, t.TempDir(), b.config(behind(s, p), "cooldown = \"10ms\"\ntimeout = \"2s\"", "SELECT 1 AS a"))
			f.text("r")
			p.Hang(true)
			began := time.Now()
			_, err := f.read("r")
			var timeout *TimeoutError
			if !errors.As(err, &timeout) {
				t.Errorf("got %v", err)
			}
			if took := time.Since(began); took > 8*time.Second {
				t.Errorf("took %s", took)
			}
			p.Hang(false)
			p.Cut()
			eventually(t, "reads succeed again", func() bool { _, err := f.read("r"); return err == nil })
			p.Delay(time.Millisecond)
			if _, err := f.read("r"); err != nil {
				t.Errorf("slow network: %v", err)
			}
		})
	}
}

// TestB9_UnreachableDatabase has two databases, one of which comes up later.
func TestB9_UnreachableDatabase(t *testing.T) {
	for _, b := range backends() {
		t.Run(b.kind, func(t *testing.T) {
			s := shared(t, b.kind)
			p := sqltest.NewProxy(t, s.Addr())
			p.Down(true)
			dead := open(t, t.TempDir(), b.config(behind(s, p), "cooldown = \"300ms\"", "SELECT 1 AS a"))
			other := open(t, t.TempDir(), b.config(s, "", "SELECT 2 AS a"))
			var wg sync.WaitGroup
			began := time.Now()
			for range 20 {
				wg.Go(func() {
					for range 10 {
						_, err := dead.read("r")
						var down *UnavailableError
						if !errors.As(err, &down) || !strings.HasPrefix(err.Error(), "connection "+b.kind+".db is unavailable: ") || strings.Contains(err.Error(), "p@ss") {
							t.Errorf("got %v", err)
						}
						other.text("r")
					}
				})
			}
			wg.Wait()
			// One attempt is up to three dials: with TLS, without, and to cancel.
			most := 3 * (int64(time.Since(began)/(300*time.Millisecond)) + 1)
			if n := p.Dials.Load(); n > most {
				t.Errorf("%d attempts in %s", n, time.Since(began))
			}
			p.Down(false)
			eventually(t, "reads succeed", func() bool { _, err := dead.read("r"); return err == nil })
			if got := dead.text("r"); got != `[{"a":1}]` {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestNothingLeaks(t *testing.T) {
	for _, b := range backends() {
		t.Run(b.kind, func(t *testing.T) {
			s := shared(t, b.kind)
			p := sqltest.NewProxy(t, s.Addr())
			before := runtime.NumGoroutine()
			t.Run("reads", func(t *testing.T) {
				f := open(t, t.TempDir(), b.config(behind(s, p), "max_open = 4", b.rows))
				var wg sync.WaitGroup
				for i := range 60 {
					wg.Go(func() {
						ctx, cancel := context.WithCancel(context.Background())
						defer cancel()
						if i%3 == 0 {
							time.AfterFunc(time.Duration(i)*time.Millisecond, cancel)
						}
						if _, err := f.sources["r"].Read(ctx, f.request("r")); err != nil && ctx.Err() == nil {
							t.Error(err)
						}
					})
				}
				wg.Wait()
				if n := p.Open(); n > 8 { // a cancelled one closes while its successor opens
					t.Errorf("%d connections are open", n)
				}
			})
			eventually(t, "connections are closed", func() bool { return p.Open() == 0 })
			eventually(t, "goroutines have ended", func() bool { return runtime.NumGoroutine() <= before+1 })
		})
	}
}

func shared(t *testing.T, kind string) *sqltest.Server {
	if kind == "postgres" {
		return servers.Postgres(t)
	}
	return servers.MySQL(t)
}

// TestScopeOutlivesRows reads many rows as values: what a row holds must not
// change when the next one arrives.
func TestScopeOutlivesRows(t *testing.T) {
	for _, b := range backends() {
		t.Run(b.kind, func(t *testing.T) {
			query := map[string]string{
				"postgres": "SELECT x::numeric(10,2) AS n, 'text ' || x AS s, ARRAY[x] AS a, timestamp '2026-01-01' + x * interval '1 second' AS t FROM generate_series(1, 500) x",
				"mysql":    "SELECT CAST(seq AS DECIMAL(10,2)) AS n, CONCAT('text ', seq) AS s, CAST('2026-01-01' AS DATETIME) + INTERVAL seq SECOND AS t FROM seq_1_to_500",
			}[b.kind]
			f := open(t, t.TempDir(), b.config(shared(t, b.kind), "", query))
			for _, need := range []sources.Need{sources.TextValues, sources.JSONValues} {
				req := f.request("r")
				req.Need = need
				res, err := f.sources["r"].Read(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				for i, row := range res.Scope["rows"].AsValueSlice() {
					n, s, at := row.GetAttr("n"), row.GetAttr("s").AsString(), row.GetAttr("t").AsString()
					digits := ""
					if need == sources.JSONValues {
						digits, _ = decl.Digits(n)
					} else {
						digits = n.AsString()
					}
					when := time.Date(2026, 1, 1, 0, 0, i+1, 0, time.UTC).Format("2006-01-02T15:04:05")
					if digits != fmt.Sprintf("%d.00", i+1) || s != fmt.Sprint("text ", i+1) || at != when {
						t.Fatalf("row %d: %s, %s, %s", i, digits, s, at)
					}
				}
			}
		})
	}
}
