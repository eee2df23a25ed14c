// Command mcpdecl serves the resources that HCL files declare over the Model
// Context Protocol. docs/cli.md describes its commands.
//
// This package is the edge of the program: flags, files, the environment, the
// clock and the streams are touched here and handed down. It is also the only
// place that names the kinds of sources (kinds.go).
package main
