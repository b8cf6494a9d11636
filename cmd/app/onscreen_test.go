package app_test

import (
	"fmt"
	"os"
	"strings"
	"time"

	"orrery/core/engine"
	"orrery/core/whatif"
	"orrery/core/world"
	"orrery/demo"
	"orrery/demo/playback"
	"orrery/tui"
)

// onScreen TRACE OFFSET CHANGE... asks what if on the screen, at so long after the beginning of a built-in trace, and with
// a ] after it for each decision that is stepped on from there. It prints the command that the screen shows, and what the
// answer comes to.
func onScreen(trace, after string, words []string) error {
	file, err := demo.Open(trace)
	if err != nil {
		return err
	}
	deck, err := tui.OpenDeck(file, playback.Options{Name: trace}, nil)
	if err != nil {
		return err
	}
	deck.Trace = trace
	offset, err := time.ParseDuration(strings.TrimRight(after, "]"))
	if err != nil {
		return err
	}
	if err := deck.SeekTo(deck.Start().Add(offset)); err != nil {
		return err
	}
	for range strings.Count(after, "]") {
		if err := deck.Step(false); err != nil {
			return err
		}
	}
	changes, err := whatif.ParseAll(words)
	if err != nil {
		return err
	}
	at, command := deck.Asked(changes)
	fork, err := deck.Engine().Fork()
	if err != nil {
		return err
	}
	a, err := askAt(fork, at, changes)
	if err != nil {
		return err
	}
	fmt.Println(command)
	b, c := &a.Before, &a.After
	fmt.Println(b.Placed, c.Placed, b.Pending, c.Pending, b.Moved, c.Moved, b.Decisions, c.Decisions)
	return nil
}

// askAt lets time pass up to a moment, and asks.
func askAt(fork *engine.Engine, at time.Time, changes []whatif.Change) (*whatif.Answer, error) {
	if err := fork.Apply(world.Input{At: at, Event: world.Passed{}}); err != nil {
		return nil, err
	}
	return whatif.Ask(fork, changes, whatif.Options{})
}

func onScreenMain() {
	if err := onScreen(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
