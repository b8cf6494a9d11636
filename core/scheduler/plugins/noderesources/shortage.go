package noderesources

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// shortage is the set of resources that a node lacks for a pod, one bit for each.
type shortage uint8

const (
	tooManyPods shortage = 1 << iota
	cpuIsShort
	memoryIsShort
	ephemeralIsShort
	// exceedsNode says that a request exceeds the whole node.
	exceedsNode
	// scalarIsShort is for scalar resources, which have their own reasons.
	scalarIsShort
)

var basicReasons = [...]struct {
	lack   shortage
	reason string
}{
	{tooManyPods, "Too many pods"},
	{cpuIsShort, "Insufficient cpu"},
	{memoryIsShort, "Insufficient memory"},
	{ephemeralIsShort, "Insufficient ephemeral-storage"},
}

// basicStatus has a status for every shortage without scalars, so that a rejection allocates nothing. The statuses are
// shared: their receivers must not append to them.
var basicStatus = func() (all [scalarIsShort]*fwk.Status) {
	for found := tooManyPods; found < scalarIsShort; found++ {
		all[found] = found.status(nil)
	}
	return all
}()

// status is the rejection for a shortage, with more reasons after the basic ones.
func (s shortage) status(more []string) *fwk.Status {
	var reasons []string
	for _, basic := range basicReasons {
		if s&basic.lack != 0 {
			reasons = append(reasons, basic.reason)
		}
	}
	code := fwk.Unschedulable
	if s&exceedsNode != 0 {
		code = fwk.UnschedulableAndUnresolvable
	}
	return fwk.NewStatus(code, append(reasons, more...)...).WithPlugin(Name)
}

// checkResource checks one resource: need is the pod's request, allocatable and requested are the node's amounts.
func checkResource(lack shortage, need, allocatable, requested int64) shortage {
	switch {
	case need == 0:
		return 0
	case need > allocatable:
		return lack | exceedsNode
	case need > allocatable-requested:
		return lack
	}
	return 0
}

// scalarCheck is a scalar that Filter checks, with the statuses for a node that lacks nothing else.
type scalarCheck struct {
	scalar
	byDevices    bool // a node without any is left to DynamicResources
	reason       string
	insufficient *fwk.Status // preemption may help
	exceedsNode  *fwk.Status // the whole node has less
}

func newScalarCheck(need scalar) scalarCheck {
	reasons := []string{"Insufficient " + string(need.name)}
	return scalarCheck{
		scalar:       need,
		reason:       reasons[0],
		insufficient: fwk.NewStatus(fwk.Unschedulable, reasons...).WithPlugin(Name),
		exceedsNode:  fwk.NewStatus(fwk.UnschedulableAndUnresolvable, reasons...).WithPlugin(Name),
	}
}

// addScalars adds the scalars to the status. A shortage of one scalar alone is by far the most frequent rejection in a
// cluster of accelerators; only mixed ones build a status.
func addScalars(found shortage, checks []scalarCheck, allocatable, requested map[v1.ResourceName]int64) *fwk.Status {
	var only *scalarCheck
	several := false
	for i := range checks {
		c := &checks[i]
		if lack := c.check(allocatable, requested); lack != 0 {
			found |= lack
			several = several || only != nil
			only = c
		}
	}
	switch {
	case found&scalarIsShort == 0:
		return basicStatus[found]
	case several || found&^(scalarIsShort|exceedsNode) != 0:
		var reasons []string
		for i := range checks {
			if checks[i].check(allocatable, requested) != 0 {
				reasons = append(reasons, checks[i].reason)
			}
		}
		return found.status(reasons)
	case found&exceedsNode != 0:
		return only.exceedsNode
	}
	return only.insufficient
}

func (c *scalarCheck) check(allocatable, requested map[v1.ResourceName]int64) shortage {
	if c.byDevices && allocatable[c.name] == 0 {
		return 0
	}
	return checkResource(scalarIsShort, c.amount, allocatable[c.name], requested[c.name])
}
