package diagnose

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1"

	"orrery/core/evict"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/volumes"
	"orrery/core/world"
)

// Lifecycle is where a pod is, whatever would be decided about it now.
type Lifecycle struct {
	Phase Phase
	// Node is where it has its place, and Since when it got there; zero if that is not known.
	Node  string
	Since time.Time
	// NoNode says that no node of that name exists. Silent says that the node's kubelet does not answer, since SilentSince.
	NoNode, Silent bool
	SilentSince    time.Time
	// Termination is its deletion; nil for a pod that is not being deleted.
	Termination *Termination

	result v1.PodPhase // of a pod that has ended
}

// Phase is how far a pod is.
type Phase uint8

// The phases.
const (
	PhasePending Phase = iota // without a place
	PhaseBinding              // it has a place and is not bound yet
	PhaseBound                // its containers have not started, as far as its status tells
	PhaseRunning
	PhaseEnded // all of its containers have terminated for good
)

// Termination is the deletion of a pod.
type Termination struct {
	// Since is when it was deleted, Until when its grace period ends. Over says that this has passed.
	Since, Until time.Time
	Over         bool
	Finalizers   []string
	// Cause is empty for a pod that was deleted without a reason in its status. By is the pod that it made room for, or the taint; empty
	// if that is not known.
	Cause evict.Cause
	By    string
}

// LifecycleOf returns where a pod is.
func LifecycleOf(e *engine.Engine, pod *v1.Pod) Lifecycle {
	l := Lifecycle{Node: pod.Spec.NodeName}
	switch pod.Status.Phase {
	case v1.PodSucceeded, v1.PodFailed:
		l.Phase, l.result = PhaseEnded, pod.Status.Phase
	case v1.PodRunning:
		l.Phase = PhaseRunning
	default:
		l.Phase = PhaseBound
	}
	if l.Node == "" && l.Phase != PhaseEnded {
		l.Phase = PhasePending
		switch placed, err := e.Cache().GetPod(pod); {
		case err == nil && e.PodState(pod.Namespace, pod.Name) == engine.StateBound: // its update with the node has not come yet
			l.Phase, l.Node = PhaseBound, placed.Spec.NodeName
		case err == nil:
			l.Phase, l.Node = PhaseBinding, placed.Spec.NodeName
		}
	}
	if l.Node != "" {
		l.Since = placedSince(e, pod)
		l.readNode(e)
	}
	if pod.DeletionTimestamp != nil && l.Phase != PhaseEnded {
		l.Termination = terminationOf(e, pod, l.Node)
	}
	return l
}

// placedSince returns when a pod got its node, by its status, or by what the scheduler has seen; zero if neither tells.
func placedSince(e *engine.Engine, pod *v1.Pod) time.Time {
	if at := pod.Status.StartTime; at != nil && !at.IsZero() {
		return at.UTC()
	}
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == v1.PodScheduled && c.Status == v1.ConditionTrue && !c.LastTransitionTime.IsZero() {
			return c.LastTransitionTime.UTC()
		}
	}
	if all := e.PodTransitions(pod.UID); len(all) > 0 {
		return all[len(all)-1].At.UTC()
	}
	return time.Time{}
}

func (l *Lifecycle) readNode(e *engine.Engine) {
	node := e.Store().Node(l.Node)
	if node == nil {
		l.NoNode = true
		return
	}
	for i := range node.Status.Conditions {
		if c := &node.Status.Conditions[i]; c.Type == v1.NodeReady && c.Status == v1.ConditionUnknown {
			l.Silent, l.SilentSince = true, c.LastTransitionTime.UTC()
		}
	}
}

func terminationOf(e *engine.Engine, pod *v1.Pod, node string) *Termination {
	t := &Termination{Until: pod.DeletionTimestamp.UTC(), Finalizers: pod.Finalizers}
	t.Since, t.Over = t.Until, !t.Until.After(e.Now())
	if grace := pod.DeletionGracePeriodSeconds; grace != nil {
		t.Since = t.Until.Add(-time.Duration(*grace) * time.Second)
	}
	switch t.Cause, _ = evict.DisruptionOf(pod); t.Cause {
	case evict.Preemption:
		t.By = preemptorOf(e, pod, node)
	case evict.Taint:
		t.By = noExecuteTaint(e, node)
	}
	return t
}

// preemptorOf names the pod for which a victim was evicted: the one whose decision chose it, or the only one of higher priority that is
// nominated to the victim's node. It is empty if neither tells.
func preemptorOf(e *engine.Engine, victim *v1.Pod, node string) string {
	for d := range e.Decisions() {
		if d.Preemption == nil {
			continue
		}
		for _, v := range d.Preemption.Victims {
			if v.UID == victim.UID {
				return d.Pod.Namespace + "/" + d.Pod.Name
			}
		}
	}
	if node == "" {
		return ""
	}
	only := ""
	for o := range e.Store().Objects(world.Pod) {
		pod := o.(*v1.Pod)
		if pod.Status.NominatedNodeName != node || pod.Spec.NodeName != "" || corev1.PodPriority(pod) <= corev1.PodPriority(victim) {
			continue
		}
		if only != "" {
			return ""
		}
		only = fullName(pod)
	}
	return only
}

// noExecuteTaint returns the first taint of a node that evicts pods; empty if it has none any more.
func noExecuteTaint(e *engine.Engine, name string) string {
	if node := e.Store().Node(name); node != nil {
		for i := range node.Spec.Taints {
			if t := &node.Spec.Taints[i]; t.Effect == v1.TaintEffectNoExecute {
				return t.ToString()
			}
		}
	}
	return ""
}

// IsBound reports whether the pod has a node for good: it is neither pending nor being bound.
func (l *Lifecycle) IsBound() bool { return l.Phase == PhaseBound || l.Phase == PhaseRunning }

// Leaves reports whether the scheduler has nothing more to do with the pod: it has ended, or is being deleted.
func (l *Lifecycle) Leaves() bool { return l.Phase == PhaseEnded || l.Termination != nil }

// Text says after the pod's name where it is; empty for a pod without a place that stays.
func (l *Lifecycle) Text() string {
	switch {
	case l.Phase == PhaseEnded:
		return "has ended" + on(l.Node) + ": " + string(l.result)
	case l.Termination != nil && l.Node == "":
		return "is being deleted" + sinceIfKnown(l.Termination.Since) + l.Termination.details() + l.nodeTrouble()
	case l.Termination != nil:
		return "is Terminating" + on(l.Node) + sinceIfKnown(l.Termination.Since) + l.Termination.details() + l.nodeTrouble()
	case l.Phase == PhasePending:
		return ""
	case l.NoNode:
		return "is bound to " + l.Node + ", which does not exist: nothing runs it"
	case l.Phase == PhaseBinding:
		return "is being bound to " + l.Node + sinceIfKnown(l.Since)
	case l.Silent:
		return "is" + on(l.Node) + sinceIfKnown(l.Since) + l.nodeTrouble()
	case l.Phase == PhaseRunning:
		return "runs" + on(l.Node) + sinceIfKnown(l.Since)
	}
	return "is bound to " + l.Node + sinceIfKnown(l.Since) + "; its containers have not started"
}

func on(node string) string {
	if node == "" {
		return ""
	}
	return " on " + node
}

func sinceIfKnown(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return volumes.SinceText(t)
}

func (l *Lifecycle) nodeTrouble() string {
	switch {
	case l.NoNode:
		return "; " + l.Node + " does not exist"
	case l.Silent:
		return "; the kubelet of " + l.Node + " has not answered" + sinceIfKnown(l.SilentSince)
	}
	return ""
}

// causeWords say why a pod is being deleted.
var causeWords = map[evict.Cause]string{
	evict.Preemption: "preempted", evict.Taint: "evicted by a taint", evict.DeviceTaint: "evicted by a taint of its device",
	evict.NodePressure: "evicted by its kubelet, under pressure", evict.EvictionAPI: "evicted through the API, as by a drain",
	evict.NodeShutdown: "its node is shutting down", evict.NodeGone: "its node is gone",
}

// details are by whom the pod is deleted, its grace period, and its finalizers.
func (t *Termination) details() string {
	text := ""
	if words := causeWords[t.Cause]; words != "" {
		text = ": " + words
		switch {
		case t.By != "" && t.Cause == evict.Preemption:
			text += " by " + t.By
		case t.By != "":
			text += ", " + t.By
		}
	}
	if grace := t.Until.Sub(t.Since); grace > 0 {
		verb := "ends"
		if t.Over {
			verb = "ended"
		}
		text += "; its grace period of " + grace.String() + " " + verb + " " + t.Until.Format(time.RFC3339)
	}
	switch len(t.Finalizers) {
	case 0:
		return text
	case 1:
		return text + "; finalizer " + t.Finalizers[0] + " keeps it"
	}
	return text + "; finalizers " + listed(t.Finalizers) + " keep it"
}

// State is the pod's state in the scheduler, or that it is being deleted.
func (l *Lifecycle) State(of engine.PodState) string {
	if l.Termination != nil {
		return StateTerminating
	}
	return string(of)
}

// StateTerminating is the state of a pod that is being deleted, whatever it is to the scheduler.
const StateTerminating = "terminating"
