package main

import (
	"fmt"

	"orrery/core/testing/mk"
	"orrery/core/testing/mk/kinds"
	"orrery/core/world"
)

// gangRows are pods that are bound together, each gang with a workload of its own.
var gangRows = []row{
	{name: "gangs of 10", gang: 10, gates: gangGates, pod: memberOf(10)},
	{name: "gangs of 100", gang: 100, gates: gangGates, pod: memberOf(100)},
}

var gangGates = []string{"GenericWorkload", "GangScheduling"}

// memberOf returns the pods of gangs of a size.
func memberOf(size int) func(int) *mk.PodBuilder {
	return func(i int) *mk.PodBuilder { return kinds.Plain(i).InGroup(gangName(i/size), "workers") }
}

func gangName(i int) string { return fmt.Sprintf("gang%d", i) }

// wholeGangs rounds a number of pods up to gangs that are complete.
func (r row) wholeGangs(pods int) int {
	if r.gang == 0 {
		return pods
	}
	return (pods + r.gang - 1) / r.gang * r.gang
}

// workload returns the workload that comes before the i-th pod: that of a gang comes before its first.
func (r row) workload(i int) []world.Object {
	if r.gang == 0 || i%r.gang > 0 {
		return nil
	}
	return []world.Object{mk.Workload(gangName(i/r.gang), mk.Gang("workers", int32(r.gang)))}
}
