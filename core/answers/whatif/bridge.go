package whatif

import (
	"time"

	"orrery/core/scheduler/framework"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// bridge connects the simulated cluster and the fork of an engine. The fork already has all objects, so there are no
// initial lists. It removes resource versions, which are not comparable with those of the real cluster; the
// fork accepts objects without one.
type bridge struct{ cluster *memory.Cluster }

// Next returns the next input that is not an initial list, no later than until.
func (b bridge) Next(until time.Time) (world.Input, bool) {
	for {
		in, ok := b.cluster.Next(until)
		if !ok {
			return in, false
		}
		switch event := in.Event.(type) {
		case world.Listed:
			continue
		case world.Changed:
			event.Object = world.Unversioned(event.Object)
			in.Event = event
		}
		return in, true
	}
}

// Do carries out an effect. It drops a plugin's own call, which could reach the real cluster, and counts it as
// succeeded.
func (b bridge) Do(e world.Effect) {
	if run, ok := e.Action.(world.RunPlugin); ok {
		run.Call = nil
		e.Action = run
		if run.Point == string(framework.Bind) {
			e.Action = world.Bind{Pod: run.Pod, Node: run.Node}
		}
	}
	e.Action = ofAnyVersion(e.Action)
	b.cluster.Do(e)
}

// ofAnyVersion removes the versions from the write of a volume or a claim of volumes or devices. They are those of the real cluster.
func ofAnyVersion(a world.Action) world.Action {
	switch act := a.(type) {
	case world.ClaimVolume:
		act.Volume.ResourceVersion, act.Claim.ResourceVersion = "", ""
		return act
	case world.SelectNode:
		act.Claim.ResourceVersion = ""
		return act
	case world.ReserveResourceClaim:
		act.Claim.ResourceVersion = ""
		return act
	case world.DeallocateResourceClaim:
		act.Claim.ResourceVersion = ""
		return act
	}
	return a
}
