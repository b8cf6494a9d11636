package memory

import (
	appsv1 "k8s.io/api/apps/v1"

	"orrery/core/world"
)

// syncReplicaSet keeps the wanted number of active pods.
func (c *Cluster) syncReplicaSet(set *appsv1.ReplicaSet) error {
	f := c.dependentsOf(set.UID)
	if surplus := f.active - orOne(set.Spec.Replicas); surplus > 0 {
		c.deleteSurplus(surplus, set.UID)
	} else if err := c.createPods(-surplus, set, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"), &set.Spec.Template); err != nil {
		return err
	}
	now := appsv1.ReplicaSetStatus{
		Replicas: int32(f.active), ReadyReplicas: int32(f.ready), AvailableReplicas: int32(f.ready),
		FullyLabeledReplicas: int32(f.active), ObservedGeneration: set.Generation,
	}
	now.Conditions = set.Status.Conditions
	if had := set.Status; had.Replicas != now.Replicas || had.ReadyReplicas != now.ReadyReplicas ||
		had.ObservedGeneration != now.ObservedGeneration {
		next := *set
		next.Status = now
		c.write(world.ReplicaSet, set, &next)
	}
	return nil
}
