package journey

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"

	"orrery/core/objects/requests"
	"orrery/core/world"
)

// Pod is what is known of a pod.
type Pod struct {
	world.PodRef
	// Object is its last known state.
	Object *v1.Pod
	// Created is when it was created: when it came, if that was within two seconds of its creation, which the API server only
	// gives in whole seconds.
	Created time.Time
	// Bound is when it was first known to be on its node, Running when it was first known to run. Zero if that did not happen in the recording.
	Bound, Running time.Time
	// OnNode says that it had its node when the recording first knew of it: its journey is not in the recording.
	OnNode bool
	// Node is its node.
	Node string
	// Attempts counts its attempts, In how long it was in each state.
	Attempts int
	In       [States]time.Duration
	// HeldBy is how long it was Unschedulable or in Backoff by the plugins that had rejected it, longest first at the end.
	HeldBy []Held
	// Preempting counts its attempts that preempted others.
	Preempting int
	// Failed counts its bindings that failed.
	Failed int
	// End is when it was gone, and Ending why; zero and empty for one that is there at the end of the recording.
	End    time.Time
	Ending Ending
	// State is the last one.
	State State

	current   Stage
	open      bool
	carried   bool     // from another engine: what this one says of the pod is not known yet
	rejectors []string // of its last attempt that failed
}

// Ending is why a pod is gone.
type Ending string

// The endings.
const (
	Deleted   Ending = "deleted"
	Succeeded Ending = "succeeded"
	Failed    Ending = "failed"
	Evicted   Ending = "evicted"
	Preempted Ending = "preempted"
)

// Held is a plugin and how long a pod waited after it had rejected it.
type Held struct {
	Plugin string
	For    time.Duration
}

// Requests returns a pod's requests.
func (p *Pod) Requests() v1.ResourceList {
	if p.Object == nil {
		return nil
	}
	return requests.Of(p.Object, resource.PodResourcesOptions{})
}

// lag is how much later than its creation a pod may come and still count as created when it came.
const lag = 2 * time.Second

// createdAt is when a pod was created, by its timestamp and when it came.
func createdAt(pod *v1.Pod, came time.Time) time.Time {
	created := pod.CreationTimestamp.Time
	if after := came.Sub(created); created.IsZero() || after >= 0 && after < lag {
		return came
	}
	if created.After(came) {
		return came // clocks differ
	}
	return created
}

// hold adds a time after a rejection to the plugins that rejected, and keeps them in the order of their times.
func (p *Pod) hold(plugins []string, by time.Duration) {
	for _, plugin := range plugins {
		at := -1
		for i := range p.HeldBy {
			if p.HeldBy[i].Plugin == plugin {
				at = i
			}
		}
		if at < 0 {
			if len(p.HeldBy) == maxHolders {
				continue
			}
			p.HeldBy = append(p.HeldBy, Held{Plugin: plugin})
			at = len(p.HeldBy) - 1
		}
		p.HeldBy[at].For += by
		for ; at > 0 && p.HeldBy[at].For > p.HeldBy[at-1].For; at-- {
			p.HeldBy[at], p.HeldBy[at-1] = p.HeldBy[at-1], p.HeldBy[at]
		}
	}
}

// maxHolders bounds the plugins that are kept of a pod; a profile has fewer.
//
//orrery:limit recordings; plugins that held a pod back, in an export or a report; the others are left out
const maxHolders = 32

// endingOf is why a pod that ended is gone.
func endingOf(pod *v1.Pod) Ending {
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == v1.DisruptionTarget && c.Status == v1.ConditionTrue {
			if c.Reason == v1.PodReasonPreemptionByScheduler {
				return Preempted
			}
			return Evicted
		}
	}
	switch {
	case pod.Status.Phase == v1.PodFailed && pod.Status.Reason == "Evicted":
		return Evicted
	case pod.Status.Phase == v1.PodFailed:
		return Failed
	case pod.Status.Phase == v1.PodSucceeded:
		return Succeeded
	}
	return Deleted
}

func started(pod *v1.Pod) bool {
	switch pod.Status.Phase {
	case v1.PodRunning, v1.PodSucceeded, v1.PodFailed:
		return true
	}
	return false
}
