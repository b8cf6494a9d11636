package memory

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	quotaapi "k8s.io/apiserver/pkg/quota/v1"

	"orrery/core/world"
	"orrery/core/world/admission"
)

// The controller of quotas recounts what pods use of one: when the quota is new or its limits change, when a pod is deleted, and when
// one uses something else than before. In between, admission adds what new pods use.

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
	if len(c.objects[ResourceQuota]) == 0 || kind != world.Pod {
		return
	}
	before, after := podOf(old), podOf(changed)
	if after != nil && after.DeletionTimestamp != nil {
		c.scheduleQuotaResync()
	}
	if before != nil && (after == nil || !quotaapi.Equals(admission.QuotaUseOf(before, c.now), admission.QuotaUseOf(after, c.now))) {
		c.enqueueQuotas(old.GetNamespace())
	}
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
	var pods []runtime.Object
	for _, o := range c.List(world.Pod) {
		if o.GetNamespace() == q.Namespace {
			pods = append(pods, o)
		}
	}
	used, err := admission.QuotaUsed(q, pods, c.now)
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
