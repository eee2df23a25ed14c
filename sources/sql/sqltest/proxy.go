package sqltest

import (
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Proxy stands between a client and a server and fails on request.
type Proxy struct {
	Host string
	Port int
	// Dials counts the connections that were made to the proxy.
	Dials atomic.Int64

	target   string
	listener net.Listener
	mu       sync.Mutex
	conns    map[net.Conn]bool
	wg       sync.WaitGroup
	down     atomic.Bool // connections are closed at once
	hung     atomic.Bool // nothing is passed on
	delay    atomic.Int64
	budget   atomic.Int64 // bytes from the server until a cut; negative: no end
}

// NewProxy listens on a port of its own and passes everything on to the target.
func NewProxy(t testing.TB, target string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, target: target, listener: l, conns: map[net.Conn]bool{}}
	p.budget.Store(-1)
	p.wg.Go(p.accept)
	t.Cleanup(p.Close)
	return p
}

// Close ends the proxy and every connection.
func (p *Proxy) Close() {
	_ = p.listener.Close()
	p.Cut()
	p.wg.Wait()
}

// Cut ends the connections that are open now.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
}

// Open returns how many connections are open.
func (p *Proxy) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.conns) / 2
}

// Down makes the proxy refuse, or serve again.
func (p *Proxy) Down(down bool) { p.down.Store(down) }

// Hang makes the proxy swallow everything, or pass it on again.
func (p *Proxy) Hang(hang bool) { p.hung.Store(hang) }

// Delay holds every piece of data up.
func (p *Proxy) Delay(d time.Duration) { p.delay.Store(int64(d)) }

// CutAfter ends connections once the server has sent so many further bytes.
func (p *Proxy) CutAfter(bytes int64) { p.budget.Store(bytes) }

func (p *Proxy) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.Dials.Add(1)
		if p.down.Load() {
			_ = c.Close()
			continue
		}
		s, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = c.Close()
			continue
		}
		p.mu.Lock()
		p.conns[c], p.conns[s] = true, true
		p.mu.Unlock()
		p.wg.Go(func() { p.pass(s, c, false) })
		p.wg.Go(func() { p.pass(c, s, true) })
	}
}

func (p *Proxy) pass(dst, src net.Conn, fromServer bool) {
	defer func() {
		_ = dst.Close()
		_ = src.Close()
		p.mu.Lock()
		delete(p.conns, src)
		p.mu.Unlock()
	}()
	buf := make([]byte, 4096)
	for {
		n, err := src.Read(buf)
		if n > 0 {
			time.Sleep(time.Duration(p.delay.Load()))
			if p.hung.Load() {
				continue
			}
			if fromServer && p.budget.Load() >= 0 && p.budget.Add(-int64(n)) < 0 {
				_, _ = dst.Write(buf[:n/2])
				return
			}
			if _, err := dst.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
