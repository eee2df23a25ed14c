package sql

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestTurnsAreTakenInOrder lets reads wait for a session: none loses its turn
// to one that came later, and one that waits too long says so.
func TestTurnsAreTakenInOrder(t *testing.T) {
	c := &connection{turns: make(chan struct{}, 1)}
	c.closing, c.end = context.WithCancel(context.Background())
	first, err := c.turn(t.Context(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	var wait *WaitError
	if _, err := c.turn(t.Context(), time.Millisecond); !errors.As(err, &wait) || wait.MaxOpen != 1 {
		t.Errorf("a full pool: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.turn(cancelled, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that gave up: %v", err)
	}
	const waiting = 20
	order := make(chan int, waiting)
	for i := range waiting {
		ready := make(chan struct{})
		go func() {
			close(ready)
			done, err := c.turn(context.Background(), time.Minute)
			if err == nil {
				order <- i
				done()
			}
		}()
		<-ready
		time.Sleep(5 * time.Millisecond) // until it is in line
	}
	first()
	for i := range waiting {
		if got := <-order; got != i {
			t.Fatalf("turn %d went to %d", i, got)
		}
	}
	c.end()
}
