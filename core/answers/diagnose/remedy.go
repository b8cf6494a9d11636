package diagnose

import (
	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/answers/change"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// Remedy is one change that places a pod.
type Remedy struct {
	Change change.Change
	// Node is the pod's node when the change was tried.
	Node string
	// Text is the change in a sentence: "uncordon node-7".
	Text string

	likely string // where the pod is likely to fit; empty if that is not known
}

const (
	// maxTried bounds the candidates to try, and so the cost of a diagnosis: each takes two forks and an explanation.
	//
	//orrery:limit answers; remedies that are tried for a pod; the others are not
	maxTried = 8
	// maxRemedies bounds the remedies to find.
	//
	//orrery:limit answers; remedies in an answer; the search ends
	maxRemedies = 4
)

// remedies tries candidates, the cheapest first. A pod that has a node, or would get one, needs none; a gated pod that
// would get one needs its gates removed, and for any other no single change is enough.
func (p *pendingPod) remedies(x *engine.Explanation) ([]Remedy, error) {
	switch {
	case hasNode(p.engine, p.pod):
		return nil, nil
	case x.Decision.Verdict == engine.Placed && len(p.pod.Spec.SchedulingGates) > 0:
		ungate := change.Change{Verb: change.Ungate, Name: p.name}
		return []Remedy{{Change: ungate, Node: x.Decision.Node, Text: "remove its scheduling gates"}}, nil
	case x.Decision.Verdict == engine.Placed || len(p.pod.Spec.SchedulingGates) > 0:
		return nil, nil
	}
	return p.tryCandidates(x)
}

// tryCandidates returns the candidates that place the pod, at most maxRemedies.
func (p *pendingPod) tryCandidates(x *engine.Explanation) ([]Remedy, error) {
	var remedies []Remedy
	for i, r := range p.candidates(x) {
		if i == maxTried || len(remedies) == maxRemedies {
			break
		}
		var err error
		if r.Node, err = try(p.engine, p.pod, &r); err != nil {
			return nil, err
		}
		if r.Node != "" {
			remedies = append(remedies, r)
		}
	}
	return remedies, nil
}

// hasNode reports whether the pod is bound, or assumed on a node.
func hasNode(e *engine.Engine, pod *v1.Pod) bool {
	if pod.Spec.NodeName != "" {
		return true
	}
	_, err := e.Cache().GetPod(pod)
	return err == nil
}

// try makes a change in a fork and returns the pod's node there; empty if none.
func try(e *engine.Engine, pod *v1.Pod, r *Remedy) (string, error) {
	events := eventsOf(e, pod, r.Change)
	if events == nil {
		return "", nil
	}
	return e.TryOn(pod.Namespace, pod.Name, r.likely, events...)
}

// eventsOf returns a change for the pod as the cluster would report it, none if it is impossible.
func eventsOf(e *engine.Engine, pod *v1.Pod, c change.Change) []world.Event {
	switch c.Verb {
	case change.Uncordon:
		node := e.Store().Node(c.Name).DeepCopy()
		node.Spec.Unschedulable = false
		untaint := change.Change{Verb: change.Untaint, Value: v1.TaintNodeUnschedulable}
		if taints, err := untaint.AlterTaints(node.Spec.Taints, metav1.Time{}); err == nil {
			node.Spec.Taints = taints
		}
		node.ResourceVersion = ""
		return []world.Event{world.Changed{Op: world.Modified, Object: node}}
	case change.Label:
		node := e.Store().Node(c.Name)
		if node == nil {
			return nil
		}
		node = node.DeepCopy()
		node.ResourceVersion = ""
		if c.AlterLabels(node) != nil {
			return nil
		}
		return []world.Event{world.Changed{Op: world.Modified, Object: node}}
	case change.AddNodes:
		name := newNodeName(e, c.Name)
		node := change.NodeLike(e.Store().Node(c.Name), name)
		node.UID = types.UID("diagnose-" + name)
		return append(slicesOfNode(e, e.Store().Node(c.Name), name), world.Changed{Op: world.Added, Object: node})
	case change.AddVolume, change.SetCapacity, change.SetClass, change.DeletePod:
		return storageEvents(e, pod, c)
	case change.AddDevice, change.FreeClaim, change.SetDeviceClass, change.SetDeviceCount, change.RelaxClaim, change.DropConstraint, change.TolerateDevices:
		return deviceEvents(e, c)
	}
	changed := pod.DeepCopy()
	changed.ResourceVersion = ""
	noClasses := func(string) *schedulingv1.PriorityClass { return nil }
	if err := c.AlterPod(changed, noClasses, e.Profiles(), numeric(e)); err != nil {
		return nil
	}
	return []world.Event{world.Changed{Op: world.Modified, Object: changed}}
}

// newNodeName is the name of a new node like a model.
func newNodeName(e *engine.Engine, model string) string {
	name := model + "-new"
	for e.Store().Node(name) != nil {
		name += "1"
	}
	return name
}

// ofPod reports whether a change is made to the pod itself, by its name.
func ofPod(c change.Change) bool {
	switch c.Verb {
	case change.SetRequests, change.Ungate, change.Tolerate, change.Select, change.Unselect, change.SetSpread:
		return true
	}
	return false
}
