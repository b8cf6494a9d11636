package defaultpreemption

import (
	"context"
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/scheduling/corev1"

	"orrery/core/scheduler/preempt"
)

// evictDirectly evicts the victims by API calls, and then clears the nominations of lower-priority pods to the node. A
// nomination that could not be cleared is checked again in that pod's next scheduling cycle.
func (p *DefaultPreemption) evictDirectly(ctx context.Context, preemptor *v1.Pod, r *preempt.Record) error {
	for _, victim := range r.Victims {
		if victim.DeletionTimestamp != nil {
			continue
		}
		if err := p.evictVictim(ctx, preemptor, victim, r.Node); err != nil {
			return err
		}
	}
	for _, info := range p.handle.NominatedPodsForNode(r.Node) {
		pod := info.GetPod()
		if corev1.PodPriority(pod) < corev1.PodPriority(preemptor) && pod.Status.NominatedNodeName != "" {
			_ = p.patch(ctx, pod, map[string]any{"nominatedNodeName": nil})
		}
	}
	return nil
}

// evictVictim marks and deletes one victim; one that no longer exists is no error.
func (p *DefaultPreemption) evictVictim(ctx context.Context, preemptor, victim *v1.Pod, node string) error {
	if waiting := p.handle.GetWaitingPod(victim.UID); waiting != nil {
		waiting.Reject(Name, "preempted")
	} else {
		if c := preempt.DisruptionCondition(preemptor, victim); c != nil {
			if err := p.patch(ctx, victim, map[string]any{"conditions": []*v1.PodCondition{c}}); err != nil {
				return ignoreNotFound(err, "marking", victim)
			}
		}
		if err := p.handle.ClientSet().CoreV1().Pods(victim.Namespace).Delete(ctx, victim.Name, metav1.DeleteOptions{}); err != nil {
			return ignoreNotFound(err, "deleting", victim)
		}
	}
	p.handle.EventRecorder().Eventf(victim, preemptor, v1.EventTypeNormal, "Preempted", "Preempting",
		"Preempted by pod %v on node %v", preemptor.UID, node)
	return nil
}

func ignoreNotFound(err error, doing string, victim *v1.Pod) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return fmt.Errorf("%s preemption victim %s/%s: %w", doing, victim.Namespace, victim.Name, err)
}

func (p *DefaultPreemption) patch(ctx context.Context, pod *v1.Pod, status map[string]any) error {
	body, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		return err
	}
	_, err = p.handle.ClientSet().CoreV1().Pods(pod.Namespace).
		Patch(ctx, pod.Name, types.StrategicMergePatchType, body, metav1.PatchOptions{}, "status")
	return err
}
