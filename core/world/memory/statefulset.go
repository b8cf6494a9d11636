package memory

import (
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// syncStatefulSet keeps the pods 0 to n-1. Unless the policy is Parallel, each waits until the one before it is ready,
// and scaling down deletes the last one first.
func (c *Cluster) syncStatefulSet(set *appsv1.StatefulSet) error {
	parallel := set.Spec.PodManagementPolicy == appsv1.ParallelPodManagement
	wanted := orOne(set.Spec.Replicas)
	for i := range wanted {
		pod := c.podAt(ordinalKey(set, i))
		switch {
		case pod == nil:
			if err := c.createOrdinal(set, i); err != nil {
				return err
			}
		case isTerminal(pod):
			c.deletePod(pod, nil)
			c.enqueue(workItem{kind: world.StatefulSet, key: keyOf(set), uid: set.UID}, replaceDelay)
			return nil
		case isReady(pod) && pod.DeletionTimestamp == nil:
			c.ownClaims(set, pod, false)
			continue
		case pod.Status.Phase == v1.PodPending && pod.DeletionTimestamp == nil:
			if err := c.createClaims(set, pod); err != nil {
				return err
			}
		}
		c.ownClaims(set, c.podAt(ordinalKey(set, i)), false)
		if !parallel {
			break
		}
	}
	if surplus := c.surplusOrdinals(set, wanted); len(surplus) > 0 {
		if !parallel {
			surplus = surplus[:1]
		}
		for _, pod := range surplus {
			c.ownClaims(set, pod, true)
			c.deletePod(pod, nil)
		}
	}
	f := c.dependentsOf(set.UID)
	if had := set.Status; had.Replicas != int32(f.active) || had.ReadyReplicas != int32(f.ready) ||
		had.ObservedGeneration != set.Generation {
		next := *set
		next.Status.Replicas, next.Status.ReadyReplicas = int32(f.active), int32(f.ready)
		next.Status.AvailableReplicas, next.Status.CurrentReplicas = int32(f.ready), int32(f.active)
		next.Status.ObservedGeneration = set.Generation
		c.write(world.StatefulSet, set, &next)
	}
	return nil
}

func ordinalKey(set *appsv1.StatefulSet, i int) types.NamespacedName {
	return types.NamespacedName{Namespace: set.Namespace, Name: set.Name + "-" + strconv.Itoa(i)}
}

// surplusOrdinals returns the pods beyond the wanted ones, the highest ordinal first; none while one is being deleted.
func (c *Cluster) surplusOrdinals(set *appsv1.StatefulSet, wanted int) []*v1.Pod {
	var surplus []*v1.Pod
	for i := wanted; ; i++ {
		pod := c.podAt(ordinalKey(set, i))
		if pod == nil {
			break
		}
		if pod.DeletionTimestamp != nil {
			return nil
		}
		surplus = append(surplus, pod)
	}
	slices.Reverse(surplus)
	return surplus
}

// createOrdinal creates the claims of an ordinal and then its pod.
func (c *Cluster) createOrdinal(set *appsv1.StatefulSet, i int) error {
	pod := newPod(set, appsv1.SchemeGroupVersion.WithKind("StatefulSet"), &set.Spec.Template)
	pod.Name = ordinalKey(set, i).Name
	pod.Labels = withEntry(pod.Labels, appsv1.StatefulSetPodNameLabel, pod.Name)
	pod.Labels[appsv1.PodIndexLabel] = strconv.Itoa(i)
	pod.Spec.Hostname, pod.Spec.Subdomain = pod.Name, set.Spec.ServiceName
	addTemplateVolumes(set, pod)
	if err := c.createClaims(set, pod); err != nil {
		return err
	}
	_, err := c.create(world.Pod, pod)
	return err
}
