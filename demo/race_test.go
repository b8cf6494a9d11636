//go:build race

package demo_test

// Under the race detector everything takes ten times as long, and nothing here has goroutines to race: one recording
// shows that. The plain run has them all.
const replayed = 1
