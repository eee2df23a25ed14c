package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/mcpdecl/mcpdecl/sources"
)

// tree is an opened root. This file is the only one that reaches the operating
// system, and it does so through os.Root only: whatever a name says and
// whatever is swapped while it is followed, nothing outside the root is opened.
type tree struct {
	root *os.Root
	info fs.FileInfo
	// uses are the requests that read below the root, and the holder.
	uses atomic.Int64
}

// openTree opens a root that was looked at.
func openTree(dir string, info fs.FileInfo) (*tree, error) {
	if !info.IsDir() { // to open a pipe would block
		return nil, errors.New("it is not a directory")
	}
	r, err := os.OpenRoot(dir)
	if err != nil {
		return nil, cause(err)
	}
	t := &tree{root: r, info: info}
	t.uses.Store(1)
	return t, nil
}

// close ends one use; behind the last one the root is closed.
func (t *tree) close() {
	if t.uses.Add(-1) == 0 {
		_ = t.root.Close()
	}
}

// holder keeps a root open between requests. Each request looks whether the
// path still leads to it, so that a root that is replaced, mounted late or gone
// for a while is a matter of the next request.
type holder struct {
	mu     sync.Mutex
	tree   *tree
	closed bool
}

// open returns the root for one request, which closes it.
func (h *holder) open(dir string) (*tree, error) {
	info, err := os.Stat(dir)
	h.mu.Lock()
	defer h.mu.Unlock()
	if err == nil && h.tree != nil && os.SameFile(info, h.tree.info) {
		h.tree.uses.Add(1)
		return h.tree, nil
	}
	h.drop()
	if err == nil && h.closed {
		err = fs.ErrClosed
	}
	if err != nil {
		return nil, unreachable(dir, cause(err))
	}
	t, err := openTree(dir, info)
	if err != nil {
		return nil, unreachable(dir, err)
	}
	t.uses.Add(1)
	h.tree = t
	return t, nil
}

// unreachable is what a client sees of a folder that is not there, or may not
// be entered; which one it is, and why, is for the log.
func unreachable(dir string, err error) error {
	return &sources.PublicError{Message: "the folder of this resource cannot be opened", Err: fmt.Errorf("open root %q: %w", dir, err)}
}

func (h *holder) drop() {
	if h.tree != nil {
		h.tree.close()
		h.tree = nil
	}
}

// close forgets the root; requests that use it go on.
func (h *holder) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	h.drop()
}

// lstat does not follow a link in the last component.
func (t *tree) lstat(name string) (fs.FileInfo, error) { return t.root.Lstat(name) }

func (t *tree) readlink(name string) (string, error) { return t.root.Readlink(name) }

// handle is an opened regular file.
type handle struct {
	f    *os.File
	info fs.FileInfo
}

// open opens what lstat saw. It never blocks, and refuses what is not the same
// regular file: errSwapped when the name leads elsewhere by now.
func (t *tree) open(name string, seen fs.FileInfo) (*handle, error) {
	f, err := t.root.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !(info.Mode().IsRegular() && os.SameFile(info, seen)) {
		err = errSwapped
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return &handle{f, info}, nil
}

func (h *handle) ReadAt(p []byte, off int64) (int, error) { return h.f.ReadAt(p, off) }
func (h *handle) Read(p []byte) (int, error)              { return h.f.Read(p) }
func (h *handle) Close() error                            { return h.f.Close() }

// readDir hands the entries of a directory to add, in no order.
func (t *tree) readDir(name string, add func(dirEntry) error) error {
	f, err := t.root.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		some, err := f.ReadDir(1024)
		for _, e := range some {
			if err := add(dirEntry{e.Name(), e.Type()}); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func sameFile(a, b fs.FileInfo) bool { return os.SameFile(a, b) }

// errSwapped says that a name led to something else when it was opened than
// when it was looked at.
var errSwapped = errors.New("the file was replaced while it was opened")

// cause is the error without the operation and the path that the standard
// library puts around it.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// missing reports whether an error says that no file can have that name, as
// opposed to one that cannot be read.
func missing(err error) bool {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		return true
	}
	c := cause(err)
	for _, no := range []error{syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG, syscall.EINVAL, syscall.ENXIO, syscall.EISDIR} {
		if errors.Is(c, no) {
			return true
		}
	}
	return invalidName(c) || c != nil && c.Error() == "path escapes from parent" // of os.Root, not exported
}
