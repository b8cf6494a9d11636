package dynamicresources

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	clientinformers "k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/events"
	"k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	upconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	updynamicresources "k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"

	"orrery/core/config"
	"orrery/core/devices"
	"orrery/core/parity/difftest"
	"orrery/core/plugins/dynamicresources"
	"orrery/core/store"
	"orrery/core/world"
)

// cluster has one store, and both plugins on it.
type cluster struct {
	store   *store.Store
	state   *devices.State
	orrery  *dynamicresources.DynamicResources
	theirs  *updynamicresources.DynamicResources
	manager *manager
	server  *apiServer
	emitted []world.Action
	version int
	gates   []string
}

// manager is kube-scheduler's, with the slices in order. It remembers the claims in flight.
type manager struct {
	fwk.SharedDRAManager
	inFlight map[types.UID]*resourcev1.ResourceClaim
}

func (m *manager) ResourceSlices() fwk.ResourceSliceLister { return m }
func (m *manager) ResourceClaims() fwk.ResourceClaimTracker {
	return claims{m.SharedDRAManager.ResourceClaims(), m}
}

func (m *manager) ListWithDeviceTaintRules() ([]*resourcev1.ResourceSlice, error) {
	all, err := m.SharedDRAManager.ResourceSlices().ListWithDeviceTaintRules()
	slices.SortFunc(all, func(a, b *resourcev1.ResourceSlice) int { return cmp.Compare(a.Name, b.Name) })
	return all, err
}

type claims struct {
	fwk.ResourceClaimTracker
	manager *manager
}

func (c claims) SignalClaimPendingAllocation(uid types.UID, claim *resourcev1.ResourceClaim) error {
	c.manager.inFlight[uid] = claim
	return c.ResourceClaimTracker.SignalClaimPendingAllocation(uid, claim)
}

func (c claims) RemoveClaimPendingAllocation(uid types.UID) bool {
	delete(c.manager.inFlight, uid)
	return c.ResourceClaimTracker.RemoveClaimPendingAllocation(uid)
}

// handle serves both plugins.
type handle struct {
	fwk.Handle
	c *cluster
}

func (h handle) SharedInformerFactory() clientinformers.SharedInformerFactory {
	return h.c.store.Informers()
}
func (h handle) ClientSet() clientset.Interface         { return h.c.server }
func (h handle) SharedDRAManager() fwk.SharedDRAManager { return h.c.manager }
func (h handle) EventRecorder() events.EventRecorder    { return h }
func (h handle) Devices() *devices.State                { return h.c.state }
func (h handle) IntN(int) int                           { return 0 }
func (h handle) Now() time.Time                         { return time.Now() }

func (h handle) Eventf(_, _ runtime.Object, _, _, _, _ string, _ ...any) {}

func (h handle) Emit(act world.Action, _ string) world.EffectID {
	h.c.emitted = append(h.c.emitted, act)
	return world.EffectID(len(h.c.emitted))
}

// alphaGates are the gates that are off by default, and betaGates those that are on.
var (
	alphaGates = []string{"DRAConsumableCapacity", "DRAPartitionableDevices", "DRADeviceTaints", "DRADeviceTaintRules"}
	betaGates  = []string{"DRAAdminAccess", "DRAPrioritizedList"}
)

// newCluster draws the feature gates.
func newCluster(r *difftest.Source) *cluster {
	set := map[string]bool{}
	c := &cluster{store: store.New()}
	for _, name := range alphaGates {
		set[name] = r.OneIn(3)
	}
	set["DRADeviceTaintRules"] = set["DRADeviceTaintRules"] && set["DRADeviceTaints"]
	for _, name := range betaGates {
		set[name] = !r.OneIn(5)
	}
	for name, on := range set {
		if on {
			c.gates = append(c.gates, name)
		}
	}
	slices.Sort(c.gates)
	must(utilfeature.DefaultMutableFeatureGate.SetFromMap(set))
	features, err := config.ParseFeatures(set)
	must(err)
	c.server = &apiServer{cluster: c}
	c.state = devices.New(c.store, devices.Gates{
		ConsumableCapacity: features.Enabled(config.DRAConsumableCapacity), DeviceTaintRules: features.Enabled(config.DRADeviceTaintRules),
	})
	c.makeManager(features)
	h := handle{c: c}
	ours, err := dynamicresources.New(context.Background(), config.DefaultArgs(dynamicresources.Name, features), h, features)
	must(err)
	theirs, err := updynamicresources.New(context.Background(), &upconfig.DynamicResourcesArgs{
		FilterTimeout: &metav1.Duration{Duration: 10 * time.Second},
	}, h, feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate))
	must(err)
	c.orrery, c.theirs = ours.(*dynamicresources.DynamicResources), theirs.(*updynamicresources.DynamicResources)
	return c
}

func (c *cluster) makeManager(features config.Features) {
	objects := c.store.Informers()
	cache := assumecache.NewAssumeCache(klog.Logger{}, objects.Resource().V1().ResourceClaims().Informer(), "ResourceClaim", "", nil)
	slices, err := tracker.StartTracker(context.Background(), tracker.Options{
		EnableDeviceTaintRules: features.Enabled(config.DRADeviceTaintRules), EnableConsumableCapacity: features.Enabled(config.DRAConsumableCapacity),
		SliceInformer: objects.Resource().V1().ResourceSlices(), TaintInformer: objects.Resource().V1alpha3().DeviceTaintRules(),
		ClassInformer: objects.Resource().V1().DeviceClasses(),
	})
	must(err)
	c.manager = &manager{updynamicresources.NewDRAManager(context.Background(), cache, slices, objects), map[types.UID]*resourcev1.ResourceClaim{}}
}

// apply changes an object on both sides.
func (c *cluster) apply(op world.Op, o world.Object) {
	o = o.DeepCopyObject().(world.Object)
	c.version++
	o.SetResourceVersion(strconv.Itoa(c.version))
	deltas, err := c.store.Apply(world.Changed{Op: op, Object: o})
	must(err)
	for _, d := range deltas {
		c.state.Changed(d)
	}
}

func (c *cluster) claim(name string) *resourcev1.ResourceClaim {
	return c.state.StoredClaim(v1.NamespaceDefault, name)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
