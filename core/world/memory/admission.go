package memory

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha1 "k8s.io/api/scheduling/v1alpha1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/admission"
	"orrery/core/world"
)

// The built-in priority classes, and the highest value of a user's class.
const (
	systemNodeCritical     = "system-node-critical"
	systemClusterCritical  = "system-cluster-critical"
	highestUserPriority    = int32(1_000_000_000)
	systemClusterPriority  = 2 * highestUserPriority
	systemNodePriority     = systemClusterPriority + 1000
	reservedPriorityPrefix = "system-"
)

// createDefaults creates the namespaces and priority classes of every cluster.
func (c *Cluster) createDefaults() {
	for _, name := range []string{"default", "kube-node-lease", "kube-public", "kube-system"} {
		c.createDefault(world.Namespace, &v1.Namespace{ObjectMeta: metav1.ObjectMeta{
			Name: name, Labels: map[string]string{v1.LabelMetadataName: name},
		}, Status: v1.NamespaceStatus{Phase: v1.NamespaceActive}})
	}
	for _, class := range []schedulingv1.PriorityClass{
		{ObjectMeta: metav1.ObjectMeta{Name: systemClusterCritical}, Value: systemClusterPriority},
		{ObjectMeta: metav1.ObjectMeta{Name: systemNodeCritical}, Value: systemNodePriority},
	} {
		class.PreemptionPolicy = preemptLower()
		c.createDefault(world.PriorityClass, &class)
	}
}

func (c *Cluster) createDefault(kind world.Kind, o world.Object) {
	o.SetUID(c.names.uid())
	o.SetCreationTimestamp(c.timestamp())
	if kindInfos[kind].spec != nil {
		o.SetGeneration(1)
	}
	c.write(kind, nil, o)
}

func preemptLower() *v1.PreemptionPolicy {
	policy := v1.PreemptLowerPriority
	return &policy
}

// admit completes or rejects a new object.
func (c *Cluster) admit(kind world.Kind, o world.Object) error {
	switch o := o.(type) {
	case *v1.Pod:
		return c.admitPod(o)
	case *v1.Node:
		return c.admitNode(o)
	case *v1.PersistentVolumeClaim:
		c.admitClaim(o)
	case *v1.PersistentVolume:
		admitVolume(o)
	case *storagev1.StorageClass:
		admitStorageClass(o)
	case *storagev1.CSIDriver:
		admitCSIDriver(o)
	case *v1.Namespace:
		if o.Labels == nil {
			o.Labels = map[string]string{}
		}
		o.Labels[v1.LabelMetadataName] = o.Name
		o.Status.Phase = v1.NamespaceActive
	case *schedulingv1.PriorityClass:
		if o.PreemptionPolicy == nil {
			o.PreemptionPolicy = preemptLower()
		}
		if err := checkPriorityClass(o); err != nil {
			return err
		}
		return c.admission.Validate(c, &admission.Request{Object: o})
	case *schedulingv1alpha1.Workload:
		return admitWorkload(o, nil)
	default:
		return c.admitDevices(kind, o)
	}
	return nil
}

// admitUpdate is admit for an update.
func (c *Cluster) admitUpdate(kind world.Kind, old, changed world.Object) error {
	switch o := changed.(type) {
	case *v1.Pod:
		return c.admitPodUpdate(o, old.(*v1.Pod))
	case *schedulingv1.PriorityClass:
		if before := old.(*schedulingv1.PriorityClass); before.Value != o.Value {
			return apierrors.NewInvalid(groupKind(kind), o.Name, field.ErrorList{
				field.Invalid(field.NewPath("value"), o.Value, "field is immutable"),
			})
		}
		return c.admission.Validate(c, &admission.Request{Object: o, Old: old})
	case *schedulingv1alpha1.Workload:
		return admitWorkload(o, old.(*schedulingv1alpha1.Workload))
	}
	return c.admitDeviceUpdate(kind, old, changed)
}

func checkPriorityClass(class *schedulingv1.PriorityClass) error {
	var wrong field.ErrorList
	if strings.HasPrefix(class.Name, reservedPriorityPrefix) {
		wrong = append(wrong, field.Forbidden(field.NewPath("metadata", "name"),
			"priority class names with 'system-' prefix are reserved for system use only"))
	}
	if class.Value > highestUserPriority {
		wrong = append(wrong, field.Forbidden(field.NewPath("value"),
			fmt.Sprintf("maximum allowed value of a user defined priority is %d", highestUserPriority)))
	}
	if len(wrong) > 0 {
		return apierrors.NewInvalid(groupKind(world.PriorityClass), class.Name, wrong)
	}
	return nil
}

// admitNode completes a new node. One that is ready is not tainted, so that a cluster without a node lifecycle controller,
// which would take the taint off, has nodes to place pods on.
func (c *Cluster) admitNode(node *v1.Node) error {
	if node.Status.Allocatable == nil {
		node.Status.Allocatable = node.Status.Capacity
	}
	if readiness(node) == v1.ConditionTrue {
		return nil
	}
	return c.admission.Admit(c, &admission.Request{Object: node})
}
