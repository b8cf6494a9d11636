package cycle

import (
	"context"

	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"

	"orrery/core/parity/informers"
	"orrery/core/scheduler/config"
)

// newInformers lists slices of devices in the order of Orrery's plugin. The informer of kube-scheduler lists them in random order, and
// its allocator takes the number of slices in a pool from the first; see TestAllocator_DependsOnOrderOfSlices.
// The first violated budget counts, and client-go lists budgets in random order.
func newInformers() *informers.Factory {
	return informers.New(&policyv1.PodDisruptionBudget{}, &resourcev1.ResourceSlice{})
}

// managers returns the managers that upstream's plugins for devices and volumes need. They are fed by informers.
func (c *cluster) managers(ctx context.Context, features config.Features) (fwk.SharedDRAManager, fwk.CSIManager) {
	claims := assumecache.NewAssumeCache(klog.Logger{}, c.informers.Resource().V1().ResourceClaims().Informer(), "ResourceClaim", "", nil)
	slices, err := tracker.StartTracker(ctx, tracker.Options{
		EnableConsumableCapacity: features.Enabled(config.DRAConsumableCapacity), SliceInformer: c.informers.Resource().V1().ResourceSlices(),
	})
	must(err)
	return dynamicresources.NewDRAManager(ctx, claims, slices, c.informers),
		nodevolumelimits.NewCSIManager(c.informers.Storage().V1().CSINodes().Lister())
}
