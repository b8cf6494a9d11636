package memory

import (
	"errors"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
)

// Pressure simulates the kubelets when their nodes run out of memory, disk or process IDs. The implementation is
// core/evict/pressure.Kubelets, passed in the options; it must depend on its arguments alone. Without it nothing runs
// out.
type Pressure interface {
	// ReportUsage sets what pods or a node use from now on.
	ReportUsage(now time.Time, u UsageReport)
	// ObjectChanged applies the new state of a node or an assigned pod, or the last state of a deleted one.
	ObjectChanged(now time.Time, op world.Op, o world.Object)
	// Admit returns why a pod is rejected, or an empty reason.
	Admit(pod *v1.Pod) (reason, message string)
	// PodStopped reports that an evicted pod has stopped.
	PodStopped(now time.Time, pod *v1.Pod)
	// NextWake is the next timer of all kubelets.
	NextWake() (time.Time, bool)
	// Actions returns the actions due by now.
	Actions(now time.Time) []PressureAction
	// Conditions returns a node's conditions as its kubelet reports them.
	Conditions(now time.Time, node *v1.Node) []v1.NodeCondition
	// Fork returns an independent copy.
	Fork() Pressure
}

// UsageReport sets a usage from a time on: of a pod, of every pod of a namespace with certain labels, or of a node
// itself. The last report counts; without a report the usage is zero.
type UsageReport struct {
	// Node is the reported node; empty for pods.
	Node string
	// Namespace and Pod name a pod. If Pod is empty, the report applies to all pods of the namespace with these Labels,
	// including future ones.
	Namespace, Pod string
	Labels         map[string]string
	// Usage is the present usage, and Growth its increase per second: for a pod that starts later, from its start.
	Usage, Growth Usage
}

// Usage is an amount of every resource that a node can run out of.
type Usage struct {
	// Memory is the working set in bytes, PIDs the number of processes.
	Memory, PIDs int64
	// Writable is the size of the writable layers of a pod's containers, Logs and Volumes (emptyDir) that of its other
	// files. For a node, Volumes are its own files.
	Writable, Logs, Volumes Disk
	// Images are those in use, DeadContainers and UnusedImages those that a kubelet deletes first. They apply to nodes
	// only.
	Images, DeadContainers, UnusedImages Disk
}

// Disk is an amount of disk, in bytes and inodes.
type Disk struct{ Bytes, Inodes int64 }

// PressureAction is a kubelet's reaction to pressure, or the kernel's; unset fields mean no action.
type PressureAction struct {
	Node string
	// WriteStatus makes the kubelet write the node's status.
	WriteStatus bool
	Event       *world.EmitEvent
	Evict       *PodEviction
	Kill        *ContainerKill
}

// ContainerKill is the kernel's kill of a pod's first container, as memory ran out.
type ContainerKill struct{ Pod world.PodRef }

// PodEviction is a kubelet's eviction of a pod, and the pod's status afterwards.
type PodEviction struct {
	Pod world.PodRef
	// Grace is the grace period.
	Grace           time.Duration
	Reason, Message string
	// Condition is the pod's new condition, nil for none.
	Condition *v1.PodCondition
}

// ReportUsage sets a usage from now on, for scripts; see [Cluster.At].
func (c *Cluster) ReportUsage(u UsageReport) error {
	if c.pressure == nil {
		return errors.New("saying what is used: nothing measures it, as the options of the cluster have no Pressure")
	}
	c.pressure.ReportUsage(c.now, u)
	c.schedule(c.now, pressureTick{})
	return nil
}

// Pressure returns this cluster's Pressure; a fork has its own.
func (c *Cluster) Pressure() Pressure { return c.pressure }

// notifyPressure passes a changed node or assigned pod to Pressure.
func (c *Cluster) notifyPressure(old, changed world.Object) {
	if c.pressure == nil {
		return
	}
	op, o := world.Modified, changed
	if gone := podOf(changed) == nil && nodeOf(changed) == nil; gone {
		op, o = world.Deleted, old
	}
	if pod := podOf(o); pod != nil && pod.Spec.NodeName == "" {
		return
	}
	c.pressure.ObjectChanged(c.now, op, o)
	c.schedulePressure()
}

// schedulePressure schedules the next pressureTick, unless it is scheduled.
func (c *Cluster) schedulePressure() {
	next, ok := c.pressure.NextWake()
	if ok && (!c.nextPressureTick.After(c.now) || next.Before(c.nextPressureTick)) {
		c.nextPressureTick = next
		c.schedule(next, pressureTick{})
	}
}

// pressureTick is a time at which a kubelet may have a PressureAction.
type pressureTick struct{}

func (pressureTick) fire(c *Cluster) {
	for _, r := range c.pressure.Actions(c.now) {
		inTouch := c.kubeletReachable(r.Node)
		if r.Event != nil && inTouch {
			c.history.recordEvent(c.now, *r.Event)
		}
		if r.WriteStatus && inTouch {
			c.reportPressure(c.Node(r.Node))
		}
		if r.Evict != nil {
			c.evictOnNode(r.Evict)
		}
		if r.Kill != nil {
			c.killContainer(r.Kill)
		}
	}
	c.schedulePressure()
}

// reportPressure writes the node's conditions with the kubelet's pressure conditions.
func (c *Cluster) reportPressure(node *v1.Node) {
	next := *node
	next.Status.Conditions = c.pressure.Conditions(c.now, node)
	c.write(world.Node, node, &next)
}

// evictOnNode makes a kubelet stop a pod after its Stop time, at most its grace period.
func (c *Cluster) evictOnNode(r *PodEviction) {
	pod, err := c.podMatching(r.Pod)
	if err != nil || c.pods[pod.UID].eviction != nil {
		return
	}
	state := c.pods[pod.UID]
	state.eviction = r
	state.evictedAt = c.now
	if state.started {
		state.evictedAt = c.now.Add(min(c.options.PodBehavior(pod).Stop, r.Grace))
	}
	c.pods[pod.UID] = state
	c.schedulePodEvent(pod, podEvicted, state.evictedAt)
}

// finishEviction writes the final status of an evicted pod.
func (c *Cluster) finishEviction(pod *v1.Pod) {
	r := c.pods[pod.UID].eviction
	over := c.terminated(pod, v1.PodFailed, "PodFailed", exitKilled, "Error")
	over.Status.Reason, over.Status.Message = r.Reason, r.Message
	if r.Condition != nil {
		mark := *r.Condition
		mark.ObservedGeneration = pod.Generation
		over.Status.Conditions, _ = c.withCondition(over.Status.Conditions, mark)
	}
	c.pressure.PodStopped(c.now, pod)
	c.write(world.Pod, pod, over)
}
