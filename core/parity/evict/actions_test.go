package evict

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"orrery/core/parity/difftest"
	"orrery/core/world"
)

// watchDelay is the delay until a controller's own write arrives as a watch event.
const watchDelay = time.Microsecond

// actionRecord is one action of a controller.
type actionRecord struct {
	At   time.Duration // since virtual time began
	What string        // a pod, or a rule
	Did  string
}

func actionAt(at time.Time, what, actions string) actionRecord {
	return actionRecord{at.Sub(difftest.SynctestStart), what, actions}
}

func (a actionRecord) String() string {
	return fmt.Sprintf("%11.5fs %s: %s", a.At.Seconds(), a.What, a.Did)
}

// actionTexts formats actions in the order of time, and actions at the same time in the order of their objects.
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

// nextInput returns the next input of one of Orrery's controllers up to a time: the first pending watch event,
// or a tick when its timer expires. A watch event precedes a timer of the same time.
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
