package sql

// stmts keeps the prepared statements of one session, the most recently used
// ones, by their text or by what else they are prepared from.
type stmts[K comparable, S any] struct {
	byKey map[K]*kept[S]
	clock int
	close func(S)
}

type kept[S any] struct {
	stmt S
	used int
}

// maxStmts bounds the prepared statements of a session. Beyond it the one that
// was not used for longest is closed.
const maxStmts = 256

func (c *stmts[K, S]) get(key K) (S, bool) {
	k, ok := c.byKey[key]
	if !ok {
		var none S
		return none, false
	}
	c.clock++
	k.used = c.clock
	return k.stmt, true
}

func (c *stmts[K, S]) put(key K, s S) {
	if c.byKey == nil {
		c.byKey = map[K]*kept[S]{}
	}
	if len(c.byKey) >= maxStmts {
		var oldest K
		used := c.clock + 1
		for k, s := range c.byKey {
			if s.used < used {
				oldest, used = k, s.used
			}
		}
		c.drop(oldest)
	}
	c.clock++
	c.byKey[key] = &kept[S]{s, c.clock}
}

// drop closes the statement of the key.
func (c *stmts[K, S]) drop(key K) {
	if k, ok := c.byKey[key]; ok {
		delete(c.byKey, key)
		c.close(k.stmt)
	}
}

func (c *stmts[K, S]) dropIf(key K, condition bool) {
	if condition {
		delete(c.byKey, key)
	}
}

func (c *stmts[K, S]) clear() {
	for k := range c.byKey {
		c.drop(k)
	}
}
