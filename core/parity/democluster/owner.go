package main

import (
	"context"
	"math/rand/v2"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/kubernetes"
)

// owner creates and deletes pods to match the replicas of each ReplicaSet, and replaces a pod now and then.
type owner struct {
	client kubernetes.Interface
	churn  time.Duration
	next   time.Time // when the next pod is replaced
}

const (
	syncEvery = time.Second
	atOnce    = 200 // pods created or deleted for one ReplicaSet in one sync
)

// run syncs every ReplicaSet periodically. It lists instead of watching: a list is never older than the last write, so there
// is no need to track created pods that a watch has not delivered yet.
func (o *owner) run(ctx context.Context) {
	each := time.NewTicker(syncEvery)
	defer each.Stop()
	for {
		o.sync(ctx)
		select {
		case <-each.C:
		case <-ctx.Done():
			return
		}
	}
}

// sync syncs every ReplicaSet once. It ignores errors, since the next sync repeats the work.
func (o *owner) sync(ctx context.Context) {
	sets, err := o.client.AppsV1().ReplicaSets(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return
	}
	pods, err := o.client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return
	}
	owned, running := byOwner(pods.Items)
	for i := range sets.Items {
		set := &sets.Items[i]
		o.keep(ctx, set, owned[set.UID])
		delete(owned, set.UID)
	}
	for _, orphans := range owned {
		o.remove(ctx, orphans)
	}
	if now := time.Now(); o.churn > 0 && !now.Before(o.next) && len(running) > 0 {
		o.next = now.Add(o.churn)
		at := rand.IntN(len(running))
		o.remove(ctx, running[at:at+1])
	}
}

// byOwner groups the pods that are not terminating by controller, and returns the running ones.
func byOwner(pods []v1.Pod) (owned map[types.UID][]*v1.Pod, running []*v1.Pod) {
	owned = map[types.UID][]*v1.Pod{}
	for i := range pods {
		pod := &pods[i]
		by := metav1.GetControllerOf(pod)
		if by == nil || pod.DeletionTimestamp != nil {
			continue
		}
		owned[by.UID] = append(owned[by.UID], pod)
		if pod.Status.Phase == v1.PodRunning {
			running = append(running, pod)
		}
	}
	return owned, running
}

// keep creates missing pods, deletes surplus ones, and updates the ReplicaSet's status.
func (o *owner) keep(ctx context.Context, set *appsv1.ReplicaSet, have []*v1.Pod) {
	want := int(*set.Spec.Replicas)
	if set.DeletionTimestamp != nil {
		want = 0
	}
	for range min(atOnce, want-len(have)) {
		_, _ = o.client.CoreV1().Pods(set.Namespace).Create(ctx, podOf(set), metav1.CreateOptions{})
	}
	if extra := len(have) - want; extra > 0 {
		o.remove(ctx, have[len(have)-min(atOnce, extra):])
	}
	now := appsv1.ReplicaSetStatus{Replicas: int32(len(have)), ObservedGeneration: set.Generation}
	for _, pod := range have {
		if pod.Status.Phase == v1.PodRunning {
			now.ReadyReplicas++
			now.AvailableReplicas++
		}
	}
	was := set.Status
	if was.Replicas != now.Replicas || was.ReadyReplicas != now.ReadyReplicas || was.ObservedGeneration != now.ObservedGeneration {
		set.Status = now
		_, _ = o.client.AppsV1().ReplicaSets(set.Namespace).UpdateStatus(ctx, set, metav1.UpdateOptions{})
	}
}

func podOf(set *appsv1.ReplicaSet) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: set.Namespace, Name: set.Name + "-" + utilrand.String(5), Labels: set.Spec.Template.Labels,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))},
		},
		Spec: set.Spec.Template.Spec,
	}
}

func (o *owner) remove(ctx context.Context, pods []*v1.Pod) {
	for _, pod := range pods {
		_ = o.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(pod.UID))})
	}
}
