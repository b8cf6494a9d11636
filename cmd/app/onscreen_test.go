package app_test

import (
	"fmt"
	"os"
	"strings"
	"time"

	"orrery/core/answers/change"
	"orrery/core/answers/whatif"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/demo"
	"orrery/demo/playback"
	"orrery/tui"
)

// onScreen TRACE OFFSET CHANGE... evaluates changes on the screen, at an offset from the start of a built-in trace, and
// with one step of a decision for each ] after it. It prints the command that the screen shows, and the numbers of the
// result.
func onScreen(trace, after string, words []string) error {
	file, err := demo.Open(trace)
	if err != nil {
		return err
	}
	recording, err := tui.OpenRecording(file, playback.Options{Name: trace}, nil)
	if err != nil {
		return err
	}
	recording.Trace = trace
	offset, err := time.ParseDuration(strings.TrimRight(after, "]"))
	if err != nil {
		return err
	}
	if err := recording.SeekTo(recording.Start().Add(offset)); err != nil {
		return err
	}
	for range strings.Count(after, "]") {
		if err := recording.Step(false); err != nil {
			return err
		}
	}
	changes, err := change.ParseAll(words)
	if err != nil {
		return err
	}
	at, command := recording.WhatIfCommand(changes)
	fork, err := recording.Engine().Fork()
	if err != nil {
		return err
	}
	a, err := askAt(fork, at, changes)
	if err != nil {
		return err
	}
	fmt.Println(command)
	b, c := &a.Without, &a.With
	fmt.Println(b.Placed, c.Placed, b.Pending, c.Pending, b.Moved, c.Moved, b.Decisions, c.Decisions)
	return nil
}

// askAt plays up to a moment, and evaluates the changes.
func askAt(fork *engine.Engine, at time.Time, changes []change.Change) (*whatif.Result, error) {
	if err := fork.Apply(world.Input{At: at, Event: world.Tick{}}); err != nil {
		return nil, err
	}
	return whatif.Evaluate(fork, changes, whatif.Options{})
}

func onScreenMain() {
	if err := onScreen(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
