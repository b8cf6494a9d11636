// Command dependencies writes docs/dependencies.md: every module that is compiled into the programs, or used for tests and tools, with its
// version and its licences.
//
//	go list, for each system ──► modules ──► licence files ──► docs/dependencies.md
//
// A test compares the document with what is used now, so that a change has to show what it brings: go.mod alone does not say which modules
// reach a user. A licence is recognized in the module's files, as for what is released; a module whose licence is not
// known, or not allowed, is an error.
package main
