package sql

// cellKind is what a value is, whatever database it came from.
type cellKind uint8

const (
	cellNull   cellKind = iota
	cellInt             // n
	cellUint            // the bits of n
	cellFloat           // f
	cellDigits          // text: the decimal digits of an exact number, or NaN, Infinity
	cellBool            // n
	cellText            // text
	cellJSON            // text: one valid JSON value
	cellBinary          // bytes
)

// cell is one value of a row. Its text and bytes are only valid until the next
// row.
type cell struct {
	kind  cellKind
	n     int64
	f     float64
	text  string
	bytes []byte
}

// column is one column of a result.
type column struct {
	name string
}

// cursor is an open result. next fills the cells of the next row and returns
// io.EOF after the last. close must be called in any case; ok says that the
// caller has what it wanted, so that a statement which writes takes effect.
type cursor interface {
	columns() []column
	next(cells []cell) error
	close(ok bool) error
}
