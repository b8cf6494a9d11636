package observer

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

// predictedCauses are the causes for which times are predicted.
var predictedCauses = []evict.Cause{evict.Taint, evict.DeviceTaint}

// noteObserved records that a pod's eviction was seen. Before is the pod's previous state, nil if it was not known.
func (c *Observer) noteObserved(d *evict.Eviction, before *v1.Pod) {
	f := &d.Prediction
	if !f.ObservedAt.IsZero() {
		return
	}
	f.ObservedAt = c.now
	if d.Cause == evict.EvictionAPI && before != nil && before.UID == d.Pod.UID {
		f.PredictedAnswer, f.Answer = c.predictAnswer(before), evict.Allowed
	}
}

// EvictionRefused records that the eviction API refused an eviction because of a PodDisruptionBudget. A watch never shows
// that.
func (c *Observer) EvictionRefused(at time.Time, pod world.PodRef, by, why string) {
	c.advance(at)
	p := c.store.Pod(pod.Namespace, pod.Name)
	if p == nil || pod.UID != "" && p.UID != pod.UID {
		return
	}
	if _, leaves := c.record.Find(p.UID, evict.EvictionAPI); leaves {
		return
	}
	d := evict.Eviction{
		Pod: world.PodRefOf(p), Node: p.Spec.NodeName, Cause: evict.EvictionAPI, Phase: evict.Cancelled, Initiator: by, Reason: why,
		FirstSeen: c.now, Ended: c.now, Prediction: evict.Prediction{PredictedAnswer: c.predictAnswer(p), Answer: evict.Refused},
	}
	d.Budget, d.DisruptionsAllowed = c.record.BudgetOf(p)
	c.record.Write(d)
}

// Refusal returns in few words why the eviction API would refuse now to evict a pod because of a PodDisruptionBudget; empty if it
// would not, as far as is known.
func (c *Observer) Refusal(pod *v1.Pod) string {
	if v := c.evaluate(pod, c.record.Budgets(pod.Namespace)); v.Refusal != nil && v.Budget != nil {
		return v.Brief()
	}
	return ""
}

// predictAnswer predicts the answer of the eviction API by the known budgets, without a charge they may already have for
// the pod.
func (c *Observer) predictAnswer(pod *v1.Pod) evict.Answer {
	budgets := c.record.Budgets(pod.Namespace)
	for i, pdb := range budgets {
		if _, charged := pdb.Status.DisruptedPods[pod.Name]; charged {
			budgets[i] = beforeCharge(pdb, pod.Name)
		}
	}
	v := c.evaluate(pod, budgets)
	switch {
	case v.Refusal != nil:
		return evict.Refused
	case v.Budget == nil:
		return evict.NoAnswer
	}
	return evict.Allowed
}

// evaluate computes the answer of the eviction API.
func (c *Observer) evaluate(pod *v1.Pod, budgets []*policyv1.PodDisruptionBudget) budget.Response {
	return budget.Evaluate(budget.Request{
		Name: pod.Name, Pod: pod, Budgets: budgets, Now: c.now,
		Eviction: &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}},
	})
}

// beforeCharge returns a budget as it was before it allowed a pod's eviction.
func beforeCharge(pdb *policyv1.PodDisruptionBudget, pod string) *policyv1.PodDisruptionBudget {
	was := *pdb
	was.Status.DisruptionsAllowed++
	was.Status.DisruptedPods = maps.Clone(pdb.Status.DisruptedPods)
	delete(was.Status.DisruptedPods, pod)
	return &was
}

// deletedWithoutCause records why a pod without a DisruptionTarget condition was deleted. Every controller sets it first.
func (c *Observer) deletedWithoutCause(pod *v1.Pod, seen bool) {
	why := "deleted for another reason"
	switch {
	case pod.Status.Phase == v1.PodSucceeded:
		why = "the pod succeeded"
	case pod.Status.Phase == v1.PodFailed:
		why = "it failed"
	}
	for _, cause := range predictedCauses {
		d, open := c.record.Find(pod.UID, cause)
		if !open || !d.Predicted {
			continue
		}
		if seen || pod.DeletionTimestamp != nil {
			d.Prediction.OtherReason = why
		} else {
			d.Prediction.Unobserved = true
		}
		c.record.Write(d)
	}
}

// supersede records the cause that replaced the predicted one.
func (c *Observer) supersede(pod *v1.Pod, cause evict.Cause, is disruption) {
	if d, open := c.record.Find(pod.UID, cause); open {
		d.Prediction.OtherReason = "evicted for another cause: " + string(is.cause)
		c.record.Write(d)
	}
}
