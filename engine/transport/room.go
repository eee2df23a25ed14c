package transport

import (
	"context"
	"sync"
)

const (
	// maxUnread is the default of the options of that name.
	maxUnread = 256 << 20
	// maxInside is how many calls may be on their way to contents that nobody
	// knows the size of yet, as many as the engine runs at once.
	maxInside = 64
)

// room bounds the contents that wait for clients to read them. Those of one call
// may have any size where no others wait: sources have limits of their own.
type room struct {
	limit int
	// patient room is that of one client, which waits for itself; where clients
	// share it, no slow one makes the others wait, so there is none for more.
	patient bool

	mu      sync.Mutex
	held    int
	inside  int           // calls between enter and leave
	batched int           // calls of batches that are not answered
	freed   chan struct{} // closed when there may be room; nil when nobody waits
}

func newRoom(limit int, patient bool) *room {
	return &room{limit: limit, patient: patient}
}

// enter lets a call into the room, in front of what makes its contents. It waits in
// a patient room until that is not full. The answers of a batch go out together: as
// long as there is one, waiting for room might never end.
func (r *room) enter(ctx context.Context) error {
	for {
		r.mu.Lock()
		full := r.patient && (r.held >= r.limit && r.batched == 0 || r.inside >= maxInside)
		if !full {
			r.inside++
			r.mu.Unlock()
			return nil
		}
		if r.freed == nil {
			r.freed = make(chan struct{})
		}
		freed := r.freed
		r.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// leave ends what enter began, once the contents are taken.
func (r *room) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inside--
	r.wake()
}

// take reports whether there is room for n bytes of a call that has own bytes
// here, and takes it. In a patient room there is: calls that are inside together
// may well need more than its limit.
func (r *room) take(n, own int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.patient && r.held > own && r.held+n > r.limit {
		return false
	}
	r.held += n
	return true
}

func (r *room) give(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held -= n
	r.wake()
}

// batch counts calls of batches as they come and are answered.
func (r *room) batch(calls int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.batched += calls
	r.wake()
}

func (r *room) wake() {
	if r.freed != nil {
		close(r.freed)
		r.freed = nil
	}
}
