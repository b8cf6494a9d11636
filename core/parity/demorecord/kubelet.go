package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	volumeutil "k8s.io/kubernetes/pkg/volume/util"

	"orrery/core/parity/storage"
	"orrery/core/world/memory"
)

// kubelets acts as the kubelet of all nodes: a bound pod starts, runs and ends as its workload says, a terminating one stops,
// and a new node becomes ready. It sends no heartbeats and measures no usage.
type kubelets struct {
	ctx    context.Context
	client kubernetes.Interface
	life   func(*v1.Pod) memory.PodBehavior
	mounts *storage.Mounts
	group  *sync.WaitGroup

	mu    sync.Mutex
	pods  map[types.UID]*podState
	nodes map[types.UID]bool // known nodes
}

// podState is the state of a pod on its node.
type podState struct{ started, ended, terminating bool }

const (
	joinsAfter = time.Second            // state long a node takes to become ready
	retryAfter = time.Second            // after a failed call
	mountAfter = 100 * time.Millisecond // after a look at volumes that are not attached
)

// after calls do later, unless the context ends before.
func (k *kubelets) after(d time.Duration, do func()) {
	k.group.Go(func() {
		wait := time.NewTimer(d)
		defer wait.Stop()
		select {
		case <-wait.C:
			do()
		case <-k.ctx.Done():
		}
	})
}

// retry repeats a call until it succeeds or the object is not found.
func (k *kubelets) retry(call func() error, then func()) {
	switch err := call(); {
	case err == nil:
		then()
	case apierrors.IsNotFound(err):
	default:
		k.after(retryAfter, func() { k.retry(call, then) })
	}
}

// node handles a node's change.
func (k *kubelets) node(node *v1.Node) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.nodes[node.UID] {
		return
	}
	k.nodes[node.UID] = true
	k.after(0, func() { k.manage(node) })
	for _, c := range node.Status.Conditions {
		if c.Type == v1.NodeReady && c.Status == v1.ConditionTrue {
			return
		}
	}
	k.after(joinsAfter, func() {
		ready := v1.NodeStatus{Conditions: []v1.NodeCondition{{
			Type: v1.NodeReady, Status: v1.ConditionTrue, Reason: "KubeletReady", LastTransitionTime: metav1.Now(), LastHeartbeatTime: metav1.Now(),
		}}}
		k.retry(func() error {
			_, err := k.client.CoreV1().Nodes().Patch(k.ctx, node.Name, types.StrategicMergePatchType, statusPatch(ready), metav1.PatchOptions{}, "status")
			return err
		}, func() {})
	})
}

// manage lets the attach controller attach the volumes of a node.
func (k *kubelets) manage(node *v1.Node) {
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"true"}}}`, volumeutil.ControllerManagedAttachAnnotation)
	k.retry(func() error {
		_, err := k.client.CoreV1().Nodes().Patch(k.ctx, node.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
		return err
	}, func() {})
}

// pod handles a pod's change.
func (k *kubelets) pod(pod *v1.Pod) {
	if pod.Spec.NodeName == "" {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	t, known := k.pods[pod.UID]
	if !known {
		t = &podState{}
		k.pods[pod.UID] = t
	}
	switch {
	case pod.DeletionTimestamp != nil && !t.terminating:
		t.terminating = true
		ended := t.ended
		k.after(k.stopping(pod, t), func() { k.stop(pod, ended) })
	case !known && !t.terminating:
		k.after(0, func() { k.mount(pod, t) })
	}
}

// deleted handles a pod's deletion.
func (k *kubelets) deleted(pod *v1.Pod) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.pods, pod.UID)
}

// stopping returns how long a pod takes to stop: zero if it has not started or has ended.
func (k *kubelets) stopping(pod *v1.Pod, t *podState) time.Duration {
	if !t.started || t.ended || pod.DeletionGracePeriodSeconds == nil {
		return 0
	}
	return min(k.life(pod).Stop, time.Duration(*pod.DeletionGracePeriodSeconds)*time.Second)
}

// stop ends a pod, unless it has ended, and removes it. The Job controller counts a pod's failure only when it has ended.
func (k *kubelets) stop(pod *v1.Pod, ended bool) {
	remove := func() {
		k.retry(func() error {
			o := metav1.NewDeleteOptions(0)
			o.Preconditions = metav1.NewUIDPreconditions(string(pod.UID))
			return k.client.CoreV1().Pods(pod.Namespace).Delete(k.ctx, pod.Name, *o)
		}, func() {})
	}
	if ended {
		remove()
		return
	}
	k.report(pod, endedStatus(pod, v1.PodFailed, "PodFailed", terminated), remove)
}

// update changes a pod's state unless the pod is terminating.
func (k *kubelets) update(t *podState, to func(*podState)) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if t.terminating {
		return false
	}
	to(t)
	return true
}

// mount starts a pod once its volumes are attached.
func (k *kubelets) mount(pod *v1.Pod, t *podState) {
	switch {
	case !k.update(t, func(*podState) {}):
	case k.mounts.Ready(pod) != nil:
		k.after(mountAfter, func() { k.mount(pod, t) })
	default:
		k.after(k.life(pod).Start, func() { k.start(pod, t) })
	}
}

func (k *kubelets) start(pod *v1.Pod, t *podState) {
	if !k.update(t, func(t *podState) { t.started = true }) {
		return
	}
	now, life := metav1.Now(), k.life(pod)
	k.report(pod, v1.PodStatus{
		Phase: v1.PodRunning, StartTime: &now,
		Conditions:        conditions(v1.ConditionTrue, "", v1.PodInitialized, v1.ContainersReady, v1.PodReady),
		ContainerStatuses: containers(pod, true, v1.ContainerState{Running: &v1.ContainerStateRunning{StartedAt: now}}),
	}, func() {
		if life.Run > 0 {
			k.after(life.Run, func() { k.end(pod, t) })
		}
	})
}

func (k *kubelets) end(pod *v1.Pod, t *podState) {
	if !k.update(t, func(t *podState) { t.ended = true }) {
		return
	}
	status := endedStatus(pod, v1.PodSucceeded, "PodCompleted", 0)
	if k.life(pod).Fails {
		status = endedStatus(pod, v1.PodFailed, "PodFailed", 1)
	}
	k.report(pod, status, func() {})
}

// terminated is the exit code of a process ended by SIGTERM.
const terminated = 128 + 15

// endedStatus returns the status of a pod that has ended.
func endedStatus(pod *v1.Pod, phase v1.PodPhase, reason string, code int32) v1.PodStatus {
	state := v1.ContainerStateTerminated{Reason: "Completed", ExitCode: code, FinishedAt: metav1.Now()}
	if code != 0 {
		state.Reason = "Error"
	}
	return v1.PodStatus{
		Phase: phase, Conditions: conditions(v1.ConditionFalse, reason, v1.ContainersReady, v1.PodReady),
		ContainerStatuses: containers(pod, false, v1.ContainerState{Terminated: &state}),
	}
}

func (k *kubelets) report(pod *v1.Pod, status v1.PodStatus, then func()) {
	k.retry(func() error {
		_, err := k.client.CoreV1().Pods(pod.Namespace).Patch(k.ctx, pod.Name, types.StrategicMergePatchType, statusPatch(status), metav1.PatchOptions{}, "status")
		return err
	}, then)
}

func statusPatch(status any) []byte {
	patch, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		panic(err) // API types can be encoded
	}
	return patch
}

func conditions(status v1.ConditionStatus, reason string, kinds ...v1.PodConditionType) []v1.PodCondition {
	var all []v1.PodCondition
	for _, kind := range kinds {
		all = append(all, v1.PodCondition{Type: kind, Status: status, Reason: reason, LastTransitionTime: metav1.Now()})
	}
	return all
}

func containers(pod *v1.Pod, ready bool, state v1.ContainerState) []v1.ContainerStatus {
	var all []v1.ContainerStatus
	for _, c := range pod.Spec.Containers {
		all = append(all, v1.ContainerStatus{Name: c.Name, Image: c.Image, Ready: ready, State: state})
	}
	return all
}
