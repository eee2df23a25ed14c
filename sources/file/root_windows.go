package file

import (
	"errors"
	"io/fs"
	"syscall"
)

// openFlags are none: there are no pipes with a name in a directory.
const openFlags = 0

// windowsNames says whether names mean what they mean on Windows.
const windowsNames = true

// errorInvalidName is ERROR_INVALID_NAME.
const errorInvalidName = syscall.Errno(123)

func invalidName(err error) bool { return errors.Is(err, errorInvalidName) }

// hiddenByAttribute is for file systems that mark hidden files.
func hiddenByAttribute(info fs.FileInfo) bool {
	a, ok := info.Sys().(*syscall.Win32FileAttributeData)
	return ok && a.FileAttributes&syscall.FILE_ATTRIBUTE_HIDDEN != 0
}
