package whatif

import (
	"fmt"
	"maps"
	"strings"
	"time"

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
	// replacements counts, of each pod that was made at an instant, how many came before it at that instant, each for the one before.
	replacements map[types.NamespacedName]int
	instant      time.Time
}

// maxReplacements bounds the pods that are made one for the other at one instant. A cluster in which each is deleted as it comes has no
// rest: neither time nor decisions would end the run.
//
//orrery:limit answers; recreations of one pod at one instant of a what-if; it ends, and says so
const maxReplacements = 8

func newRecreations(s *ownerStubs) *recreations {
	return &recreations{stubs: s, recreated: map[types.UID]bool{}, ended: map[types.UID]bool{}, replacements: map[types.NamespacedName]int{}}
}

func (c *recreations) fork() *recreations {
	f := *c
	f.recreated, f.ended, f.replacements = maps.Clone(c.recreated), maps.Clone(c.ended), maps.Clone(c.replacements)
	return &f
}

// podChanged recreates a pod that ends. A pod that was terminating at the start has its replacement already.
func (c *recreations) podChanged(r *run, op world.Op, pod *v1.Pod) {
	owner := controllerOf(pod)
	if owner == nil || c.recreated[pod.UID] || c.ended[pod.UID] || r.slots.recreated[pod.UID] {
		return
	}
	gone := op == world.Deleted || pod.Status.Phase == v1.PodFailed
	switch world.Kind(c.stubs.kinds[owner.UID]) {
	case world.ReplicaSet, world.ReplicationController, world.Job:
		if (gone || pod.DeletionTimestamp != nil) && !r.slots.wasTerminating(pod) {
			c.replace(r, pod, c.name(r, pod))
		}
	case world.StatefulSet:
		if gone && r.cluster.Pod(pod.Namespace, pod.Name) == nil {
			c.replace(r, pod, pod.Name)
		}
	}
}

// replace makes the pod that comes for another one. Where that goes on and on at one instant, the run is cut off.
func (c *recreations) replace(r *run, pod *v1.Pod, name string) {
	if !c.instant.Equal(r.now) {
		c.instant = r.now
		clear(c.replacements)
	}
	n := c.replacements[types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}] + 1
	if n > maxReplacements {
		r.truncated = true
		return
	}
	c.replacements[types.NamespacedName{Namespace: pod.Namespace, Name: name}] = n
	c.recreated[pod.UID] = true
	r.put(recreate(pod, name))
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
