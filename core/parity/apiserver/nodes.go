package apiserver

import (
	"context"
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

// Node returns a ready node with the given allocatable resources. Its number decides its zone, one of three.
func Node(number int, cpu, memory, pods string) *v1.Node {
	name := fmt.Sprintf("node-%d", number)
	room := v1.ResourceList{
		v1.ResourceCPU: resource.MustParse(cpu), v1.ResourceMemory: resource.MustParse(memory), v1.ResourcePods: resource.MustParse(pods),
	}
	return &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			v1.LabelHostname: name, v1.LabelTopologyZone: fmt.Sprintf("zone-%d", number%3),
		}},
		Status: v1.NodeStatus{
			Capacity: room, Allocatable: room,
			Conditions: []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue, Reason: "KubeletReady"}},
		},
	}
}

// Pod returns a pod with the given requests.
func Pod(name, cpu, memory string) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceDefault},
		Spec: v1.PodSpec{Containers: []v1.Container{{
			Name: "main", Image: "registry.k8s.io/pause:3.10",
			Resources: v1.ResourceRequirements{Requests: v1.ResourceList{
				v1.ResourceCPU: resource.MustParse(cpu), v1.ResourceMemory: resource.MustParse(memory),
			}},
		}}},
	}
}

// Kubelet acts as the kubelet of all nodes until the context ends: a bound pod runs, a terminating one is removed at once.
func Kubelet(ctx context.Context, client kubernetes.Interface) error {
	pods, err := client.CoreV1().Pods(metav1.NamespaceAll).Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("watching pods for the kubelets: %w", err)
	}
	defer pods.Stop()
	for event := range pods.ResultChan() {
		if pod, ok := event.Object.(*v1.Pod); ok && event.Type != watch.Deleted && pod.Spec.NodeName != "" {
			_ = SyncPod(ctx, client, pod) // the pod's next event repeats it
		}
	}
	return ctx.Err()
}

// SyncPod does for one pod what its kubelet would.
func SyncPod(ctx context.Context, client kubernetes.Interface, pod *v1.Pod) error {
	pods := client.CoreV1().Pods(pod.Namespace)
	switch {
	case pod.DeletionTimestamp != nil:
		return pods.Delete(ctx, pod.Name, *metav1.NewDeleteOptions(0))
	case pod.Status.Phase == v1.PodPending:
		patch, err := json.Marshal(running(pod))
		if err != nil {
			return err
		}
		_, err = pods.Patch(ctx, pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
		return err
	}
	return nil
}

// running returns the status patch of a pod that has started.
func running(pod *v1.Pod) map[string]v1.PodStatus {
	now := metav1.Now()
	status := v1.PodStatus{
		Phase: v1.PodRunning, StartTime: &now,
		Conditions: []v1.PodCondition{{Type: v1.PodReady, Status: v1.ConditionTrue, LastTransitionTime: now}},
	}
	for _, c := range pod.Spec.Containers {
		status.ContainerStatuses = append(status.ContainerStatuses, v1.ContainerStatus{
			Name: c.Name, Image: c.Image, Ready: true, State: v1.ContainerState{Running: &v1.ContainerStateRunning{StartedAt: now}},
		})
	}
	return map[string]v1.PodStatus{"status": status}
}
