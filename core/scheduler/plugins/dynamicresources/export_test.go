package dynamicresources

import (
	"context"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/devices"
)

// Found returns what Filter allocated on a node that it accepted.
func Found(state fwk.CycleState, node string) []resourcev1.AllocationResult {
	c, err := readCycle(state)
	if err != nil {
		return nil
	}
	if found := c.foundOn(node); found != nil && found.verdict != nil {
		return found.results
	}
	return nil
}

// ForgetChange has the kept verdicts hold after the change that is made between the two calls, as if it went unnoticed. It
// returns the second call.
func (pl *DynamicResources) ForgetChange(nodes func() []*v1.Node) func() {
	reached := map[string]devices.Reached{}
	for _, node := range nodes() {
		reached[node.Name] = pl.devices.Reached(node)
	}
	return func() {
		for set := range pl.kept.All() {
			for i, class := range set.classes {
				if class != nil {
					set.classes[i] = pl.devices.Class(class.Name)
				}
			}
			for _, node := range nodes() {
				if kept := set.on(reached[node.Name]); kept != nil {
					unnoticed, now := *kept, pl.devices.Reached(node)
					unnoticed.changed = now.Changed
					pl.kept.keep(set, now.Key, &unnoticed)
				}
			}
		}
	}
}

// FoundOn returns what was allocated on a node of a class that passes.
func (pl *DynamicResources) FoundOn(state fwk.CycleState, node string) []resourcev1.AllocationResult {
	c, err := readCycle(state)
	if err != nil {
		return nil
	}
	if found := pl.found(context.Background(), c, node); found != nil && found.verdict != nil {
		return found.results
	}
	return nil
}

// ForgetReach has the classes of nodes hold whatever changed of the devices.
func (pl *DynamicResources) ForgetReach() {
	for _, set := range pl.classed {
		_, set.nodes.since, _ = pl.devices.ReachChanges(set.nodes.since)
	}
}

// StepsLeft is how many steps a cycle has left to allocate devices.
func StepsLeft(state fwk.CycleState) int64 {
	c, err := readCycle(state)
	if err != nil {
		return -1
	}
	return c.budget.left
}

// Kept counts the sets of requests with verdicts, and what the verdicts hold.
func (pl *DynamicResources) Kept() (sets, devices int) {
	for set := range pl.kept.All() {
		sets++
		for _, v := range set.verdicts {
			devices += v.size()
		}
	}
	return sets, devices
}

// The limits of what is kept.
const (
	MaxRequestSets = maxRequestSets
	MaxKeptDevices = maxKeptDevices
)
