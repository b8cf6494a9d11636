package budget

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// Lookup returns an object by kind, namespace and name, or nil.
type Lookup func(kind world.Kind, namespace, name string) world.Object

// Scales finds the desired replicas of the pods' owners.
type Scales struct {
	Lookup Lookup
	// Custom holds the scales of owners of other kinds that have a scale subresource, by their UIDs.
	Custom map[types.UID]int32
}

// scale is the desired replicas of an owner. A deployment counts as the owner of its replica sets' pods.
type scale struct {
	owner    types.UID
	replicas int32
}

// find returns the scale that counts for a pod with this owner; found is false if the owner is deleted, and an error means
// that its kind has no scale.
func (s Scales) find(ref *metav1.OwnerReference, namespace string) (found bool, sc scale, err error) {
	gv, err := schema.ParseGroupVersion(ref.APIVersion)
	if err != nil {
		return false, scale{}, err
	}
	apps := gv.Group == appsv1.GroupName || gv.Group == "extensions"
	switch {
	case ref.Kind == string(world.ReplicationController) && gv.Group == v1.GroupName:
		if rc, ok := s.Lookup(world.ReplicationController, namespace, ref.Name).(*v1.ReplicationController); ok && rc.UID == ref.UID {
			return true, scale{rc.UID, orOne(rc.Spec.Replicas)}, nil
		}
		return false, scale{}, nil
	case ref.Kind == string(world.ReplicaSet) && apps:
		return s.findReplicaSet(ref, namespace)
	case ref.Kind == string(world.StatefulSet) && gv.Group == appsv1.GroupName:
		if set, ok := s.Lookup(world.StatefulSet, namespace, ref.Name).(*appsv1.StatefulSet); ok && set.UID == ref.UID {
			return true, scale{set.UID, orOne(set.Spec.Replicas)}, nil
		}
		return false, scale{}, nil
	case ref.Kind == string(world.Deployment) && apps:
		if d, ok := s.Lookup(world.Deployment, namespace, ref.Name).(*appsv1.Deployment); ok && d.UID == ref.UID {
			return true, scale{d.UID, orOne(d.Spec.Replicas)}, nil
		}
		return false, scale{}, nil
	}
	if replicas, ok := s.Custom[ref.UID]; ok {
		return true, scale{ref.UID, replicas}, nil
	}
	if hasNoScale(ref, gv) {
		return false, scale{}, fmt.Errorf("%s does not implement the scale subresource",
			schema.GroupResource{Group: gv.Group, Resource: strings.ToLower(ref.Kind) + "s"})
	}
	return false, scale{}, nil
}

// findReplicaSet returns the scale of a replica set's deployment, or its own if it has none or the deployment is deleted.
func (s Scales) findReplicaSet(ref *metav1.OwnerReference, namespace string) (bool, scale, error) {
	set, ok := s.Lookup(world.ReplicaSet, namespace, ref.Name).(*appsv1.ReplicaSet)
	if !ok || set.UID != ref.UID {
		return false, scale{}, nil
	}
	own := scale{set.UID, orOne(set.Spec.Replicas)}
	owner := metav1.GetControllerOf(set)
	if owner == nil || owner.Kind != string(world.Deployment) {
		return true, own, nil
	}
	d, ok := s.Lookup(world.Deployment, namespace, owner.Name).(*appsv1.Deployment)
	if !ok || d.UID != owner.UID {
		return true, own, nil
	}
	return true, scale{d.UID, orOne(d.Spec.Replicas)}, nil
}

// hasNoScale reports whether the owner is of a built-in kind without a scale.
func hasNoScale(ref *metav1.OwnerReference, gv schema.GroupVersion) bool {
	switch ref.Kind {
	case string(world.DaemonSet):
		return gv.Group == appsv1.GroupName
	case string(world.Job):
		return gv.Group == "batch"
	case string(world.Node), string(world.Pod):
		return gv.Group == v1.GroupName
	}
	return false
}

func orOne(n *int32) int32 {
	if n == nil {
		return 1
	}
	return *n
}
