package transport

import (
	"io"
	"sync/atomic"
	"time"
)

// movingWriter knows when what it writes was last taken.
type movingWriter struct {
	w     io.Writer
	moved atomic.Pointer[time.Time] // nil before the first write
}

// Write hands on a piece at a time, so that a long line moves too.
func (m *movingWriter) Write(p []byte) (n int, err error) {
	for err == nil && n < len(p) {
		var piece int
		piece, err = m.w.Write(p[n:min(len(p), n+bulkChunk)])
		n += piece
		now := time.Now()
		m.moved.Store(&now)
	}
	return n, err
}

// still is for how long nothing was taken.
func (m *movingWriter) still() time.Duration {
	if moved := m.moved.Load(); moved != nil {
		return time.Since(*moved)
	}
	return 1 << 62 // for ever
}
