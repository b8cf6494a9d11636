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

// comeback makes pods anew whose owner would, if it were there: the engine was told that the pod has one, and not of the
// owner itself. Each comes back as it was; a stateful set's under its own name, once it is gone.
type comeback struct {
	stewards *stewards          // only read
	back     map[types.UID]bool // who has come back already
	spared   map[types.UID]bool // who shall not, as its owner was scaled down
	made     int
}

func newComeback(s *stewards) *comeback {
	return &comeback{stewards: s, back: map[types.UID]bool{}, spared: map[types.UID]bool{}}
}

func (c *comeback) fork() *comeback {
	f := *c
	f.back, f.spared = maps.Clone(c.back), maps.Clone(c.spared)
	return &f
}

// changed hears of a pod. One that was being deleted before the question was asked has been replaced already.
func (c *comeback) changed(r *run, op world.Op, pod *v1.Pod) {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil || c.back[pod.UID] || c.spared[pod.UID] || r.follow.remade[pod.UID] {
		return
	}
	gone := op == world.Deleted || pod.Status.Phase == v1.PodFailed
	switch world.Kind(c.stewards.kinds[owner.UID]) {
	case world.ReplicaSet, world.ReplicationController, world.Job:
		if (gone || pod.DeletionTimestamp != nil) && !r.follow.doomed(pod) {
			c.back[pod.UID] = true
			r.create(anew(pod, c.name(r, pod)))
		}
	case world.StatefulSet:
		if gone && r.cluster.Pod(pod.Namespace, pod.Name) == nil {
			c.back[pod.UID] = true
			r.create(anew(pod, pod.Name))
		}
	}
}

// longestName is the longest name that an API server takes, in bytes; longestEnding leaves room in it.
const (
	longestName   = 253
	longestEnding = 12
)

// name is a free name for another pod of the same owner.
func (c *comeback) name(r *run, pod *v1.Pod) string {
	stem := pod.GenerateName
	if stem == "" {
		stem = pod.Name[:strings.LastIndexByte(pod.Name, '-')+1]
	}
	if stem == "" {
		stem = pod.Name + "-"
	}
	stem = stem[:min(len(stem), longestName-longestEnding)]
	for {
		c.made++
		if name := fmt.Sprintf("%snew%d", stem, c.made); r.cluster.Pod(pod.Namespace, name) == nil {
			return name
		}
	}
}

// anew is a pod as it was before anybody placed it.
func anew(pod *v1.Pod, name string) *v1.Pod {
	p := pod.DeepCopy()
	p.Name, p.UID, p.ResourceVersion, p.CreationTimestamp = name, "", "", metav1.Time{}
	p.DeletionTimestamp, p.DeletionGracePeriodSeconds, p.Finalizers = nil, nil, nil
	p.Spec.NodeName = ""
	p.Status = v1.PodStatus{Phase: v1.PodPending, QOSClass: pod.Status.QOSClass}
	return p
}

// create puts a pod into the cluster that was admitted once already. One of the same name gives way to it.
func (r *run) create(pod *v1.Pod) { _ = r.cluster.Load(pod) } // a pod is of a kind that every cluster holds
