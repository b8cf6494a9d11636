package whatif

import (
	"fmt"
	"slices"
	"strings"

	"orrery/core/answers/change"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/release"
)

// upgrades reports whether one of the sets of changes has the scheduler upgraded.
func upgrades(each [][]change.Change) bool {
	return slices.ContainsFunc(each, func(changes []change.Change) bool {
		return slices.ContainsFunc(changes, func(c change.Change) bool { return c.Verb == change.Upgrade })
	})
}

// upgrade has the scheduler decide as another release from now on.
func (r *run) upgrade(to string) error {
	as, err := release.Parse(to)
	if err != nil {
		return err
	}
	is := r.engine.Features()
	features, left := is.In(as)
	if features == is {
		return fmt.Errorf("the scheduler decides as Kubernetes %v already: name another release", as)
	}
	if len(left) > 0 {
		r.notes = append(r.notes, fmt.Sprintf("Kubernetes %v does not take the feature gates %s, which are at its defaults", as, strings.Join(left, ", ")))
	}
	return r.restart(features)
}

// applyDue applies the changes to the scheduler before it decides: one that has just started has pods to decide on at once.
func (r *run) applyDue() {
	for in, ok := r.bridge.Next(r.now); ok; in, ok = r.bridge.Next(r.now) {
		r.applyInput(in)
	}
}

// restart replaces the scheduler by one that has just started.
func (r *run) restart(features config.Features) error {
	e, err := r.engine.Restarted(features)
	if err != nil {
		return err
	}
	r.engine = e
	r.devices = nil
	r.startDeviceTaints()
	return nil
}
