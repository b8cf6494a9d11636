// Package fuzz holds what every fuzz target of this module has in common: the properties that it checks beside its own, and the list of
// all targets.
//
//	bytes ──► target ──► Cost: time and memory, whatever comes of the bytes
//	             │  └──► Error: one line that can be shown
//	             └─────► Output: text that no terminal obeys
//
// The bytes that a target begins with, and those that were once a defect, are its corpus. `go test` runs it; `make fuzz MINUTES=`
// looks for more (core/testing/fuzz/command).
//
// # The list of targets
//
// A target says in its comment what it reads, and in a line of its own for which packages:
//
//	// FuzzRead reads recordings: files, standard input, and the stream of a running scheduler.
//	//
//	//orrery:reads core/trace
//	func FuzzRead(f *testing.F) {
//
// [Targets] finds them in the source, so that no list has to be kept. A test beside it fails when a package that decodes bytes has no
// target, and docs/fuzzing.md is written from it.
package fuzz
