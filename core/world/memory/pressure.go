package memory

import (
	"errors"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
)

// Pressure is what the nodes' kubelets do when their nodes run out of memory, disk or process IDs. It is
// core/evict/pressure's Fleet, handed in with the options, and must depend on what it is given alone. Without it nothing
// runs out.
type Pressure interface {
	// Use tells what somebody uses from now on.
	Use(now time.Time, u Use)
	// Tell says how a node or a pod that is on one is now; of one that is gone, how it was.
	Tell(now time.Time, op world.Op, o world.Object)
	// Admit is why a pod is not let in, the reason empty if it is.
	Admit(pod *v1.Pod) (reason, message string)
	// Stopped tells that nothing runs any more of a pod that was to be stopped.
	Stopped(now time.Time, pod *v1.Pod)
	// NextWake is when something is due next, of whatever kubelet.
	NextWake() (time.Time, bool)
	// Due is what is done by now.
	Due(now time.Time) []Relief
	// Conditions are a node's conditions as its kubelet reports them, in place of those it has.
	Conditions(now time.Time, node *v1.Node) []v1.NodeCondition
	// Fork is a copy that goes its own way.
	Fork() Pressure
}

// Use is how much somebody uses from a moment on: a pod, every pod of a namespace with certain labels, or a node for
// itself. What was said last counts, and who is not spoken of uses nothing.
type Use struct {
	// Node is the node that is spoken of; empty for pods.
	Node string
	// Namespace and Pod name a pod. If Pod is empty, all pods of the namespace with these Labels are meant, those that are
	// still to come included.
	Namespace, Pod string
	Labels         map[string]string
	// Usage is what is used now, and Growth what comes on top each second: for a pod that starts later, from its start on.
	Usage, Growth Usage
}

// Usage is an amount of everything that a node can run out of.
type Usage struct {
	// Memory is the working set in bytes, PIDs how many processes there are.
	Memory, PIDs int64
	// Writable is what is in the writable layers of a pod's containers, Logs and Volumes (emptyDir) what else a pod writes.
	// Of a node, Volumes are its own files.
	Writable, Logs, Volumes Disk
	// Images are those that containers run from, and DeadContainers and UnusedImages what a kubelet throws away first, all
	// of a node.
	Images, DeadContainers, UnusedImages Disk
}

// Disk is an amount of disk: bytes, and inodes.
type Disk struct{ Bytes, Inodes int64 }

// Relief is one thing that a kubelet does about pressure; what is not set it does not do.
type Relief struct {
	Node string
	// Report says that the node's status is written.
	Report   bool
	Announce *world.Announce
	Evict    *Removal
}

// Removal is a pod being stopped for good, and its status from then on.
type Removal struct {
	Pod world.Ref
	// Grace is how long it may take to stop.
	Grace           time.Duration
	Reason, Message string
	// Mark is the condition it gets, nil for none.
	Mark *v1.PodCondition
}

// Use has somebody use so much from now on. A script says so; see [Cluster.At].
func (c *Cluster) Use(u Use) error {
	if c.pressure == nil {
		return errors.New("saying what is used: nothing measures it, as the options of the cluster have no Pressure")
	}
	c.pressure.Use(c.now, u)
	c.schedule(c.now, presses{})
	return nil
}

// Pressure is what the options gave, as it is now; a fork has its own.
func (c *Cluster) Pressure() Pressure { return c.pressure }

// tellPressure has the kubelets know of a node, or of a pod that is on one.
func (c *Cluster) tellPressure(old, changed world.Object) {
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
	c.pressure.Tell(c.now, op, o)
	c.schedulePressure()
}

// schedulePressure puts the kubelets' next moment on the agenda, unless it is there.
func (c *Cluster) schedulePressure() {
	next, ok := c.pressure.NextWake()
	if ok && (!c.pressedAt.After(c.now) || next.Before(c.pressedAt)) {
		c.pressedAt = next
		c.schedule(next, presses{})
	}
}

// presses is a moment at which a kubelet may have something to do about pressure.
type presses struct{}

func (presses) happen(c *Cluster) {
	for _, r := range c.pressure.Due(c.now) {
		inTouch := c.kubeletLives(r.Node)
		if r.Announce != nil && inTouch {
			c.history.announce(c.now, *r.Announce)
		}
		if r.Report && inTouch {
			c.reportPressure(c.Node(r.Node))
		}
		if r.Evict != nil {
			c.evictOnNode(r.Evict)
		}
	}
	c.schedulePressure()
}

// reportPressure is a kubelet's word about the pressure on its node.
func (c *Cluster) reportPressure(node *v1.Node) {
	next := *node
	next.Status.Conditions = c.pressure.Conditions(c.now, node)
	c.write(world.Node, node, &next)
}

// evictOnNode has a kubelet stop a pod, in the pod's own time or, if that is shorter, within its grace period.
func (c *Cluster) evictOnNode(r *Removal) {
	pod, err := c.podFor(r.Pod)
	if err != nil || c.pods[pod.UID].removal != nil {
		return
	}
	state := c.pods[pod.UID]
	state.removal = r
	state.evictedAt = c.now
	if state.started {
		state.evictedAt = c.now.Add(min(c.options.PodLife(pod).Stop, r.Grace))
	}
	c.pods[pod.UID] = state
	c.plan(pod, evicted, state.evictedAt)
}

// finishEviction is the kubelet's last word about a pod that it has stopped.
func (c *Cluster) finishEviction(pod *v1.Pod) {
	r := c.pods[pod.UID].removal
	over := c.terminated(pod, v1.PodFailed, "PodFailed", 137, "Error")
	over.Status.Reason, over.Status.Message = r.Reason, r.Message
	if r.Mark != nil {
		mark := *r.Mark
		mark.ObservedGeneration = pod.Generation
		over.Status.Conditions, _ = c.withCondition(over.Status.Conditions, mark)
	}
	c.pressure.Stopped(c.now, pod)
	c.write(world.Pod, pod, over)
}
