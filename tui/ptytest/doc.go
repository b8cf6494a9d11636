// Package ptytest runs a program on a real pseudo-terminal and watches what it does to it.
//
//	program ◄──keys, signals, sizes──  Session  ◄── a test
//	   │                                  ▲
//	   └──bytes──► Screen (what a person would see, and the modes the terminal was left in)
//
// A [Session] plays the terminal: it keeps every byte that was written, shows them on a [Screen], and answers the questions
// that programs ask terminals, unless it is mute. Tests wait for what is on the screen, with a deadline, and never sleep.
package ptytest
