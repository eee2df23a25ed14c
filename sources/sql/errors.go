package sql

import (
	"errors"
	"fmt"
	"time"
)

// publicReason is an error with a plain message that a client may see.
type publicReason interface {
	error
	public() string
}

// Errors of a read that say what was wrong; all texts are for the log.
var (
	// ErrSecondRow says that rows = "one" met a second row.
	ErrSecondRow = errors.New("query returned more than one row, but rows is \"one\"")
	// ErrNoColumns says that a read-only statement returned no table.
	ErrNoColumns = errors.New("statement returns no columns: it is not a query")
	// ErrReadOnly says that the database refused to change something.
	ErrReadOnly = errors.New("statement refused: the connection is read-only")
	// ErrClosed says that the connection was closed, at a reload or at the end.
	ErrClosed = errors.New("connection is closed")
)

// TimeoutError says that a query was ended at its timeout.
type TimeoutError struct {
	After time.Duration
}

func (e *TimeoutError) Error() string { return fmt.Sprintf("query exceeded timeout %s", e.After) }

func (e *TimeoutError) public() string { return "the query took too long" }

// WaitError says that no session became free in time; no query was sent.
type WaitError struct {
	After   time.Duration
	MaxOpen int
}

func (e *WaitError) Error() string {
	return fmt.Sprintf("all %d sessions (max_open) were busy for %s; no query was sent", e.MaxOpen, e.After)
}

func (e *WaitError) public() string { return "the database is busy" }

// TooLargeError says that a result outgrew max_bytes.
type TooLargeError struct {
	Limit int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("result exceeds max_bytes (%d bytes)", e.Limit)
}

func (e *TooLargeError) public() string { return "the result is too large" }

// UnavailableError says that the database cannot be reached. Cause holds no
// secret.
type UnavailableError struct {
	Connection string
	Cause      error
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("connection %s is unavailable: %v", e.Connection, e.Cause)
}

// Unwrap returns the cause.
func (e *UnavailableError) Unwrap() error { return e.Cause }

func (e *UnavailableError) public() string { return "the database is unavailable" }

// ColumnsError says that a result cannot be an object.
type ColumnsError struct {
	Names []string
}

func (e *ColumnsError) Error() string {
	return fmt.Sprintf("query returns more than one column of the name %s: give each its own with AS", quoteNames(e.Names))
}
