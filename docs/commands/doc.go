// Command commands writes a page for each command into docs/commands, from the help text that the command prints.
//
//	cmd/app HelpPages ──► page: titles, paragraphs, blocks ──► docs/commands/orrery_trace_cut.md
//
// A test fails when a page is not what the program says, or is that of a command which is gone.
package main
