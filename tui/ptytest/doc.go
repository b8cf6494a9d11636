// Package ptytest runs a program on a real pseudo-terminal and checks what it does to the terminal.
//
//	program ◄──keys, signals, sizes──  Session  ◄── a test
//	   │                                  ▲
//	   └──bytes──► Screen (the cells a person would see, and the terminal modes)
//
// A [Session] acts as the terminal: it keeps every byte the program writes, applies it to a [Screen], and answers the
// program's queries unless it is mute. Tests wait for text on the screen, with a deadline, and never sleep.
package ptytest
