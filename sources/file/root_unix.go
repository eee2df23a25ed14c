//go:build unix

package file

import (
	"io/fs"
	"syscall"
)

// openFlags keep an open from waiting for the other end of a pipe, and from
// taking a terminal.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY

// windowsNames says whether names mean what they mean on Windows.
const windowsNames = false

func invalidName(error) bool { return false }

// hiddenByAttribute is for file systems that mark hidden files.
func hiddenByAttribute(fs.FileInfo) bool { return false }
