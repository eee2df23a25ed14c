package sql

import (
	"context"
	"database/sql/driver"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// fakeOpener fails until it is told not to; every attempt waits to be let in.
type fakeOpener struct {
	attempts atomic.Int64
	running  atomic.Int64
	most     atomic.Int64
	fail     atomic.Bool
	enter    chan struct{}
}

func (o *fakeOpener) open(context.Context) (session, error) {
	o.attempts.Add(1)
	o.most.Store(max(o.most.Load(), o.running.Add(1)))
	defer o.running.Add(-1)
	<-o.enter
	if o.fail.Load() {
		return nil, errors.New("down")
	}
	return &fakeSession{}, nil
}

func (o *fakeOpener) stale(error) bool      { return false }
func (o *fakeOpener) plain(err error) error { return err }

type fakeSession struct{}

func (*fakeSession) Prepare(string) (driver.Stmt, error)                  { return nil, nil }
func (*fakeSession) Begin() (driver.Tx, error)                            { return nil, nil }
func (*fakeSession) Close() error                                         { return nil }
func (*fakeSession) IsValid() bool                                        { return true }
func (*fakeSession) query(context.Context, *statement) (cursor, error)    { return nil, nil }
func (*fakeSession) check(context.Context, *statement) (*prepared, error) { return nil, nil }

func TestGate(t *testing.T) {
	now := time.Unix(0, 0)
	var mu sync.Mutex
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	advance := func(d time.Duration) { mu.Lock(); defer mu.Unlock(); now = now.Add(d) }
	o := &fakeOpener{enter: make(chan struct{})}
	o.fail.Store(true)
	g := newGate(o, &settings{cooldown: 2 * time.Second, limits: limits{timeout: time.Minute}}, clock)

	// Many at once make one attempt, and all fail with it.
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := g.Connect(t.Context()); err == nil {
				t.Error("connected")
			}
		})
	}
	o.enter <- struct{}{}
	wg.Wait()
	if n := o.attempts.Load(); n != 1 {
		t.Errorf("%d attempts", n)
	}

	// Within the cooldown there is none, behind it one.
	advance(time.Second)
	if _, err := g.Connect(t.Context()); err == nil || o.attempts.Load() != 1 {
		t.Errorf("got %v after %d attempts", err, o.attempts.Load())
	}
	advance(time.Second)
	o.fail.Store(false)
	close(o.enter)
	c, err := g.Connect(t.Context())
	if err != nil || o.attempts.Load() != 2 || o.most.Load() != 1 {
		t.Fatalf("got %v after %d attempts, %d at once", err, o.attempts.Load(), o.most.Load())
	}
	if !c.(*pooled).IsValid() {
		t.Error("a new session is not valid")
	}
	g.renew()
	if c.(*pooled).IsValid() || c.(*pooled).ResetSession(t.Context()) == nil {
		t.Error("an old session is valid")
	}
}

func TestGateIgnoresAttemptsThatWereCutShort(t *testing.T) {
	o := &fakeOpener{enter: make(chan struct{}, 1)}
	o.fail.Store(true)
	g := newGate(o, &settings{cooldown: time.Hour, limits: limits{timeout: time.Minute}}, time.Now)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o.enter <- struct{}{}
	if _, err := g.Connect(ctx); err == nil {
		t.Error("connected")
	}
	o.fail.Store(false)
	o.enter <- struct{}{}
	if _, err := g.Connect(t.Context()); err != nil {
		t.Errorf("got %v", err)
	}
}
