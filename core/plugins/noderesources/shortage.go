package noderesources

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// shortage is what a node lacks for a pod, one bit for each resource that every node has.
type shortage uint8

const (
	tooManyPods shortage = 1 << iota
	cpuIsShort
	memoryIsShort
	ephemeralIsShort
	// beyondNode says that something is asked for that the whole node does not have.
	beyondNode
	// scalarIsShort is for the resources that only some nodes have; they bring reasons of their own.
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

// basicStatus has a ready answer for every shortage, so that turning a node down allocates nothing. The answers are
// shared: whoever receives one must not append to it.
var basicStatus = func() (all [scalarIsShort]*fwk.Status) {
	for found := tooManyPods; found < scalarIsShort; found++ {
		all[found] = found.status(nil)
	}
	return all
}()

// status says what is short, with more reasons after the usual ones.
func (s shortage) status(more []string) *fwk.Status {
	var reasons []string
	for _, basic := range basicReasons {
		if s&basic.lack != 0 {
			reasons = append(reasons, basic.reason)
		}
	}
	code := fwk.Unschedulable
	if s&beyondNode != 0 {
		code = fwk.UnschedulableAndUnresolvable
	}
	return fwk.NewStatus(code, append(reasons, more...)...).WithPlugin(Name)
}

// compare finds one resource short, or not: need is what the pod asks for, there what the node has in all, taken what
// its pods have taken.
func compare(lack shortage, need, there, taken int64) shortage {
	switch {
	case need == 0:
		return 0
	case need > there:
		return lack | beyondNode
	case need > there-taken:
		return lack
	}
	return 0
}

// scalarCheck is a scalar that the filter compares, with the answers ready for a node that lacks nothing else.
type scalarCheck struct {
	scalar
	reason string
	taken  *fwk.Status // preemption may help
	absent *fwk.Status // the node does not have as many
}

func newScalarCheck(need scalar) scalarCheck {
	reasons := []string{"Insufficient " + string(need.name)}
	return scalarCheck{
		scalar: need,
		reason: reasons[0],
		taken:  fwk.NewStatus(fwk.Unschedulable, reasons...).WithPlugin(Name),
		absent: fwk.NewStatus(fwk.UnschedulableAndUnresolvable, reasons...).WithPlugin(Name),
	}
}

// withScalars completes the answer for a pod that asks for scalars. One scalar alone being short is by far the most
// frequent refusal in a cluster of accelerators; only mixed ones build a status.
func withScalars(found shortage, checks []scalarCheck, there, taken map[v1.ResourceName]int64) *fwk.Status {
	var only *scalarCheck
	several := false
	for i := range checks {
		c := &checks[i]
		if lack := c.compare(there, taken); lack != 0 {
			found |= lack
			several = several || only != nil
			only = c
		}
	}
	switch {
	case found&scalarIsShort == 0:
		return basicStatus[found]
	case several || found&^(scalarIsShort|beyondNode) != 0:
		var reasons []string
		for i := range checks {
			if checks[i].compare(there, taken) != 0 {
				reasons = append(reasons, checks[i].reason)
			}
		}
		return found.status(reasons)
	case found&beyondNode != 0:
		return only.absent
	}
	return only.taken
}

func (c *scalarCheck) compare(there, taken map[v1.ResourceName]int64) shortage {
	return compare(scalarIsShort, c.amount, there[c.name], taken[c.name])
}
