// Package asked reads what somebody who runs the comparisons asks for.
//
//	ORRERY_CASES  how many cases; each comparison has a number of its own where nothing is said
//	ORRERY_SEED   the seed that they are made from, 1 where nothing is said
//	ORRERY_FIRST  the number of the first case, 0 where nothing is said
//
// What has its cases drawn by pgregory.net/rapid is asked with rapid's flags: -rapid.checks and -rapid.seed.
package asked

import (
	"fmt"
	"os"
	"strconv"
	"testing"
)

// Number is the number that the environment has under a name, or otherwise where it has none.
func Number(t testing.TB, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		t.Fatalf("%s=%q: give a whole number from 0 on, or leave it out for %d", name, text, otherwise)
	}
	return n
}

// Cases are some of the cases that a seed makes.
type Cases struct {
	Seed         uint64
	First, Count int
}

// For are the cases that were asked for, or so many of them otherwise.
func For(t testing.TB, otherwise int) Cases {
	t.Helper()
	return Cases{
		Seed: uint64(Number(t, "ORRERY_SEED", 1)), First: Number(t, "ORRERY_FIRST", 0), Count: Number(t, "ORRERY_CASES", otherwise),
	}
}

func (c Cases) String() string {
	return fmt.Sprintf("%d cases of seed %d, from case %d on", c.Count, c.Seed, c.First)
}
