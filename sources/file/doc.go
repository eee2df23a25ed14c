// Package file is the kind of sources that answer a read with files below a
// root.
//
// A name from a request is taken apart once, in find: component by component,
// links included, so that every rule about names (nothing above the root,
// nothing hidden, no device) is kept in one place, whether the name came from
// a path, a pattern or a list. Beneath it everything goes through [os.Root],
// which holds the root against what changes between a look and an opening.
//
// The package keeps no copy of files. What it remembers are the names in large
// directories, as long as the directory's own time says that they still hold.
package file
