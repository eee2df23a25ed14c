package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// tree is an opened root. This file is the only one that reaches the operating
// system, and it does so through os.Root only: whatever a name says and
// whatever is swapped while it is followed, nothing outside the root is opened.
//
// A tree is opened for each request. That costs a few microseconds and makes a
// root that is replaced, mounted late or gone for a while a matter of the next
// request.
type tree struct {
	root *os.Root
}

// openTree opens a root.
func openTree(dir string) (*tree, error) {
	// Looked at first: to open a pipe would block.
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("open root %q: %w", dir, cause(err))
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("open root %q: it is not a directory", dir)
	}
	r, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open root %q: %w", dir, cause(err))
	}
	return &tree{r}, nil
}

func (t *tree) close() { _ = t.root.Close() }

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
