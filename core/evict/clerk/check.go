package clerk

import (
	"maps"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/evict"
	"orrery/core/evict/budget"
	"orrery/core/world"
)

// foreseen are the causes for which times are foretold.
var foreseen = []evict.Cause{evict.Taint, evict.DeviceTaint}

// asked notes on a departure that its pod is seen to be asked to leave. Before is the pod as it was, nil if it was not known.
func (c *Clerk) asked(d *evict.Departure, before *v1.Pod) {
	f := &d.Foretold
	if !f.Asked.IsZero() {
		return
	}
	f.Asked = c.now
	if d.Cause == evict.EvictionAPI && before != nil && before.UID == d.Pod.UID {
		f.Judged, f.Answered = c.judge(before), evict.Allowed
	}
}

// Refused tells that somebody asked for a pod to be evicted and was refused, because a disruption budget did not allow it.
// Who only watches never sees that.
func (c *Clerk) Refused(at time.Time, pod world.Ref, by, why string) {
	c.pass(at)
	p := c.store.Pod(pod.Namespace, pod.Name)
	if p == nil || pod.UID != "" && p.UID != pod.UID {
		return
	}
	if _, leaves := c.board.Find(p.UID, evict.EvictionAPI); leaves {
		return
	}
	d := evict.Departure{
		Pod: world.RefOf(p), Node: p.Spec.NodeName, Cause: evict.EvictionAPI, Phase: evict.Cancelled, By: by, Why: why,
		Noticed: c.now, Ended: c.now, Foretold: evict.Foretelling{Judged: c.judge(p), Answered: evict.Refused},
	}
	d.Budget, d.Allowed = c.board.Guarding(p)
	c.board.Write(d)
}

// judge is whether a pod may be evicted, by the budgets as they are known. They are taken as they were before the pod was
// counted among those that are allowed to go.
func (c *Clerk) judge(pod *v1.Pod) evict.Ruling {
	budgets := c.board.Guards(pod.Namespace)
	for i, pdb := range budgets {
		if _, charged := pdb.Status.DisruptedPods[pod.Name]; charged {
			budgets[i] = uncharged(pdb, pod.Name)
		}
	}
	v := budget.Judge(budget.Request{
		Name: pod.Name, Pod: pod, Budgets: budgets, Now: c.now,
		Eviction: &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}},
	})
	switch {
	case v.Refusal != nil:
		return evict.Refused
	case v.Counted == nil:
		return evict.Unjudged
	}
	return evict.Allowed
}

// uncharged is a budget as it was before it let a pod go.
func uncharged(pdb *policyv1.PodDisruptionBudget, pod string) *policyv1.PodDisruptionBudget {
	was := *pdb
	was.Status.DisruptionsAllowed++
	was.Status.DisruptedPods = maps.Clone(pdb.Status.DisruptedPods)
	delete(was.Status.DisruptedPods, pod)
	return &was
}

// wentUnmarked notes why a pod went that bears no mark. Whoever makes a pod leave for a taint marks it first.
func (c *Clerk) wentUnmarked(pod *v1.Pod, seen bool) {
	why := "somebody deleted it"
	switch {
	case pod.Status.Phase == v1.PodSucceeded:
		why = "it ran to its end"
	case pod.Status.Phase == v1.PodFailed:
		why = "it failed"
	}
	for _, cause := range foreseen {
		d, open := c.board.Find(pod.UID, cause)
		if !open || !d.Predicted {
			continue
		}
		if seen || pod.DeletionTimestamp != nil {
			d.Foretold.Instead = why
		} else {
			d.Foretold.Unseen = true
		}
		c.board.Write(d)
	}
}

// overtaken notes for what a pod left in place of what was foretold.
func (c *Clerk) overtaken(pod *v1.Pod, cause evict.Cause, is mark) {
	if d, open := c.board.Find(pod.UID, cause); open {
		d.Foretold.Instead = "it left for another cause: " + string(is.cause)
		c.board.Write(d)
	}
}
