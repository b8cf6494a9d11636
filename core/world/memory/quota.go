package memory

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	quotaapi "k8s.io/apiserver/pkg/quota/v1"

	"orrery/core/world"
	"orrery/core/world/quota"
)

// The controller of quotas recounts what is used of one: when the quota is new or its limits change, when an object is deleted, and
// when a pod uses something else than before. In between, admission adds what new objects use.

// quotaResyncPeriod is how often all quotas are recounted, which alone finds pods that should have been gone. They are recounted
// only while a pod is being deleted.
const quotaResyncPeriod = 5 * time.Minute

// notifyQuotas enqueues the quotas that a change may leave more of, or that are changed themselves.
func (c *Cluster) notifyQuotas(kind world.Kind, old, changed world.Object) {
	if kind == ResourceQuota {
		if changed != nil && (old == nil || !equality.Semantic.DeepEqual(old.(*v1.ResourceQuota).Spec.Hard, changed.(*v1.ResourceQuota).Spec.Hard)) {
			c.enqueueQuota(changed)
		}
	}
	if len(c.objects[ResourceQuota]) == 0 || old == nil || !IsNamespaced(kind) {
		return
	}
	before, after := podOf(old), podOf(changed)
	if after != nil && after.DeletionTimestamp != nil {
		c.scheduleQuotaResync()
	}
	if changed == nil || after != nil && !quotaapi.Equals(quota.OfPod(before, c.now), quota.OfPod(after, c.now)) || otherServiceType(old, changed) {
		c.enqueueQuotas(old.GetNamespace())
	}
}

// otherServiceType reports whether a service has another type of those with quotas.
func otherServiceType(old, changed world.Object) bool {
	before, is := old.(*v1.Service)
	after, stays := changed.(*v1.Service)
	if !is || !stays {
		return false
	}
	limited := func(s *v1.Service) v1.ServiceType {
		if s.Spec.Type == v1.ServiceTypeNodePort || s.Spec.Type == v1.ServiceTypeLoadBalancer {
			return s.Spec.Type
		}
		return ""
	}
	return limited(before) != limited(after)
}

// enqueueQuotas enqueues the quotas of a namespace, or of all with an empty one.
func (c *Cluster) enqueueQuotas(namespace string) {
	for _, o := range c.List(ResourceQuota) {
		if namespace == "" || o.GetNamespace() == namespace {
			c.enqueueQuota(o)
		}
	}
}

func (c *Cluster) enqueueQuota(o world.Object) {
	c.enqueue(workItem{kind: ResourceQuota, key: keyOf(o), uid: o.GetUID()}, 0)
}

// quotaResync is the time to recount all quotas.
type quotaResync struct{}

func (c *Cluster) scheduleQuotaResync() {
	if c.nextQuotaResync.IsZero() {
		since := c.now.Sub(c.options.Start)
		c.nextQuotaResync = c.now.Add(quotaResyncPeriod - since%quotaResyncPeriod)
		c.schedule(c.nextQuotaResync, quotaResync{})
	}
}

func (quotaResync) fire(c *Cluster) {
	c.nextQuotaResync = time.Time{}
	c.enqueueQuotas("")
	if slices.ContainsFunc(c.List(world.Pod), func(o world.Object) bool { return o.GetDeletionTimestamp() != nil }) {
		c.scheduleQuotaResync()
	}
}

// syncQuota recounts what is used of a quota.
func (c *Cluster) syncQuota(q *v1.ResourceQuota) error {
	used, err := quota.Used(q, c.objectsIn, c.now)
	if err != nil {
		return err
	}
	if equality.Semantic.DeepEqual(q.Status.Hard, q.Spec.Hard) && q.Status.Used != nil && quotaapi.Equals(q.Status.Used, used) {
		return nil
	}
	next := *q
	next.Status = v1.ResourceQuotaStatus{Hard: q.Spec.Hard.DeepCopy(), Used: used}
	c.write(ResourceQuota, q, &next)
	return nil
}

// objectsIn lists the objects of a resource in a namespace, by name.
func (c *Cluster) objectsIn(resource schema.GroupResource, namespace string) []runtime.Object {
	var kind world.Kind
	for _, known := range Kinds() {
		if groupResource(known) == resource {
			kind = known
		}
	}
	var all []world.Object
	for key, o := range c.objects[kind] {
		if key.Namespace == namespace {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, byKey[world.Object])
	objects := make([]runtime.Object, len(all))
	for i, o := range all {
		objects[i] = o
	}
	return objects
}
