package memory

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/world"
)

// containerRestarts is what a kubelet knows of the restarts of a container that the kernel kills.
type containerRestarts struct {
	// killedAt is when it was killed; zero while it runs. startsAt is when it starts again, zero until the kubelet has noticed.
	killedAt, startsAt time.Time
	// backOff is the wait after the next kill, since the last restart at backOffAt.
	backOff   time.Duration
	backOffAt time.Time
}

// The back-off of a container that ends again and again: none for the first restart, then doubled from the least to the most,
// until it has run for twice the most.
const (
	minBackOff = 10 * time.Second
	maxBackOff = 5 * time.Minute
)

func (r *containerRestarts) wait() time.Duration {
	if r.killedAt.Sub(r.backOffAt) > 2*maxBackOff {
		return 0
	}
	return r.backOff
}

func (r *containerRestarts) restarted(now time.Time) {
	next := min(2*r.wait(), maxBackOff)
	*r = containerRestarts{backOff: max(next, minBackOff), backOffAt: now}
}

// killContainer ends a pod's first container at once; its kubelet notices a moment later.
func (c *Cluster) killContainer(k *ContainerKill) {
	pod, err := c.podMatching(k.Pod)
	if err != nil {
		return
	}
	state := c.pods[pod.UID]
	if !state.started || isTerminal(pod) || !state.restarts.killedAt.IsZero() {
		return
	}
	state.restarts.killedAt = c.now
	c.pods[pod.UID] = state
	c.schedulePodEvent(pod, podKilled, c.now.Add(c.latency.delay(c.options.Latency.Kubelet)))
}

// noticeKill writes that a pod's first container was killed, and starts it again after its back-off.
func (c *Cluster) noticeKill(pod *v1.Pod) {
	state := c.pods[pod.UID]
	r := &state.restarts
	if c.isEnding(pod) || r.killedAt.IsZero() || !r.startsAt.IsZero() {
		return
	}
	r.startsAt = c.now.Add(max(0, r.killedAt.Add(r.wait()).Sub(c.now)) + c.options.PodBehavior(pod).Start)
	c.pods[pod.UID] = state
	c.writeKill(pod, r)
	if pod.Spec.RestartPolicy != v1.RestartPolicyNever {
		c.schedulePodEvent(pod, podRestarts, r.startsAt)
	}
}

// restartContainer starts a killed container again when that is due.
func (c *Cluster) restartContainer(pod *v1.Pod) {
	state := c.pods[pod.UID]
	r := &state.restarts
	if c.isEnding(pod) || r.startsAt.IsZero() || r.startsAt.After(c.now) || pod.Spec.RestartPolicy == v1.RestartPolicyNever {
		return
	}
	r.restarted(c.now)
	if run := c.options.PodBehavior(pod).Run; run > 0 {
		state.endsAt = c.now.Add(run)
		c.schedulePodEvent(pod, podEnds, state.endsAt)
	}
	c.pods[pod.UID] = state
	c.writeRestart(pod)
}

// isEnding reports whether a pod has ended or is about to.
func (c *Cluster) isEnding(pod *v1.Pod) bool {
	return isTerminal(pod) || pod.DeletionTimestamp != nil || c.pods[pod.UID].eviction != nil
}

// writeKill writes that a pod's first container was killed. Where containers do not start again, the pod has failed.
func (c *Cluster) writeKill(pod *v1.Pod, r *containerRestarts) {
	if pod.Spec.RestartPolicy == v1.RestartPolicyNever {
		c.write(world.Pod, pod, c.terminated(pod, v1.PodFailed, "PodFailed", exitKilled, reasonOOMKilled))
		return
	}
	next := *pod
	next.Status.ContainerStatuses = containerStatuses(pod)
	s := &next.Status.ContainerStatuses[0]
	over := v1.ContainerStateTerminated{ExitCode: exitKilled, Reason: reasonOOMKilled, FinishedAt: metav1.Time{Time: r.killedAt.Truncate(time.Second)}}
	if s.State.Running != nil {
		over.StartedAt = s.State.Running.StartedAt
	}
	s.Ready, s.Started = false, nil
	s.State = v1.ContainerState{Terminated: &over}
	if wait := r.wait(); wait > 0 {
		s.LastTerminationState = s.State
		s.State = v1.ContainerState{Waiting: &v1.ContainerStateWaiting{
			Reason: "CrashLoopBackOff", Message: fmt.Sprintf("back-off %v restarting failed container=%s pod=%s_%s(%s)", wait, s.Name, pod.Name, pod.Namespace, pod.UID),
		}}
	}
	next.Status.Conditions = c.withReadiness(pod.Status.Conditions, v1.ConditionFalse, "ContainersNotReady")
	c.write(world.Pod, pod, &next)
}

// writeRestart writes that a pod's first container runs again.
func (c *Cluster) writeRestart(pod *v1.Pod) {
	next := *pod
	next.Status.ContainerStatuses = containerStatuses(pod)
	s := &next.Status.ContainerStatuses[0]
	if s.State.Terminated != nil {
		s.LastTerminationState = s.State
	}
	started := true
	s.State = v1.ContainerState{Running: &v1.ContainerStateRunning{StartedAt: c.timestamp()}}
	s.Ready, s.Started = true, &started
	s.RestartCount++
	next.Status.Conditions = c.withReadiness(pod.Status.Conditions, v1.ConditionTrue, "")
	c.write(world.Pod, pod, &next)
}

// containerStatuses returns a copy of the statuses of a pod's containers, which a pod that was loaded may lack.
func containerStatuses(pod *v1.Pod) []v1.ContainerStatus {
	if len(pod.Status.ContainerStatuses) == len(pod.Spec.Containers) {
		return slices.Clone(pod.Status.ContainerStatuses)
	}
	var since metav1.Time
	if pod.Status.StartTime != nil {
		since = *pod.Status.StartTime
	}
	return runningStatuses(pod.Spec.Containers, since, false)
}

// The exit code and reason of a container that the kernel killed for its memory.
const (
	exitKilled      = 137
	reasonOOMKilled = "OOMKilled"
)
