// Package deeds is what the histories of evictions are compared by: what a controller did to whom, and when. It also lets time
// go by for the controllers here; upstream's run in testing/synctest's virtual time.
package deeds

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"orrery/core/parity/virtual"
	"orrery/core/world"
)

// SeenAfter is how long a change takes to be seen by who asked for it.
const SeenAfter = time.Microsecond

// Deed is one thing that a controller did.
type Deed struct {
	At   time.Duration // since virtual time began
	What string        // a pod, or a rule
	Did  string
}

// New is a deed of a moment.
func New(at time.Time, what, did string) Deed { return Deed{at.Sub(virtual.Began), what, did} }

func (d Deed) String() string { return fmt.Sprintf("%11.5fs %s: %s", d.At.Seconds(), d.What, d.Did) }

// InOrder are deeds in words, by time, and those of one moment by what they were done to.
func InOrder(all []Deed) []string {
	slices.SortStableFunc(all, func(a, b Deed) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.What, b.What), cmp.Compare(a.Did, b.Did))
	})
	lines := make([]string, len(all))
	for i, d := range all {
		lines[i] = d.String()
	}
	return lines
}

// Controller is one of ours.
type Controller interface {
	NextWake() (time.Time, bool)
}

// Next is what a controller is told next, if that is not later than a time: the first of what it sees soon, or that its own
// timer is due. What is seen goes before a timer of the same moment.
func Next(c Controller, soon *[]world.Input, to time.Time) (world.Input, bool) {
	wake, due := c.NextWake()
	if all := *soon; len(all) > 0 && !all[0].At.After(to) && (!due || !wake.Before(all[0].At)) {
		*soon = all[1:]
		return all[0], true
	}
	if due && !wake.After(to) {
		return world.Input{At: wake, Event: world.Passed{}}, true
	}
	return world.Input{}, false
}
