package sql

// stmts keeps the prepared statements of one session by their text, the most
// recently used ones.
type stmts[S any] struct {
	byText map[string]*kept[S]
	clock  int
	close  func(S)
}

type kept[S any] struct {
	stmt S
	used int
}

// maxStmts bounds the prepared statements of a session. Beyond it the one that
// was not used for longest is closed.
const maxStmts = 256

func (c *stmts[S]) get(text string) (S, bool) {
	k, ok := c.byText[text]
	if !ok {
		var none S
		return none, false
	}
	c.clock++
	k.used = c.clock
	return k.stmt, true
}

func (c *stmts[S]) put(text string, s S) {
	if c.byText == nil {
		c.byText = map[string]*kept[S]{}
	}
	if len(c.byText) >= maxStmts {
		oldest := ""
		for t, k := range c.byText {
			if oldest == "" || k.used < c.byText[oldest].used {
				oldest = t
			}
		}
		c.drop(oldest)
	}
	c.clock++
	c.byText[text] = &kept[S]{s, c.clock}
}

// drop closes the statement of the text.
func (c *stmts[S]) drop(text string) {
	if k, ok := c.byText[text]; ok {
		delete(c.byText, text)
		c.close(k.stmt)
	}
}

func (c *stmts[S]) dropIf(text string, condition bool) {
	if condition {
		delete(c.byText, text)
	}
}

func (c *stmts[S]) clear() {
	for t := range c.byText {
		c.drop(t)
	}
}
