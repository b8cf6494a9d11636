package dynamicresources

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	clientinformers "k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/events"
	"k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache"
	"k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	upconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	updynamicresources "k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"

	"orrery/core/parity/claimwrites"
	"orrery/core/parity/difftest"
	"orrery/core/parity/informers"
	"orrery/core/parity/oracle/claimserver"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/devices"
	"orrery/core/scheduler/plugins/dynamicresources"
	"orrery/core/scheduler/release"
	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// cluster has one store, and both plugins on it.
type cluster struct {
	store    *store.Store
	rules    *informers.Factory // the rules of the store in version v1, which kube-scheduler reads
	stop     func()             // ends kube-scheduler's goroutines
	state    *devices.State
	orrery   *dynamicresources.DynamicResources
	theirs   *updynamicresources.DynamicResources
	manager  *manager
	features config.Features
	gates    []string
	nodes    map[string]*v1.Node
	version  int

	ourWrites, theirWrites *claimserver.Server
	failing                string // the kind of write that fails
	ourEvents, theirEvents []string
	answers                []answer // to effects of Orrery's plugin
}

type answer struct {
	act     world.Action
	outcome world.Outcome
}

// deliver has Orrery's plugin take in the answers.
func (c *cluster) deliver() {
	for i, one := range c.answers {
		c.orrery.EffectDone(world.EffectID(i+1), one.act, one.outcome)
	}
	c.answers = nil
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

func (c claims) MaybeRemoveClaimPendingAllocation(uid types.UID, force bool) bool {
	removed := c.ResourceClaimTracker.MaybeRemoveClaimPendingAllocation(uid, force)
	if removed {
		delete(c.manager.inFlight, uid)
	}
	return removed
}

// handle serves one of the plugins.
type handle struct {
	fwk.Handle
	c      *cluster
	events *[]string
}

func (h handle) SharedInformerFactory() clientinformers.SharedInformerFactory {
	return h.c.store.Informers()
}

func (h handle) ClientSet() clientset.Interface            { return claimserver.Client{Server: h.c.theirWrites} }
func (h handle) SharedDRAManager() fwk.SharedDRAManager    { return h.c.manager }
func (h handle) EventRecorder() events.EventRecorderLogger { return h }
func (h handle) Devices() *devices.State                   { return h.c.state }
func (h handle) IntN(int) int                              { return 0 }
func (h handle) Now() time.Time                            { return time.Now() }
func (h handle) ProfileName() string                       { return v1.DefaultSchedulerName }

// WithLogger returns the recorder itself: nothing is logged.
func (h handle) WithLogger(klog.Logger) events.EventRecorderLogger { return h }

func (h handle) Eventf(about, _ runtime.Object, kind, reason, action, note string, args ...any) {
	*h.events = append(*h.events, fmt.Sprint(about.(*v1.Pod).Name, " ", kind, " ", reason, " ", action, ": ", fmt.Sprintf(note, args...)))
}

func (h handle) Emit(act world.Action, _ string) world.EffectID {
	h.c.answers = append(h.c.answers, answer{act, *claimwrites.CarryOut(h.c.ourWrites, act)})
	return world.EffectID(len(h.c.answers))
}

// gates are the feature gates that are drawn, with how often one of them is not as by default.
var gates = []struct {
	name  string
	on    bool
	other int
}{
	{"DRAConsumableCapacity", true, 3},
	{"DRAPartitionableDevices", true, 3},
	{"DRADeviceBindingConditions", true, 3},
	{"DRASchedulerFilterTimeout", true, 6},
}

// bindingTimeout is no multiple of the five seconds after which kube-scheduler looks again.
const bindingTimeout = 12 * time.Second

// defaultGates are the gates that are drawn, as they are by default.
func defaultGates() map[string]bool {
	set := map[string]bool{}
	for _, gate := range gates {
		set[gate.name] = gate.on
	}
	return set
}

// newCluster draws the feature gates.
func newCluster(r *difftest.Source) *cluster {
	set := map[string]bool{}
	for _, gate := range gates {
		set[gate.name] = r.OneIn(gate.other) != gate.on
		seen.Count("%s", gateState(gate.name, set[gate.name]))
	}
	return clusterWith(set, nil)
}

// server takes the writes of one plugin.
func (c *cluster) server() *claimserver.Server {
	return &claimserver.Server{Stored: c.claim, NextVersion: c.nextVersion, Fails: func(what, _ string) bool { return what == c.failing }}
}

func gateState(name string, on bool) string { return fmt.Sprintf("gate %s: %v", name, on) }

// clusterWith makes both plugins for gates. The filter timeout is the default if it is nil.
func clusterWith(set map[string]bool, filterTimeout *metav1.Duration) *cluster {
	c := &cluster{store: store.New(), rules: informers.New(), nodes: map[string]*v1.Node{}}
	c.ourWrites, c.theirWrites = c.server(), c.server()
	for name, on := range set {
		if on {
			c.gates = append(c.gates, name)
		}
	}
	slices.Sort(c.gates)
	must(utilfeature.DefaultMutableFeatureGate.SetFromMap(set))
	var err error
	c.features, err = config.ParseFeaturesOf(release.Newest, set)
	must(err)
	c.state = devices.New(c.store, devices.Gates{
		ConsumableCapacity: c.features.Enabled(config.DRAConsumableCapacity), DeviceTaintRules: c.features.Enabled(config.DRADeviceTaintRules),
		ExtendedResources: c.features.Enabled(config.DRAExtendedResource), RulesNeedSelector: c.features.Has(release.DeviceTaintRulesNeedSelector),
		AllocatedParts: c.features.Has(release.AllocatedPartsShared),
	})
	c.makeManager()
	args := config.DefaultArgs(dynamicresources.Name, c.features).(*configv1.DynamicResourcesArgs)
	if args.BindingTimeout != nil {
		args.BindingTimeout.Duration = bindingTimeout
	}
	if filterTimeout != nil {
		args.FilterTimeout = filterTimeout
	}
	ours, err := dynamicresources.New(context.Background(), args, handle{c: c, events: &c.ourEvents}, c.features)
	must(err)
	theirs, err := updynamicresources.New(context.Background(), &upconfig.DynamicResourcesArgs{
		FilterTimeout: args.FilterTimeout, BindingTimeout: args.BindingTimeout,
	}, handle{c: c, events: &c.theirEvents}, feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate))
	must(err)
	c.orrery, c.theirs = ours.(*dynamicresources.DynamicResources), theirs.(*updynamicresources.DynamicResources)
	return c
}

func (c *cluster) makeManager() {
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	objects := c.store.Informers()
	cache := assumecache.NewAssumeCache(klog.Logger{}, objects.Resource().V1().ResourceClaims().Informer(), "ResourceClaim", "", nil)
	slices, err := tracker.StartTracker(ctx, tracker.Options{
		EnableDeviceTaintRules: c.features.Enabled(config.DRADeviceTaintRules), EnableConsumableCapacity: c.features.Enabled(config.DRAConsumableCapacity),
		SliceInformer: objects.Resource().V1().ResourceSlices(), TaintInformer: c.rules.Resource().V1().DeviceTaintRules(),
	})
	must(err)
	theirs := updynamicresources.NewDRAManager(ctx, cache, slices, objects)
	if classes := theirs.DeviceClassResolver().(*extendedresourcecache.ExtendedResourceCache); classes != nil {
		_, err := objects.Resource().V1().DeviceClasses().Informer().AddEventHandler(classes)
		must(err)
	}
	c.manager = &manager{theirs, map[types.UID]*resourcev1.ResourceClaim{}}
}

// apply changes an object on both sides.
func (c *cluster) apply(op world.Op, o world.Object) {
	o = o.DeepCopyObject().(world.Object)
	o.SetResourceVersion(c.nextVersion())
	deltas, err := c.store.Apply(world.Changed{Op: op, Object: o})
	must(err)
	for _, d := range deltas {
		c.state.Changed(d)
	}
	if rule, is := o.(*resourcev1alpha3.DeviceTaintRule); is {
		c.rules.Apply(op, inV1(rule))
	}
}

// inV1 is a rule in version v1, which has the same fields.
func inV1(rule *resourcev1alpha3.DeviceTaintRule) *resourcev1.DeviceTaintRule {
	text, err := json.Marshal(rule)
	must(err)
	read := &resourcev1.DeviceTaintRule{}
	must(json.Unmarshal(text, read))
	return read
}

func (c *cluster) nextVersion() string {
	c.version++
	return strconv.Itoa(c.version)
}

func (c *cluster) claim(name string) *resourcev1.ResourceClaim {
	return c.state.StoredClaim(v1.NamespaceDefault, name)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
