package memory

import (
	"fmt"
	"strconv"

	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
)

// Load adds objects of another cluster: without admission, and with their own UIDs, versions, times and statuses, if
// they have them. Running pods keep running. An existing object is replaced. The cluster takes ownership of the
// objects: do not change them afterwards.
func (c *Cluster) Load(objects ...world.Object) error {
	for _, o := range objects {
		kind := KindOf(o)
		if _, ok := kindInfos[kind]; !ok {
			return fmt.Errorf("loading an object of type %T: it is of no kind the cluster holds", o)
		}
		c.load(kind, o)
	}
	return nil
}

func (c *Cluster) load(kind world.Kind, o world.Object) {
	created := o.GetCreationTimestamp()
	if o.GetUID() == "" || o.GetResourceVersion() == "" || created.IsZero() {
		o = o.DeepCopyObject().(world.Object)
		if o.GetUID() == "" {
			o.SetUID(c.names.uid())
		}
		if created.IsZero() {
			o.SetCreationTimestamp(c.timestamp())
		}
		if o.GetResourceVersion() == "" {
			c.nextVersion(o)
		}
	}
	if v, err := strconv.ParseUint(o.GetResourceVersion(), 10, 64); err == nil {
		c.version = max(c.version, v)
	}
	old := c.objects[kind][keyOf(o)]
	if old != nil && old.GetUID() != o.GetUID() {
		c.remove(kind, old)
		old = nil
	}
	if pod, ok := o.(*v1.Pod); ok && pod.Spec.NodeName != "" && pod.Status.Phase == v1.PodRunning {
		c.resume(pod)
	}
	c.put(kind, old, o)
}

// resume makes the kubelet know a pod that is already running. Its Run time counts from its start.
func (c *Cluster) resume(pod *v1.Pod) {
	state := c.pods[pod.UID]
	if state.started {
		return
	}
	state.admitted, state.started = true, true
	if run := c.options.PodBehavior(pod).Run; run > 0 {
		began := c.now
		if pod.Status.StartTime != nil {
			began = pod.Status.StartTime.Time
		}
		state.endsAt = began.Add(run)
		c.schedulePodEvent(pod, podEnds, state.endsAt)
	}
	c.pods[pod.UID] = state
}
