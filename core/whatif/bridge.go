package whatif

import (
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/framework"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// bridge is the simulated cluster as the fork of an engine may see it. The fork knows all there was already, so it is
// not told the first lists; what it is told has no version, since versions of the other cluster cannot be counted on
// from, and is believed for that.
type bridge struct{ cluster *memory.Cluster }

// Next is the next input that is news, no later than until.
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
			event.Object = unversioned(event.Object)
			in.Event = event
		}
		return in, true
	}
}

func unversioned(o world.Object) world.Object {
	switch o := o.(type) {
	case *v1.Pod:
		c := *o
		c.ResourceVersion = ""
		return &c
	case *v1.Node:
		c := *o
		c.ResourceVersion = ""
		return &c
	}
	c := o.DeepCopyObject().(world.Object)
	c.SetResourceVersion("")
	return c
}

// Do takes an effect over. A plugin's own call could reach the real cluster, so it is not made: it counts as succeeded.
func (b bridge) Do(e world.Effect) {
	if run, ok := e.Act.(world.Run); ok {
		run.Call = nil
		e.Act = run
		if run.Point == string(framework.Bind) {
			e.Act = world.Bind{Pod: run.Pod, Node: run.Node}
		}
	}
	b.cluster.Do(e)
}
