// Command limits writes docs/limits.md: each bound of the program, and what happens there.
//
//	constants, with their marks ──► find ──► by area ──► docs/limits.md
//	cluster.md, what is as large as the cluster ───────►
//
// A constant that bounds something is marked, in a line of its own above it:
//
//	//orrery:limit files; a theme, in bytes; refused
//	const maxBytes = 64 << 10
//
// The parts are an area of areas.go, what is bounded, and what happens there. A test fails when a constant is called max or most of
// something and is neither marked nor in others.go with a reason, and when docs/limits.md is stale.
package main
