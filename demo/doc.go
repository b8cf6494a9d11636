// Package demo holds what Orrery shows when it is given no cluster: recorded days in the life of one.
//
// A scenario is a memory cluster with its whole script on the agenda; playing it is driving an engine in it. Nothing is
// left to the machine it runs on: the same seed shows the same day.
package demo
