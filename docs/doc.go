// Package docs holds the documents of this directory that the program shows.
package docs

import _ "embed"

// Diagnostics describes every code of a diagnostic, each in a section of its
// own with an example.
//
//go:embed diagnostics.md
var Diagnostics string
