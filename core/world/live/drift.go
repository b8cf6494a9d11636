package live

import (
	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
)

// Held is the engine's view of the objects, such as its store.
type Held interface {
	Object(kind world.Kind, namespace, name string) world.Object
	Pod(namespace, name string) *v1.Pod
	Len(kind world.Kind) int
}

// Drift counts the differences between a list of one kind and the held objects.
type Drift struct {
	Kind world.Kind
	// Gone objects are held and not listed, New are listed and not held, Changed differ.
	Gone, New, Changed int
}

// None reports whether there is no difference.
func (d Drift) None() bool { return d.Sum() == 0 }

// Sum counts the objects that differ.
func (d Drift) Sum() int { return d.Gone + d.New + d.Changed }

// driftOf compares a list with the held objects.
func driftOf(s Held, list world.Listed) Drift {
	d := Drift{Kind: list.Kind}
	both := 0
	for _, object := range list.Objects {
		held := s.Object(list.Kind, object.GetNamespace(), object.GetName())
		switch {
		case held == nil:
			if !world.IsTerminated(object) {
				d.New++
			}
			continue
		case world.IsTerminated(object):
			d.Gone++
		case held.GetUID() != object.GetUID() || held.GetResourceVersion() != object.GetResourceVersion():
			d.Changed++
		}
		both++
	}
	d.Gone += s.Len(list.Kind) - both
	return d
}

// checkDrift counts and logs the changes in a list that the watch before it had not reported.
func (c *Cluster) checkDrift(list world.Listed) {
	if c.options.Held == nil || !isClosed(c.synced) {
		return
	}
	drift := driftOf(c.options.Held, list)
	if drift.None() {
		return
	}
	c.count.drifted.Add(uint64(drift.Sum()))
	c.options.Logger.Info("Listed again after a watch was lost, and found changes that it had not reported",
		"kind", drift.Kind, "gone", drift.Gone, "new", drift.New, "changed", drift.Changed)
	if c.options.OnDrift != nil {
		c.options.OnDrift(drift)
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
