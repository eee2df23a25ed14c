package transport

import "time"

// SetPace makes a test of slow clients a quick one.
func (h *HTTP) SetPace(body, write time.Duration) { h.pace = pace{body: body, write: write} }
