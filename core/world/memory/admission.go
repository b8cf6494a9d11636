package memory

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha1 "k8s.io/api/scheduling/v1alpha1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/world"
	"orrery/core/world/admission"
	"orrery/core/world/clusterapi"
	"orrery/core/world/controllerapi"
	"orrery/core/world/storageapi"
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
	q := c.newRequest(kind, o, nil)
	if err := c.admitNew(kind, q); err != nil {
		return err
	}
	wrong := validation.ValidateObjectMetaAccessor(o, IsNamespaced(kind), path.ValidatePathSegmentName, field.NewPath("metadata"))
	if err := invalidUnless(kind, o, wrong); err != nil {
		return err
	}
	return c.allow(q)
}

func (c *Cluster) admitNew(kind world.Kind, q *admission.Request) error {
	storageapi.Default(q.Object)
	switch o := q.Object.(type) {
	case *v1.Pod:
		return c.admitPod(q, o)
	case *v1.Node:
		return c.admitNode(q, o)
	case *v1.PersistentVolumeClaim:
		c.admitClaim(o)
		return invalidUnless(kind, o, storageapi.Create(o))
	case *v1.PersistentVolume:
		admitVolume(o)
		return invalidUnless(kind, o, storageapi.Create(o))
	case *storagev1.StorageClass, *storagev1.CSIDriver, *storagev1.CSINode, *storagev1.VolumeAttachment, *storagev1.CSIStorageCapacity:
		storageapi.Default(o)
		return invalidUnless(kind, q.Object, storageapi.Create(o))
	case *appsv1.Deployment, *appsv1.ReplicaSet, *v1.ReplicationController, *appsv1.StatefulSet, *appsv1.DaemonSet, *batchv1.Job:
		return invalidUnless(kind, q.Object, controllerapi.Create(o, c.podRules()))
	case *v1.ResourceQuota:
		o.Status = v1.ResourceQuotaStatus{}
		return invalidUnless(kind, o, clusterapi.Create(o))
	case *v1.Namespace, *v1.LimitRange, *v1.Service, *schedulingv1.PriorityClass, *nodev1.RuntimeClass, *policyv1.PodDisruptionBudget:
		if kind == world.LimitRange && q.Object.GetName() == "" {
			q.Object.SetName(string(c.names.uid()))
		}
		clusterapi.Default(o)
		return invalidUnless(kind, q.Object, clusterapi.Create(o))
	case *schedulingv1alpha1.Workload:
		return admitWorkload(o, nil)
	default:
		return c.admitDevices(kind, q.Object)
	}
}

// admitUpdate is admit for an update.
func (c *Cluster) admitUpdate(kind world.Kind, old, changed world.Object) error {
	q := c.newRequest(kind, changed, old)
	if err := c.admitChanged(kind, q); err != nil {
		return err
	}
	wrong := validation.ValidateObjectMetaAccessorUpdate(changed, old, field.NewPath("metadata"))
	if err := invalidUnless(kind, changed, wrong); err != nil {
		return err
	}
	return c.allow(q)
}

func (c *Cluster) admitChanged(kind world.Kind, q *admission.Request) error {
	switch o := q.Object.(type) {
	case *v1.Pod:
		return c.admitPodUpdate(q, o, q.Old.(*v1.Pod))
	case *v1.Node, *v1.Namespace, *v1.LimitRange, *v1.ResourceQuota, *v1.Service, *schedulingv1.PriorityClass, *nodev1.RuntimeClass, *policyv1.PodDisruptionBudget:
		clusterapi.Default(o)
		if err := c.admission.Admit(c, q); err != nil {
			return err
		}
		wrong := clusterapi.Update(o, q.Old)
		if kind == world.PodDisruptionBudget { // whose own rules leave its metadata out
			wrong = append(wrong, validation.ValidateObjectMetaAccessorUpdate(q.Object, q.Old, field.NewPath("metadata"))...)
		}
		return invalidUnless(kind, q.Object, wrong)
	case *v1.PersistentVolumeClaim, *v1.PersistentVolume, *storagev1.StorageClass, *storagev1.CSIDriver, *storagev1.CSINode, *storagev1.VolumeAttachment, *storagev1.CSIStorageCapacity:
		storageapi.Default(o)
		return invalidUnless(kind, q.Object, storageapi.Update(o, q.Old))
	case *appsv1.Deployment, *appsv1.ReplicaSet, *v1.ReplicationController, *appsv1.StatefulSet, *appsv1.DaemonSet, *batchv1.Job:
		return invalidUnless(kind, q.Object, controllerapi.Update(o, q.Old, c.podRules()))
	case *schedulingv1alpha1.Workload:
		return admitWorkload(o, q.Old.(*schedulingv1alpha1.Workload))
	}
	return c.admitDeviceUpdate(kind, q.Old, q.Object)
}

func (c *Cluster) newRequest(kind world.Kind, o, old world.Object) *admission.Request {
	return &admission.Request{Object: o, Old: old, Resource: Resource(kind), User: c.user}
}

// allow asks the plugins whether a valid object may be stored and, unless there is one of its name, charges the quotas for it.
func (c *Cluster) allow(q *admission.Request) error {
	if err := c.admission.Validate(c, q); err != nil {
		return err
	}
	if kind := KindOf(q.Object); q.Old == nil && c.objects[kind][keyOf(q.Object)] != nil {
		return apierrors.NewAlreadyExists(groupResource(kind), q.Object.GetName())
	}
	for _, charged := range q.Charged {
		c.write(ResourceQuota, c.objects[ResourceQuota][keyOf(charged)], charged)
	}
	return nil
}

// admitNode completes a new node, which its kubelet registers. One that is ready was there before: it is not tainted, so that a
// cluster without a node lifecycle controller, which would take the taint off, has nodes to place pods on.
func (c *Cluster) admitNode(q *admission.Request, node *v1.Node) error {
	clusterapi.Default(node)
	if readiness(node) != v1.ConditionTrue {
		q.User = admission.KubeletOf(node.Name)
		if err := c.admission.Admit(c, q); err != nil {
			return err
		}
	}
	return invalidUnless(world.Node, node, clusterapi.Create(node))
}
