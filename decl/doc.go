// Package decl is the language of mcpdecl: it turns HCL files into typed
// declarations, and every mistake in them into a diagnostic with a place.
//
// Loading has two phases. The first decodes structure and constants, block by
// block against a [BlockSpec], and keeps the expressions that only a request
// can evaluate. The second checks what the first kept: each of those
// expressions is evaluated with unknown values of the declared types, and
// every URI template is compiled and compared with the others. Both phases
// accumulate diagnostics, so one run shows all mistakes.
//
// What a kind of connection or source may contain is not known here: the
// caller of [Load] passes the specs and decoders in [Kinds]. The package reads
// no file, no environment variable and no clock by itself; [Options] carries
// the functions that do.
package decl
