package main

import (
	"slices"
	"testing"
)

func TestSortByGoroutines(t *testing.T) {
	raced, plain, err := sortByGoroutines("../../..", "./...")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]struct{ raced, plain bool }{
		"orrery/core/world/live":       {raced: true},              // starts goroutines
		"orrery/core/operator/console": {raced: true},              // imports packages that do
		"orrery/core/scheduler/engine": {raced: true, plain: true}, // runs its tests side by side, and more of them without the detector
		"orrery/core/scheduler/queue":  {plain: true},
		"orrery/core/safe/files":       {raced: true}, // runs its own tests side by side
		"orrery/core/trace":            {plain: true}, // fuzzes
		"orrery/views/collect":         {plain: true}, // needs what a goroutine has read, and not the goroutine
		"orrery/cmd/example":           {plain: true}, // runs commands that are raced in cmd/app
		"orrery/demo/scenario":         {plain: true}, // has a field that is called like a function that starts them
	} {
		if got := slices.Contains(raced, path); got != want.raced {
			t.Errorf("%s with the race detector: %t, want %t", path, got, want.raced)
		}
		if got := slices.Contains(plain, path); got != want.plain {
			t.Errorf("%s without it: %t, want %t", path, got, want.plain)
		}
	}
	if slices.Index(plain, "orrery/cmd/app") > slices.Index(plain, "orrery/themes") {
		t.Errorf("the longest tests do not come first: %v", plain)
	}
}

func TestSortByServer(t *testing.T) {
	inProcess, servers, err := sortByServer("..", "./...")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"orrery/core/parity/live":       true,  // starts a server
		"orrery/core/parity/soaklive":   true,  // imports what does
		"orrery/core/parity/monitoring": true,  // evaluates alerts as Prometheus does
		"orrery/core/parity/cycle":      false, // hosts upstream's scheduler in virtual time
	} {
		if slices.Contains(servers, path) != want || slices.Contains(inProcess, path) == want {
			t.Errorf("%s is among those with a server: %t, want %t", path, !want, want)
		}
	}
}
