// Package file is the kind of sources that answer a read with files below a
// root.
//
// Nothing outside the root is ever named: paths and patterns are relative to
// it. This version checks declarations; it does not read files yet.
package file
