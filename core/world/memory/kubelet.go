package memory

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/objects/saturating"
	"orrery/core/world"
)

// PodBehavior is how a pod runs on its node.
type PodBehavior struct {
	// Start is the time from admission by the kubelet to being ready.
	Start time.Duration
	// Run is the time until the pod ends by itself; zero means never.
	Run time.Duration
	// Fails makes the pod end with a failure.
	Fails bool
	// Stop is the time to stop after a deletion, at most the grace period.
	Stop time.Duration
}

// The default behavior of pods.
const (
	jobRun  = time.Minute
	podStop = time.Second
)

// DefaultPodBehavior ends a pod of a Job after a minute and lets any other run forever; each stops within a second.
func DefaultPodBehavior(pod *v1.Pod) PodBehavior {
	life := PodBehavior{Stop: podStop}
	if owner := metav1.GetControllerOfNoCopy(pod); owner != nil && owner.Kind == string(world.Job) {
		life.Run = jobRun
	}
	return life
}

// podEvent is an event in the life of one pod. It is ignored if the pod is gone.
type podEvent struct {
	pod  types.NamespacedName
	uid  types.UID
	kind podEventKind
}

type podEventKind uint8

const (
	// podNoticed: the kubelet receives the pod or an update of it.
	podNoticed podEventKind = iota
	podStarts
	podEnds
	podStops
	// podRetries: the kubelet looks again at the volumes and devices that the pod waits for.
	podRetries
	// podEvicted: a pod that its kubelet evicted has stopped.
	podEvicted
	// podKilled: the kubelet notices that the kernel has killed the pod's container. podRestarts: it starts again.
	podKilled
	podRestarts
)

func (e podEvent) fire(c *Cluster) {
	pod := c.podAt(e.pod)
	if pod == nil || pod.UID != e.uid || !c.kubeletReachable(pod.Spec.NodeName) {
		return
	}
	state := c.pods[e.uid]
	switch e.kind {
	case podNoticed:
		c.syncPod(pod)
	case podStarts:
		if !state.started && !state.isBlocked && pod.DeletionTimestamp == nil && !isTerminal(pod) && !state.startsAt.After(c.now) {
			c.startPod(pod)
		}
	case podRetries:
		if state.isBlocked && pod.DeletionTimestamp == nil && !isTerminal(pod) {
			c.prepareStart(pod, state)
		}
	case podKilled:
		c.noticeKill(pod)
	case podRestarts:
		c.restartContainer(pod)
	case podEnds, podEvicted, podStops:
		if !c.isHeldByDriver(pod) {
			c.endPod(pod, e.kind)
		}
	}
}

// endPod writes that a pod has ended, if it still is to.
func (c *Cluster) endPod(pod *v1.Pod, how podEventKind) {
	state := c.pods[pod.UID]
	switch {
	case how == podStops && !state.stopsAt.After(c.now):
		c.finishDeletion(pod)
	case isTerminal(pod):
	case how == podEvicted:
		c.finishEviction(pod)
	case how == podEnds && !state.endsAt.After(c.now) && state.restarts.killedAt.IsZero():
		c.finishPod(pod)
	}
}

// kubeletReachable reports whether the node exists and its kubelet is not silent.
func (c *Cluster) kubeletReachable(node string) bool {
	n := c.nodes[node]
	return n != nil && n.lostSince.IsZero() && c.Node(node) != nil
}

func (c *Cluster) schedulePodEvent(pod *v1.Pod, what podEventKind, at time.Time) {
	c.schedule(at, podEvent{pod: keyOf(pod), uid: pod.UID, kind: what})
}

// notifyKubelet schedules the kubelet's reaction to a pod that is assigned, deleted or changed, and retries resizes
// when a pod is gone.
func (c *Cluster) notifyKubelet(old, changed *v1.Pod) {
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
		c.schedule(c.now.Add(orphanPeriod), orphanedPods{changed.Spec.NodeName})
	}
	delay := c.latency.delay(c.options.Latency.Kubelet)
	if old == nil && c.pods[changed.UID].started && graceLeft(changed) < 0 && !isTerminal(changed) && !wantsResize(changed) {
		return // it was loaded, and runs as it should. The delay is drawn all the same, so that others have theirs
	}
	c.schedulePodEvent(changed, podNoticed, c.now.Add(delay))
}

// graceLeft is the grace period of a pod that is being deleted, and -1 otherwise.
func graceLeft(pod *v1.Pod) int64 {
	if pod.DeletionGracePeriodSeconds == nil {
		return -1
	}
	return *pod.DeletionGracePeriodSeconds
}

// syncPod is the kubelet's sync of one pod.
func (c *Cluster) syncPod(pod *v1.Pod) {
	state := c.pods[pod.UID]
	switch {
	case pod.DeletionTimestamp != nil:
		c.stopPod(pod, state)
	case isTerminal(pod):
	case !state.admitted:
		c.admitOnNode(pod, state)
	case state.started:
		c.resizeOnNode(pod)
	}
}

// stopPod stops a pod after its Stop time, at most its grace period. A pod that has not started stops at once.
func (c *Cluster) stopPod(pod *v1.Pod, state podState) {
	var wait time.Duration
	if grace := pod.DeletionGracePeriodSeconds; state.started && !isTerminal(pod) && grace != nil {
		wait = min(c.options.PodBehavior(pod).Stop, saturating.Seconds(*grace))
	}
	at := c.now.Add(wait)
	if !state.stopsAt.IsZero() && !state.stopsAt.Before(c.now) && !at.Before(state.stopsAt) {
		return
	}
	state.stopsAt = at
	c.pods[pod.UID] = state
	c.schedulePodEvent(pod, podStops, at)
}

// admitOnNode admits a pod or rejects it for good.
func (c *Cluster) admitOnNode(pod *v1.Pod, state podState) {
	if reason, message := c.rejectReason(pod, state.requests); reason != "" {
		failed := *pod
		failed.Status = *pod.Status.DeepCopy()
		failed.Status.Phase = v1.PodFailed
		failed.Status.Reason, failed.Status.Message = reason, "Pod was rejected: "+message
		start := c.timestamp()
		failed.Status.StartTime = &start
		c.write(world.Pod, pod, &failed)
		return
	}
	n := c.nodeState(state.node)
	n.admitted = n.admitted.add(state.requests)
	state.admitted = true
	c.prepareStart(pod, state)
}

// prepareStart starts a pod that was admitted, after its Start time, or makes it wait for its volumes and devices.
func (c *Cluster) prepareStart(pod *v1.Pod, state podState) {
	state.isBlocked = !c.canStart(pod)
	if !state.isBlocked {
		state.startsAt = c.now.Add(c.options.PodBehavior(pod).Start)
		c.schedulePodEvent(pod, podStarts, state.startsAt)
	}
	c.pods[pod.UID] = state
}

func (c *Cluster) canStart(pod *v1.Pod) bool { return c.canMount(pod) && c.canPrepareDevices(pod) }

// retryPod makes the kubelet look again at a pod that waits.
func (c *Cluster) retryPod(pod *v1.Pod) {
	if c.pods[pod.UID].isBlocked {
		c.schedulePodEvent(pod, podRetries, c.now.Add(c.latency.delay(c.options.Latency.Kubelet)))
	}
}

// startPod makes a pod Running and Ready.
func (c *Cluster) startPod(pod *v1.Pod) {
	running := *pod
	at := c.timestamp()
	running.Status.Phase = v1.PodRunning
	running.Status.StartTime = &at
	running.Status.Conditions = pod.Status.Conditions
	for _, kind := range []v1.PodConditionType{v1.PodScheduled, v1.PodInitialized, v1.ContainersReady, v1.PodReady} {
		running.Status.Conditions, _ = c.withCondition(running.Status.Conditions,
			v1.PodCondition{Type: kind, Status: v1.ConditionTrue})
	}
	running.Status.ContainerStatuses = runningStatuses(pod.Spec.Containers, at, false)
	running.Status.InitContainerStatuses = runningStatuses(pod.Spec.InitContainers, at, true)
	life, state := c.options.PodBehavior(pod), c.pods[pod.UID]
	state.started, state.isBlocked = true, false
	if life.Run > 0 {
		state.endsAt = c.now.Add(life.Run)
		c.schedulePodEvent(pod, podEnds, state.endsAt)
	}
	c.pods[pod.UID] = state
	c.write(world.Pod, pod, &running)
}

// runningStatuses returns the statuses of running containers with their resources; of the init containers only the
// sidecars are running.
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

// finishPod ends a pod after its Run time.
func (c *Cluster) finishPod(pod *v1.Pod) {
	over := c.terminated(pod, v1.PodSucceeded, "PodCompleted", 0, "Completed")
	if c.options.PodBehavior(pod).Fails {
		over = c.terminated(pod, v1.PodFailed, "PodFailed", 1, "Error")
	}
	c.write(world.Pod, pod, over)
}

// terminated returns a pod with all its containers terminated.
func (c *Cluster) terminated(pod *v1.Pod, phase v1.PodPhase, reason string, code int32, why string) *v1.Pod {
	over := *pod
	over.Status.Phase = phase
	over.Status.Conditions = c.withReadiness(pod.Status.Conditions, v1.ConditionFalse, reason)
	over.Status.ContainerStatuses = slices.Clone(pod.Status.ContainerStatuses)
	for i := range over.Status.ContainerStatuses {
		s := &over.Status.ContainerStatuses[i]
		s.Ready, s.Started = false, nil
		s.State = v1.ContainerState{Terminated: &v1.ContainerStateTerminated{
			ExitCode: code, Reason: why, FinishedAt: c.timestamp(),
		}}
	}
	return &over
}

// withReadiness returns conditions with those of a pod's readiness set.
func (c *Cluster) withReadiness(list []v1.PodCondition, status v1.ConditionStatus, reason string) []v1.PodCondition {
	for _, kind := range []v1.PodConditionType{v1.ContainersReady, v1.PodReady} {
		list, _ = c.withCondition(list, v1.PodCondition{Type: kind, Status: status, Reason: reason})
	}
	return list
}

// resyncPods is the kubelet's sync of all its pods after it was silent, or when its node joins.
func (c *Cluster) resyncPods(node string) {
	c.nodeStorageChanged(node)
	for _, key := range slices.Clone(c.nodeState(node).pods) {
		pod := c.podAt(key)
		state, acts := c.pods[pod.UID], true
		switch {
		case c.isHeldByDriver(pod):
		case state.eviction != nil && !state.evictedAt.After(c.now) && !isTerminal(pod):
			c.finishEviction(pod)
		case !state.restarts.startsAt.IsZero():
			c.restartContainer(pod)
		case !state.restarts.killedAt.IsZero():
			c.noticeKill(pod)
		case !state.endsAt.IsZero() && !state.endsAt.After(c.now) && !isTerminal(pod):
			c.finishPod(pod)
		case state.admitted && !state.started && !isTerminal(pod) && pod.DeletionTimestamp == nil:
			if state.isBlocked = !c.canStart(pod); state.isBlocked {
				c.pods[pod.UID] = state
			} else {
				c.startPod(pod)
			}
		default:
			acts = false
		}
		if acts {
			pod = c.podAt(key)
		}
		if pod != nil {
			c.syncPod(pod)
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
