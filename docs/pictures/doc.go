// Command pictures draws the pictures of the documentation from the recordings that are built into the program, each at a
// fixed moment: the same bytes every time and on every machine.
//
//	go run ./docs/pictures          writes docs/pictures/*.svg
//	go run ./docs/pictures -check   says which of them are not what would be written
package main
