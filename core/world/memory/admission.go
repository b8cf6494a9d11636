package memory

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/objects/requests"
	"orrery/core/objects/workloads"
	"orrery/core/world"
	"orrery/core/world/admission"
)

// What the API server does to new and changed objects, in its order: defaults, the plugins that change objects, derived fields, what
// is refused (package admission says what), the plugins that refuse objects, the quotas.

// createDefaults creates the namespaces and priority classes of every cluster.
func (c *Cluster) createDefaults() {
	for _, name := range []string{"default", "kube-node-lease", "kube-public", "kube-system"} {
		c.createDefault(world.Namespace, &v1.Namespace{ObjectMeta: metav1.ObjectMeta{
			Name: name, Labels: map[string]string{v1.LabelMetadataName: name},
		}, Status: v1.NamespaceStatus{Phase: v1.NamespaceActive}})
	}
	for _, class := range []schedulingv1.PriorityClass{
		{ObjectMeta: metav1.ObjectMeta{Name: admission.SystemClusterCritical}, Value: admission.SystemClusterPriority},
		{ObjectMeta: metav1.ObjectMeta{Name: admission.SystemNodeCritical}, Value: admission.SystemNodePriority},
	} {
		admission.Default(&class, metav1.Time{})
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

// admit completes or refuses a new object.
func (c *Cluster) admit(kind world.Kind, o world.Object) error {
	c.options.DeviceGatesOff.Drop(o, nil)
	admission.Default(o, c.timestamp())
	q := c.newRequest(kind, o, nil)
	errs := exceptReference(validation.ValidateObjectMetaAccessor(o, IsNamespaced(kind), validation.NameIsDNSSubdomain, field.NewPath("metadata")))
	switch o := o.(type) {
	case *v1.Pod:
		if err := c.preparePod(q, o); err != nil {
			return err
		}
		errs = append(errs, c.podGates().RefusedPod(o)...)
	case *v1.Node:
		if err := c.prepareNode(q, o); err != nil {
			return err
		}
	case *v1.PersistentVolumeClaim:
		c.admitClaim(o)
	case *v1.PersistentVolume:
		admitVolume(o)
	case *v1.ResourceQuota:
		o.Status = v1.ResourceQuotaStatus{}
	case *resourcev1.ResourceClaim:
		o.Status = resourcev1.ResourceClaimStatus{}
		errs = append(errs, admission.RefusedAdminRequests(o.Spec.Devices.Requests, c.allowsAdmin(o.Namespace))...)
	case *resourcev1.ResourceClaimTemplate:
		errs = append(errs, admission.RefusedAdminRequests(o.Spec.Spec.Devices.Requests, c.allowsAdmin(o.Namespace))...)
	case *resourcev1alpha3.DeviceTaintRule:
		o.Status = resourcev1alpha3.DeviceTaintRuleStatus{}
	case *schedulingv1beta1.PodGroup:
		o.Status = schedulingv1beta1.PodGroupStatus{}
	case *schedulingv1alpha3.CompositePodGroup:
		o.Status = schedulingv1alpha3.CompositePodGroupStatus{}
	}
	if err := invalidUnless(kind, o, errs); err != nil {
		return err
	}
	return c.allow(q)
}

// exceptReference leaves out that no annotation may have the name by which a pod has its spec.workloadRef.
func exceptReference(errs field.ErrorList) field.ErrorList {
	return slices.DeleteFunc(errs, func(err *field.Error) bool {
		return err.Field == "metadata.annotations" && err.BadValue == workloads.Annotation
	})
}

// admitUpdate is admit for an update.
func (c *Cluster) admitUpdate(kind world.Kind, old, changed world.Object) error {
	c.options.DeviceGatesOff.Drop(changed, old)
	admission.Default(changed, c.timestamp())
	q := c.newRequest(kind, changed, old)
	pod := podOf(changed)
	if pod != nil {
		defaultSpreads(pod)
	}
	if err := c.admission.Admit(c, q); err != nil {
		return err
	}
	errs := exceptReference(validation.ValidateObjectMetaAccessorUpdate(changed, old, field.NewPath("metadata")))
	if pod != nil {
		setGeneration(world.Pod, pod, old)
		errs = append(errs, c.podGates().RefusedPodChange(pod, old.(*v1.Pod))...)
	}
	if err := invalidUnless(kind, changed, append(errs, admission.RefusedChange(changed, old)...)); err != nil {
		return err
	}
	return c.allow(q)
}

// admitStatus completes or refuses an update of a status. What a claim reports of devices goes with their allocation.
func (c *Cluster) admitStatus(kind world.Kind, old, changed world.Object) error {
	c.options.DeviceGatesOff.Drop(changed, old)
	claim, is := changed.(*resourcev1.ResourceClaim)
	if !is {
		return nil
	}
	before := old.(*resourcev1.ResourceClaim)
	claim.Status.Devices = admission.WithoutStale(&claim.Status, &before.Status)
	errs := admission.RefusedAdminResults(claim, before, c.allowsAdmin(claim.Namespace))
	return invalidUnless(kind, changed, append(errs, admission.RefusedClaimStatus(claim, &before.Status)...))
}

func (c *Cluster) newRequest(kind world.Kind, o, old world.Object) *admission.Request {
	return &admission.Request{Object: o, Old: old, Resource: Resource(kind)}
}

// allow asks the plugins whether an object may be stored and, unless there is one of its name, charges the quotas for it.
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

func invalidUnless(kind world.Kind, o world.Object, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(groupKind(kind), o.GetName(), errs)
}

// preparePod runs the plugins that change a new pod, and sets what is derived.
func (c *Cluster) preparePod(q *admission.Request, pod *v1.Pod) error {
	defaultSpreads(pod)
	if err := c.admission.Admit(c, q); err != nil {
		return err
	}
	if pod.Spec.NodeName != "" {
		pod.Labels = c.withTopology(pod.Labels, pod.Spec.NodeName)
	}
	tolerateMemoryPressure(pod)
	admission.Prepare(pod, c.timestamp())
	return nil
}

// tolerateMemoryPressure adds a toleration unless the pod has it. Kubernetes documents that all pods but those of the best effort
// class get it; its API server adds it by PodTolerationRestriction only, which is off by default.
func tolerateMemoryPressure(pod *v1.Pod) {
	t := v1.Toleration{Key: v1.TaintNodeMemoryPressure, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoSchedule}
	if requests.QOS(pod) != v1.PodQOSBestEffort && !slices.Contains(pod.Spec.Tolerations, t) {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, t)
	}
}

func (c *Cluster) podGates() admission.Gates {
	return admission.Gates{ComparisonOperators: c.options.ComparisonOperators}
}

// prepareNode completes a new node. One that is ready was there before: it is not tainted, so that a cluster without a node
// lifecycle controller, which would take the taint off, has nodes to place pods on.
func (c *Cluster) prepareNode(q *admission.Request, node *v1.Node) error {
	if readiness(node) == v1.ConditionTrue {
		return nil
	}
	return c.admission.Admit(c, q)
}

// allowsAdmin reports whether the claims of a namespace may use devices as an administrator.
func (c *Cluster) allowsAdmin(namespace string) bool {
	ns := c.objects[world.Namespace][types.NamespacedName{Name: namespace}]
	return ns != nil && ns.GetLabels()[resourcev1.DRAAdminNamespaceLabelKey] == "true"
}
