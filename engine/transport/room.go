package transport

import (
	"context"
	"sync"
)

// maxUnread is the default of the options of that name.
const maxUnread = 256 << 20

// room bounds the contents that wait for clients to read them. Those of one call
// may have any size where no others wait: sources have limits of their own.
type room struct {
	limit int
	// patient room is that of one client, which waits for itself; where clients
	// share it, no slow one makes the others wait, so there is none for more.
	patient bool

	mu      sync.Mutex
	held    int
	batched int           // calls of batches that are not answered
	freed   chan struct{} // closed when there is more room
}

func newRoom(limit int, patient bool) *room {
	return &room{limit: limit, patient: patient, freed: make(chan struct{})}
}

// wait holds a call of a patient room back until it is not full. The answers of a
// batch go out together: as long as there is one, waiting might never end.
func (r *room) wait(ctx context.Context) error {
	for r.patient {
		r.mu.Lock()
		full, freed := r.held >= r.limit && r.batched == 0, r.freed
		r.mu.Unlock()
		if !full {
			return nil
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// take reports whether there is room for n bytes of a call that has own bytes
// here, and takes it. In a patient room there is: calls that passed wait together
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
	close(r.freed)
	r.freed = make(chan struct{})
}
