package whatif

import (
	"fmt"
	"maps"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// recreations recreates pods for owners that the engine does not have: it knows that a pod has an owner, and not the
// owner itself. Each pod is recreated as it was; a stateful set's under its own name, once it is gone.
type recreations struct {
	stubs     *ownerStubs        // read-only
	recreated map[types.UID]bool // pods that were recreated
	ended     map[types.UID]bool // pods not to recreate, as a change scaled their owner down or deleted it
	count     int
}

func newRecreations(s *ownerStubs) *recreations {
	return &recreations{stubs: s, recreated: map[types.UID]bool{}, ended: map[types.UID]bool{}}
}

func (c *recreations) fork() *recreations {
	f := *c
	f.recreated, f.ended = maps.Clone(c.recreated), maps.Clone(c.ended)
	return &f
}

// podChanged recreates a pod that ends. A pod that was terminating at the start has its replacement already.
func (c *recreations) podChanged(r *run, op world.Op, pod *v1.Pod) {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil || c.recreated[pod.UID] || c.ended[pod.UID] || r.slots.recreated[pod.UID] {
		return
	}
	gone := op == world.Deleted || pod.Status.Phase == v1.PodFailed
	switch world.Kind(c.stubs.kinds[owner.UID]) {
	case world.ReplicaSet, world.ReplicationController, world.Job:
		if (gone || pod.DeletionTimestamp != nil) && !r.slots.wasTerminating(pod) {
			c.recreated[pod.UID] = true
			r.put(recreate(pod, c.name(r, pod)))
		}
	case world.StatefulSet:
		if gone && r.cluster.Pod(pod.Namespace, pod.Name) == nil {
			c.recreated[pod.UID] = true
			r.put(recreate(pod, pod.Name))
		}
	}
}

// maxNameBytes is the API server's limit for names; maxSuffixBytes is reserved for a suffix.
const (
	maxNameBytes   = 253
	maxSuffixBytes = 12
)

// name returns a free name for another pod of the same owner.
func (c *recreations) name(r *run, pod *v1.Pod) string {
	stem := pod.GenerateName
	if stem == "" {
		stem = pod.Name[:strings.LastIndexByte(pod.Name, '-')+1]
	}
	if stem == "" {
		stem = pod.Name + "-"
	}
	stem = stem[:min(len(stem), maxNameBytes-maxSuffixBytes)]
	for {
		c.count++
		if name := fmt.Sprintf("%snew%d", stem, c.count); r.cluster.Pod(pod.Namespace, name) == nil {
			return name
		}
	}
}

// recreate returns a pod as it was before scheduling.
func recreate(pod *v1.Pod, name string) *v1.Pod {
	p := pod.DeepCopy()
	p.Name, p.UID, p.ResourceVersion, p.CreationTimestamp = name, "", "", metav1.Time{}
	p.DeletionTimestamp, p.DeletionGracePeriodSeconds, p.Finalizers = nil, nil, nil
	p.Spec.NodeName = ""
	p.Status = v1.PodStatus{Phase: v1.PodPending, QOSClass: pod.Status.QOSClass}
	return p
}

// put loads a pod that was admitted before. It replaces a pod of the same name.
func (r *run) put(pod *v1.Pod) { _ = r.cluster.Load(pod) } // every cluster accepts pods
