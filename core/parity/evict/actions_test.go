package evict

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"orrery/core/parity/difftest"
	"orrery/core/world"
)

// watchDelay is how long a change takes until the controller that made it sees it.
const watchDelay = time.Microsecond

// actionRecord is one thing that a controller did.
type actionRecord struct {
	At   time.Duration // since virtual time began
	What string        // a pod, or a rule
	Did  string
}

func actionAt(at time.Time, what, did string) actionRecord {
	return actionRecord{at.Sub(difftest.SynctestStart), what, did}
}

func (a actionRecord) String() string {
	return fmt.Sprintf("%11.5fs %s: %s", a.At.Seconds(), a.What, a.Did)
}

// actionTexts are actions in the order of time; those of one moment are ordered by what they were done to.
func actionTexts(all []actionRecord) []string {
	slices.SortStableFunc(all, func(a, b actionRecord) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.What, b.What), cmp.Compare(a.Did, b.Did))
	})
	lines := make([]string, len(all))
	for i, a := range all {
		lines[i] = a.String()
	}
	return lines
}

// nextInput is the next input of one of Orrery's controllers, if it is not later than a time: the first pending watch event,
// or a tick when its own timer expires. A watch event comes before a timer of the same moment.
func nextInput(c interface{ NextWake() (time.Time, bool) }, pending *[]world.Input, to time.Time) (world.Input, bool) {
	wake, due := c.NextWake()
	if all := *pending; len(all) > 0 && !all[0].At.After(to) && (!due || !wake.Before(all[0].At)) {
		*pending = all[1:]
		return all[0], true
	}
	if due && !wake.After(to) {
		return world.Input{At: wake, Event: world.Tick{}}, true
	}
	return world.Input{}, false
}
