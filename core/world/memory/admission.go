package memory

import (
	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha1 "k8s.io/api/scheduling/v1alpha1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/admission"
	"orrery/core/clusterapi"
	"orrery/core/world"
)

// createDefaults creates the namespaces and priority classes of every cluster.
func (c *Cluster) createDefaults() {
	for _, name := range []string{"default", "kube-node-lease", "kube-public", "kube-system"} {
		c.createDefault(world.Namespace, &v1.Namespace{ObjectMeta: metav1.ObjectMeta{
			Name: name, Labels: map[string]string{v1.LabelMetadataName: name},
		}, Status: v1.NamespaceStatus{Phase: v1.NamespaceActive}})
	}
	for _, class := range []schedulingv1.PriorityClass{
		{ObjectMeta: metav1.ObjectMeta{Name: clusterapi.SystemClusterCritical}, Value: clusterapi.SystemClusterPriority},
		{ObjectMeta: metav1.ObjectMeta{Name: clusterapi.SystemNodeCritical}, Value: clusterapi.SystemNodePriority},
	} {
		clusterapi.Default(&class)
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

// admit completes or rejects a new object.
func (c *Cluster) admit(kind world.Kind, o world.Object) error {
	switch typed := o.(type) {
	case *v1.Pod:
		return c.admitPod(typed)
	case *v1.Node:
		return c.admitNode(typed)
	case *v1.PersistentVolumeClaim:
		return c.admitClaim(typed)
	case *v1.PersistentVolume:
		admitVolume(typed)
	case *storagev1.StorageClass:
		admitStorageClass(typed)
	case *storagev1.CSIDriver:
		admitCSIDriver(typed)
	case *v1.Namespace, *v1.LimitRange, *v1.Service, *schedulingv1.PriorityClass, *nodev1.RuntimeClass, *policyv1.PodDisruptionBudget:
		clusterapi.Default(o)
		if err := invalidUnless(kind, o, clusterapi.Create(o)); err != nil {
			return err
		}
		return c.admission.Validate(c, &admission.Request{Object: o})
	case *schedulingv1alpha1.Workload:
		return admitWorkload(typed, nil)
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
	case *v1.Node, *v1.Namespace, *v1.LimitRange, *v1.Service, *schedulingv1.PriorityClass, *nodev1.RuntimeClass, *policyv1.PodDisruptionBudget:
		clusterapi.Default(changed)
		if err := invalidUnless(kind, changed, clusterapi.Update(changed, old)); err != nil {
			return err
		}
		return c.admission.Validate(c, &admission.Request{Object: changed, Old: old})
	case *schedulingv1alpha1.Workload:
		return admitWorkload(o, old.(*schedulingv1alpha1.Workload))
	}
	return c.admitDeviceUpdate(kind, old, changed)
}

// admitNode completes a new node. One that is ready is not tainted, so that a cluster without a node lifecycle controller,
// which would take the taint off, has nodes to place pods on.
func (c *Cluster) admitNode(node *v1.Node) error {
	clusterapi.Default(node)
	if readiness(node) != v1.ConditionTrue {
		if err := c.admission.Admit(c, &admission.Request{Object: node}); err != nil {
			return err
		}
	}
	return invalidUnless(world.Node, node, clusterapi.Create(node))
}
