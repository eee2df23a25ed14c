package sql

import (
	"context"
	"time"
)

// nudgeEvery is how often a statement is interrupted until it has ended.
const nudgeEvery = 20 * time.Millisecond

// interruptAt ends the running statement when ctx ends; the returned func
// stops that and must be called.
//
// The driver can do so itself, but it costs every row, and an end of ctx that
// falls just before a step goes unnoticed, so that the step runs on. Here the
// statement is interrupted again and again until it is over. The driver's one
// public way to sqlite3_interrupt is a statement that is executed with a context
// that is done; that one then waits its turn, and is over in no time.
func (s *sqliteSession) interruptAt(ctx context.Context) (end func()) {
	over, ended := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		done, cancel := context.WithCancel(context.Background())
		cancel()
		tick := time.NewTicker(nudgeEvery)
		defer tick.Stop()
		for {
			_, _ = s.nudge.ExecContext(done, nil)
			select {
			case <-over:
				return
			case <-tick.C:
			}
		}
	})
	return func() {
		if !stop() {
			close(over)
			<-ended
		}
	}
}
