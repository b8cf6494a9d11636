// Package files writes the program's output files, and reads files that have to be small.
//
// A regular file is written under a temporary name in the same directory and renamed when it is complete, so that its
// name never stands for half of it, and what it replaces stays until then. It keeps the mode and the owner of the file
// that it replaces. A link is resolved first: what it names is written, and the link stays. A device or a pipe is
// written to as it is.
//
// An existing file is replaced only if that is asked for. Errors name the file as the caller does.
//
//	outfile.go     File: create, write, commit, close
//	bounded.go     Read: no further than a limit, since a device or a pipe may have no end
//	unfinished.go  the temporary files of the process, for exits that run no deferred calls
package files
