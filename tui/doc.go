// Package tui is the program around the panes of package views: keys in, frames out.
//
//	           real time                    orders: what is looked at, what was asked for
//	               │                      ┌───────────────────────────────────────────────┐
//	               ▼                      ▼                                               │
//	Source ──► pump (one goroutine, owns the engine) ──► mailbox (one Frame) ──► Screen (Bubble Tea's goroutine)
//	                                                                                │  keys, mouse, sizes
//	                                                                                ▼
//	                                                              views.Screen ──► canvas ──► the terminal
//
// The engine has one owner, the pump. It lets the source play on, carries out orders between two strokes of work, and
// builds the model of what is looked at, at most as often as frames are shown and only when the last one was taken. The
// screen never touches the engine: it draws the frame it has with the state it has, at once when a key is pressed, and
// again when the frame that the key led to is there. Nothing ticks while nothing moves, and a frame that would look like the
// one before is not drawn again.
//
// Every key is a row of one table (see bindings.go). The hints, the help, the command line's words and docs/keys.md are made
// from it, and so they say what is so.
package tui
