// Package tui runs the panes of package views: it reads keys and draws frames.
//
//	           real time                    requests: the query for the open pane, actions
//	               │                      ┌───────────────────────────────────────────────┐
//	               ▼                      ▼                                               │
//	Source ──► loop (one goroutine, owns the engine) ──► mailbox (one Frame) ──► Screen (Bubble Tea's goroutine)
//	                                                                                │  keys, mouse, sizes
//	                                                                                ▼
//	                                                              views.Screen ──► canvas ──► the terminal
//
// The loop alone uses the engine. It advances the source, runs requests between two advances, and builds the model of
// the open pane, at most once per frame interval and only after the screen has taken the last frame. The screen never
// touches the engine: on a key it redraws at once from the frame it has, and again when the frame for that key arrives.
// No timer runs while nothing changes, and the screen does not redraw what has not changed.
//
// Every key is a row of one table (see bindings.go). The hints, the help, the commands and docs/keys.md are generated
// from it, so they match what the keys do.
package tui
