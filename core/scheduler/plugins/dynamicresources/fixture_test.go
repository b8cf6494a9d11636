package dynamicresources_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/devices"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/dynamicresources"
	"orrery/core/scheduler/release"
	"orrery/core/scheduler/store"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

var dawn = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// fixture is the plugin, with what it reads and what it emits.
type fixture struct {
	t         *testing.T
	store     *store.Store
	state     *devices.State
	plugin    *dynamicresources.DynamicResources
	features  config.Features
	now       time.Time
	emitted   []world.Action
	activated []string
	announced []string
	snapshot  *cache.Snapshot // of the nodes; nil without any
}

// handle is what the plugin needs of its handle.
type handle struct {
	fwk.Handle
	*fixture
}

func (h handle) SharedInformerFactory() informers.SharedInformerFactory { return h.store.Informers() }
func (h handle) Devices() *devices.State                                { return h.state }
func (h handle) EventRecorder() events.EventRecorderLogger              { return h.fixture }
func (h handle) IntN(int) int                                           { return 0 }
func (h handle) Now() time.Time                                         { return h.now }

func (h handle) SnapshotSharedLister() fwk.SharedLister {
	if h.snapshot == nil {
		return nil
	}
	return h.snapshot
}

func (h handle) Emit(act world.Action, plugin string) world.EffectID {
	if plugin != dynamicresources.Name {
		h.t.Errorf("an effect of plugin %q", plugin)
	}
	h.emitted = append(h.emitted, act)
	return world.EffectID(len(h.emitted))
}

func (h handle) Activate(_ klog.Logger, pods map[string]*v1.Pod) {
	for name := range pods {
		h.activated = append(h.activated, name)
	}
}

// Eventf records an event.
func (f *fixture) Eventf(_, _ runtime.Object, _, reason, _, note string, args ...any) {
	f.announced = append(f.announced, reason+": "+fmt.Sprintf(note, args...))
}

// newFixture makes the plugin with gates, whose names are separated by spaces; a name after a minus is off.
func newFixture(t *testing.T, gates string, objects ...world.Object) *fixture {
	t.Helper()
	return fixtureOf(t, release.V135, gates, objects...)
}

// fixtureOf makes the plugin of a release.
func fixtureOf(t *testing.T, r release.Release, gates string, objects ...world.Object) *fixture {
	t.Helper()
	set := map[string]bool{}
	for _, gate := range strings.Fields(gates) {
		name, off := strings.CutPrefix(gate, "-")
		set[name] = !off
	}
	features, err := config.ParseFeaturesOf(r, set)
	if err != nil {
		t.Fatal(err)
	}
	s := store.New()
	f := &fixture{t: t, store: s, now: dawn, features: features, state: devices.New(s, devices.Gates{
		ConsumableCapacity: features.Enabled(config.DRAConsumableCapacity), ExtendedResources: features.Enabled(config.DRAExtendedResource),
		DeviceTaintRules: features.Enabled(config.DRADeviceTaintRules), AllocatedParts: features.Has(release.AllocatedPartsShared),
	})}
	f.make(config.DefaultArgs(dynamicresources.Name, features))
	for _, o := range objects {
		f.apply(world.Added, o)
	}
	return f
}

func (f *fixture) make(args runtime.Object) {
	f.t.Helper()
	plugin, err := dynamicresources.New(f.t.Context(), args, handle{fixture: f}, f.features)
	if err != nil {
		f.t.Fatal(err)
	}
	f.plugin = plugin.(*dynamicresources.DynamicResources)
}

// limit makes the plugin anew, with a filter timeout.
func (f *fixture) limit(timeout time.Duration) {
	f.t.Helper()
	f.make(&configv1.DynamicResourcesArgs{FilterTimeout: &metav1.Duration{Duration: timeout}})
}

func (f *fixture) apply(op world.Op, o world.Object) {
	f.t.Helper()
	deltas, err := f.store.Apply(world.Changed{Op: op, Object: o})
	if err != nil {
		f.t.Fatal(err)
	}
	for _, d := range deltas {
		f.state.Changed(d)
	}
}

// cycle begins a cycle; the text is empty if the pod is not rejected.
func (f *fixture) cycle(pod *v1.Pod) (*framework.CycleState, string) {
	state := framework.NewCycleState()
	_, status := f.plugin.PreFilter(f.t.Context(), state, pod, nil)
	return state, text(status)
}

// filter is the verdict on a node.
func (f *fixture) filter(state fwk.CycleState, pod *v1.Pod, node *v1.Node) string {
	f.t.Helper()
	return text(f.plugin.Filter(f.t.Context(), state, pod, nodeInfo(node)))
}

// found are the devices that a pod gets on a node, or the rejection.
func (f *fixture) found(pod *v1.Pod, node string) string {
	f.t.Helper()
	state, rejected := f.cycle(pod)
	if rejected == "" {
		rejected = f.filter(state, pod, mk.Node(node).Obj())
	}
	if rejected != "" {
		return rejected
	}
	if status := f.plugin.Reserve(f.t.Context(), state, pod, node); !status.IsSuccess() {
		return text(status)
	}
	defer f.plugin.Unreserve(f.t.Context(), state, pod, node)
	var all []string
	for _, c := range pod.Spec.ResourceClaims {
		claim := f.state.Claim(pod.Namespace, *c.ResourceClaimName)
		if inFlight := f.state.InFlight(claim.UID); inFlight != nil {
			claim = inFlight
		}
		all = append(all, deviceNames(claim))
	}
	return strings.Join(all, "; ")
}

// deviceNames are the devices of a claim, with their requests.
func deviceNames(claim *resourcev1.ResourceClaim) string {
	var names []string
	for _, result := range claim.Status.Allocation.Devices.Results {
		names = append(names, result.Request+"="+result.Pool+"/"+result.Device)
	}
	return strings.Join(names, " ")
}

func text(status *fwk.Status) string {
	switch {
	case status.IsSuccess():
		return ""
	case status.IsSkip():
		return "Skip"
	}
	return status.Code().String() + ": " + status.Message()
}

func nodeInfo(node *v1.Node) fwk.NodeInfo {
	info := cache.NewNodeInfo()
	info.SetNode(node)
	return info
}

const driver = "d.example.com"

// gpus are slices of two nodes: n has the pools a and b with two devices each, m has one device of another model.
func gpus() []world.Object {
	return []world.Object{
		mk.DeviceClass("gpu", `device.driver == "d.example.com"`),
		mk.DeviceClass("big", `device.attributes["d.example.com"].model == "big"`),
		mk.ResourceSlice("s3", driver, "b").Node("n").Devices("3").Attribute("model", "small").Devices("4").Attribute("model", "big").Obj(),
		mk.ResourceSlice("s1", driver, "a").Node("n").Devices("1").Attribute("model", "small").Devices("2").Attribute("model", "small").Obj(),
		mk.ResourceSlice("s5", driver, "c").Node("m").Devices("5").Attribute("model", "small").Obj(),
	}
}

func (f *fixture) WithLogger(klog.Logger) events.EventRecorderLogger { return f }
