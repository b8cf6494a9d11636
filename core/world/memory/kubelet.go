package memory

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// Life is what becomes of a pod on its node.
type Life struct {
	// Start is how long it takes from being let in by the kubelet to being ready.
	Start time.Duration
	// Run is how long it runs until it ends by itself; zero is for ever.
	Run time.Duration
	// Fails says that it ends with a failure.
	Fails bool
	// Stop is how long it takes to stop when it is deleted; its grace period if that is shorter.
	Stop time.Duration
}

// The lives of pods about which nothing is said.
const (
	jobRun  = time.Minute
	podStop = time.Second
)

// DefaultLife lets a pod of a Job run for a minute and any other for ever, and stop within a second.
func DefaultLife(pod *v1.Pod) Life {
	life := Life{Stop: podStop}
	if owner := metav1.GetControllerOfNoCopy(pod); owner != nil && owner.Kind == string(world.Job) {
		life.Run = jobRun
	}
	return life
}

// podEvent is a moment in the life of one pod. It is void if the pod is gone by then.
type podEvent struct {
	pod  types.NamespacedName
	uid  types.UID
	what moment
}

type moment uint8

const (
	// noticed: the kubelet learns of the pod or of a change of it.
	noticed moment = iota
	starts
	ends
	stops
	// evicted: nothing runs any more of a pod that its kubelet has evicted.
	evicted
)

func (e podEvent) happen(c *Cluster) {
	pod := c.podAt(e.pod)
	if pod == nil || pod.UID != e.uid || !c.kubeletLives(pod.Spec.NodeName) {
		return
	}
	state := c.pods[e.uid]
	switch e.what {
	case noticed:
		c.attend(pod)
	case starts:
		if !state.started && pod.DeletionTimestamp == nil && !ended(pod) && !state.startsAt.After(c.now) {
			c.startPod(pod)
		}
	case ends:
		if !state.endsAt.After(c.now) && !ended(pod) {
			c.endPod(pod)
		}
	case stops:
		if !state.stopsAt.After(c.now) {
			c.finishDeletion(pod)
		}
	case evicted:
		if !ended(pod) {
			c.finishEviction(pod)
		}
	}
}

// kubeletLives tells whether there is a node of that name and its kubelet is in touch.
func (c *Cluster) kubeletLives(node string) bool {
	n := c.nodes[node]
	return n != nil && n.lost.IsZero() && c.Node(node) != nil
}

func (c *Cluster) plan(pod *v1.Pod, what moment, at time.Time) {
	c.schedule(at, podEvent{pod: keyOf(pod), uid: pod.UID, what: what})
}

// tellKubelet has a kubelet notice that a pod is its own, is being deleted or has changed, and that there is room again
// once a pod has gone.
func (c *Cluster) tellKubelet(old, changed *v1.Pod) {
	switch {
	case changed == nil || changed.Spec.NodeName == "":
		if old != nil && changed == nil {
			c.retryResizes(old.Spec.NodeName)
		}
		return
	case old != nil && old.Spec.NodeName != "":
		if graceLeft(changed) == graceLeft(old) && changed.Generation == old.Generation {
			return
		}
	case c.Node(changed.Spec.NodeName) == nil:
		c.schedule(c.now.Add(orphanPeriod), orphans{changed.Spec.NodeName})
	}
	c.plan(changed, noticed, c.now.Add(c.latency.delay(c.options.Latency.Kubelet)))
}

// graceLeft is the grace period of a pod that is being deleted, less than any if it is not.
func graceLeft(pod *v1.Pod) int64 {
	if pod.DeletionGracePeriodSeconds == nil {
		return -1
	}
	return *pod.DeletionGracePeriodSeconds
}

// attend does what a kubelet does with a pod that it has learnt something about.
func (c *Cluster) attend(pod *v1.Pod) {
	state := c.pods[pod.UID]
	switch {
	case pod.DeletionTimestamp != nil:
		c.stopPod(pod, state)
	case ended(pod):
	case !state.admitted:
		c.admitToNode(pod, state)
	case state.started:
		c.resizeOnNode(pod)
	}
}

// stopPod lets a pod stop in its own time or, if that is shorter, within its grace period. What has not started has
// nothing to stop.
func (c *Cluster) stopPod(pod *v1.Pod, state podState) {
	var wait time.Duration
	if grace := pod.DeletionGracePeriodSeconds; state.started && !ended(pod) && grace != nil {
		wait = min(c.options.PodLife(pod).Stop, time.Duration(*grace)*time.Second)
	}
	at := c.now.Add(wait)
	if !state.stopsAt.IsZero() && !state.stopsAt.Before(c.now) && !at.Before(state.stopsAt) {
		return
	}
	state.stopsAt = at
	c.pods[pod.UID] = state
	c.plan(pod, stops, at)
}

// admitToNode lets a pod in, or turns it away for good.
func (c *Cluster) admitToNode(pod *v1.Pod, state podState) {
	if reason, message := c.turnAway(pod, state.requests); reason != "" {
		failed := *pod
		failed.Status = *pod.Status.DeepCopy()
		failed.Status.Phase = v1.PodFailed
		failed.Status.Reason, failed.Status.Message = reason, "Pod was rejected: "+message
		start := c.stamp()
		failed.Status.StartTime = &start
		c.write(world.Pod, pod, &failed)
		return
	}
	n := c.nodeState(state.node)
	n.admitted = n.admitted.add(state.requests)
	state.admitted = true
	state.startsAt = c.now.Add(c.options.PodLife(pod).Start)
	c.pods[pod.UID] = state
	c.plan(pod, starts, state.startsAt)
}

// startPod makes a pod run and be ready.
func (c *Cluster) startPod(pod *v1.Pod) {
	running := *pod
	at := c.stamp()
	running.Status.Phase = v1.PodRunning
	running.Status.StartTime = &at
	running.Status.Conditions = pod.Status.Conditions
	for _, kind := range []v1.PodConditionType{v1.PodScheduled, v1.PodInitialized, v1.ContainersReady, v1.PodReady} {
		running.Status.Conditions, _ = c.withCondition(running.Status.Conditions,
			v1.PodCondition{Type: kind, Status: v1.ConditionTrue})
	}
	running.Status.ContainerStatuses = runningStatuses(pod.Spec.Containers, at, false)
	running.Status.InitContainerStatuses = runningStatuses(pod.Spec.InitContainers, at, true)
	life, state := c.options.PodLife(pod), c.pods[pod.UID]
	state.started = true
	if life.Run > 0 {
		state.endsAt = c.now.Add(life.Run)
		c.plan(pod, ends, state.endsAt)
	}
	c.pods[pod.UID] = state
	c.write(world.Pod, pod, &running)
}

// runningStatuses are the statuses of containers that run, with the resources they were given; of the init containers
// only the sidecars still do.
func runningStatuses(containers []v1.Container, since metav1.Time, sidecarsOnly bool) []v1.ContainerStatus {
	if len(containers) == 0 {
		return nil
	}
	all := make([]v1.ContainerStatus, 0, len(containers))
	for i := range containers {
		container := &containers[i]
		s := v1.ContainerStatus{Name: container.Name, Image: container.Image, Ready: true}
		if sidecar := container.RestartPolicy != nil; sidecarsOnly && !sidecar {
			s.State.Terminated = &v1.ContainerStateTerminated{Reason: "Completed", StartedAt: since, FinishedAt: since}
			all = append(all, s)
			continue
		}
		started := true
		s.Started = &started
		s.State.Running = &v1.ContainerStateRunning{StartedAt: since}
		s.Resources = container.Resources.DeepCopy()
		s.AllocatedResources = container.Resources.Requests.DeepCopy()
		all = append(all, s)
	}
	return all
}

// endPod ends a pod that has run its course.
func (c *Cluster) endPod(pod *v1.Pod) {
	over := c.terminated(pod, v1.PodSucceeded, "PodCompleted", 0, "Completed")
	if c.options.PodLife(pod).Fails {
		over = c.terminated(pod, v1.PodFailed, "PodFailed", 1, "Error")
	}
	c.write(world.Pod, pod, over)
}

// terminated is a pod with all its containers ended.
func (c *Cluster) terminated(pod *v1.Pod, phase v1.PodPhase, reason string, code int32, why string) *v1.Pod {
	over := *pod
	over.Status.Phase = phase
	over.Status.Conditions = pod.Status.Conditions
	for _, kind := range []v1.PodConditionType{v1.ContainersReady, v1.PodReady} {
		over.Status.Conditions, _ = c.withCondition(over.Status.Conditions,
			v1.PodCondition{Type: kind, Status: v1.ConditionFalse, Reason: reason})
	}
	over.Status.ContainerStatuses = slices.Clone(pod.Status.ContainerStatuses)
	for i := range over.Status.ContainerStatuses {
		s := &over.Status.ContainerStatuses[i]
		s.Ready, s.Started = false, nil
		s.State = v1.ContainerState{Terminated: &v1.ContainerStateTerminated{
			ExitCode: code, Reason: why, FinishedAt: c.stamp(),
		}}
	}
	return &over
}

// catchUp is what a kubelet does about all its pods after it was out of touch, or when its node appears.
func (c *Cluster) catchUp(node string) {
	for _, key := range slices.Clone(c.nodeState(node).pods) {
		pod := c.podAt(key)
		state := c.pods[pod.UID]
		switch {
		case state.removal != nil && !state.evictedAt.After(c.now) && !ended(pod):
			c.finishEviction(pod)
		case !state.endsAt.IsZero() && !state.endsAt.After(c.now) && !ended(pod):
			c.endPod(pod)
		case state.admitted && !state.started && !ended(pod) && pod.DeletionTimestamp == nil:
			c.startPod(pod)
		}
		if pod = c.podAt(key); pod != nil {
			c.attend(pod)
		}
	}
}

func (c *Cluster) setReady(pod *v1.Pod, status v1.ConditionStatus) {
	list, changed := c.withCondition(pod.Status.Conditions, v1.PodCondition{Type: v1.PodReady, Status: status})
	if changed {
		next := *pod
		next.Status.Conditions = list
		c.write(world.Pod, pod, &next)
	}
}
