// Package assist answers assistants over the Model Context Protocol: a [Server] whose tools are the questions of the command line, and whose
// answers are the documents that these print with -o json.
//
//	tools/call ──► arguments.go ──► the words of a command ──► Options.Ask ──► its document
//	                checked, bounded                            (cmd/app)         │
//	structuredContent ◄── answer.go ◄── budget.go ◄── every text printable ◄──────┘
//	  command, at, answer, leftOut       cut to a number of tokens, what was left out named
//
// # Only reads
//
// The package imports nothing that reaches a cluster, which core/house_test.go checks, and asks only the commands in tools.go, none of
// which writes. Files are those that were named when the server was started: a tool takes the name of a recording or of a configuration, never
// a path. cmd/app besides gives the commands a connection that refuses every request but reads.
//
// # Names are data
//
// What comes out of a cluster may be written by anybody in it. Every text of an answer has what cannot be seen written out, and a bound; the
// answer says that it is data, and so do the instructions of the server.
package assist
