package dynamicresources_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/devices"
	"orrery/core/scheduler/devices/allocate"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/dynamicresources"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// reuse runs a random script: changes of the cluster, and pods that get their verdicts from a plugin that keeps them, from a
// new plugin, and from an allocator that sees all slices and all nodes.
type reuse struct {
	*fixture
	*rand.Rand
	gates  string
	zones  map[string]string // of the nodes
	owned  map[string]bool   // nodes whose device plugin has the extended resource
	forget string            // the kind of changes that are not noticed
	placed []placed          // pods that are not bound yet
	cache  *cache.Cache
	// byClass counts nodes that were evaluated by their classes, pods that were placed so, and those of them with extended resources.
	byClass, placedByClass, extendedByClass int
}

// placed is a pod with claims in flight.
type placed struct {
	pod   *v1.Pod
	state fwk.CycleState
	node  string
}

var (
	reuseNodes   = []string{"n1", "n2", "n3", "n4"}
	reuseClaims  = []string{"c1", "c2", "c3", "c4"}
	reuseClasses = []string{"true", "true", "true", `device.driver == "a.example.com"`, `"model" in device.attributes["b.example.com"]`, "false"}
)

func newReuse(t *testing.T, seed uint64, forget string) *reuse {
	t.Helper()
	r := &reuse{Rand: rand.New(rand.NewPCG(seed, 17)), forget: forget, zones: map[string]string{}, owned: map[string]bool{}}
	var gates []string
	for _, gate := range []string{"DRAConsumableCapacity", "DRAPartitionableDevices", "DRADeviceBindingConditions", "DRAExtendedResource"} {
		if r.IntN(3) == 0 {
			gates = append(gates, gate)
		}
	}
	r.gates = strings.Join(append(gates, "DRADeviceTaints", "DRADeviceTaintRules"), " ")
	r.fixture, r.cache = newFixture(t, r.gates), cache.New()
	r.snapshot = cache.NewSnapshot()
	for _, name := range reuseNodes {
		r.cache.AddNode(r.node(name))
	}
	for i := range 2 {
		r.changeClass(i)
	}
	for i := range 4 {
		r.changeSlice(i)
	}
	for _, name := range reuseClaims {
		r.put(r.claim(name))
	}
	return r
}

// node is a node that at times has the extended resource itself.
func (r *reuse) node(name string) *v1.Node {
	b := mk.Node(name).Zone(r.zones[name])
	if r.owned[name] {
		b.Resource(gpu, "4")
	}
	return b.Obj()
}

func (r *reuse) relabel(name string) {
	r.zones[name] = fmt.Sprint("z", r.IntN(2))
	r.owned[name] = r.IntN(3) == 0
	r.cache.UpdateNode(r.node(name))
}

// nodes are those of the snapshot.
func (r *reuse) nodes() []*v1.Node {
	if err := r.cache.UpdateSnapshot(r.snapshot); err != nil {
		r.t.Fatal(err)
	}
	list, _ := r.snapshot.List()
	var all []*v1.Node
	for _, info := range list {
		all = append(all, info.Node())
	}
	return all
}

// step changes something. It returns what the verdicts differ in; "" if nothing.
func (r *reuse) step() string {
	changes := map[string]func(){
		"slice": func() { r.changeSlice(r.IntN(5)) },
		"class": func() { r.changeClass(r.IntN(2)) },
		"rule":  r.changeRule,
		"claim": func() { r.put(r.claim(reuseClaims[r.IntN(len(reuseClaims))])) },
		"label": func() { r.relabel(reuseNodes[r.IntN(len(reuseNodes))]) },
		"bound": r.finish,
	}
	kind := []string{"slice", "class", "rule", "claim", "label", "bound", "bound", "", "", "", "", "", ""}[r.IntN(13)]
	if kind == "" {
		return r.schedule()
	}
	notice := func() {}
	if kind == r.forget {
		notice = r.plugin.ForgetChange(r.nodes)
	}
	changes[kind]()
	notice()
	if r.forget == "reach" {
		r.plugin.ForgetReach()
	}
	if err := r.state.Check(); err != nil {
		return err.Error()
	}
	return ""
}

// put adds, changes or deletes an object.
func (r *reuse) put(o world.Object) {
	kind := world.KindOf(o)
	held := r.store.Object(kind, o.GetNamespace(), o.GetName())
	switch {
	case held == nil:
		r.apply(world.Added, o)
	case kind == world.ResourceSlice && r.IntN(4) == 0:
		r.apply(world.Deleted, held)
	default:
		r.apply(world.Modified, o)
	}
}

func (r *reuse) changeClass(i int) {
	class := mk.DeviceClass(fmt.Sprint("class", i), reuseClasses[r.IntN(len(reuseClasses))])
	resource := string(gpu)
	class.Spec.ExtendedResourceName = &resource
	r.put(class)
}

func (r *reuse) changeRule() { r.put(r.rule()) }

func (r *reuse) changeSlice(i int) { r.put(r.slice(fmt.Sprint("s", i))) }

// finish binds or gives up the pod that was placed first.
func (r *reuse) finish() {
	if len(r.placed) == 0 {
		return
	}
	first := r.placed[0]
	if r.placed = r.placed[1:]; r.IntN(2) == 0 {
		r.plugin.Unreserve(r.t.Context(), first.state, first.pod, first.node)
		return
	}
	for i := range first.pod.Spec.ResourceClaims {
		held := r.state.StoredClaim("default", *first.pod.Spec.ResourceClaims[i].ResourceClaimName)
		if inFlight := r.state.InFlight(held.UID); inFlight != nil {
			r.put(inFlight)
			r.state.RemoveInFlight(held.UID)
		}
	}
}

func (r *reuse) pod() *v1.Pod {
	name := fmt.Sprint("p", r.IntN(1000))
	b := mk.Pod(name)
	first := r.IntN(len(reuseClaims))
	if r.IntN(4) > 0 {
		b.ResourceClaim(reuseClaims[first])
	}
	if r.IntN(3) == 0 {
		b.ResourceClaim(reuseClaims[(first+1)%len(reuseClaims)])
	}
	if r.IntN(5) == 0 {
		b.Request(gpu, "1")
	}
	return b.Obj()
}

// schedule compares a cycle.
func (r *reuse) schedule() string {
	pod := r.pod()
	state, rejected := r.cycle(pod)
	if rejected != "" {
		return ""
	}
	again := r.newPlugin()
	other := framework.NewCycleState()
	if _, status := again.PreFilter(r.t.Context(), other, pod, nil); !status.IsSuccess() {
		return "a new plugin's PreFilter: " + text(status)
	}
	allocator, nodes := r.oracle(pod), r.nodes()
	classes, byClass := r.plugin.FilterClasses(state)
	var fit []string
	for _, i := range r.Perm(len(nodes)) {
		node, verdict := nodes[i], ""
		var found []resourcev1.AllocationResult
		if byClass {
			if rejection := classes.Verdicts[classes.Classes.Of(i)]; rejection != 0 {
				verdict = text(classes.Rejections[rejection-1])
			} else {
				found = unshared(r.plugin.FoundOn(state, node.Name))
			}
			r.byClass++
		} else {
			verdict = r.filter(state, pod, node)
			found = unshared(dynamicresources.Found(state, node.Name))
		}
		anew := text(again.Filter(r.t.Context(), other, pod, nodeInfo(node)))
		if diff := cmp.Diff(anew, verdict) + cmp.Diff(unshared(dynamicresources.Found(other, node.Name)), found); diff != "" {
			return fmt.Sprintf("node %s, gates %s (-anew +kept):\n%s", node.Name, r.gates, diff)
		}
		if allocator != nil {
			want, got := allocator(node), verdict+describe(found)
			if diff := cmp.Diff(want, got); diff != "" {
				return fmt.Sprintf("node %s, gates %s (-allocator +kept):\n%s", node.Name, r.gates, diff)
			}
		}
		switch {
		case verdict == "":
			fit = append(fit, node.Name)
		case strings.HasPrefix(verdict, "Error"):
			return ""
		}
	}
	if len(fit) > 0 {
		one := placed{pod, state, fit[r.IntN(len(fit))]}
		if status := r.plugin.Reserve(r.t.Context(), state, pod, one.node); !status.IsSuccess() {
			return "Reserve: " + text(status)
		}
		r.placed = append(r.placed, one)
		if byClass {
			r.placedByClass++
			if _, extended := pod.Spec.Containers[0].Resources.Requests[gpu]; extended {
				r.extendedByClass++
			}
		}
		if r.forget == "reach" {
			r.plugin.ForgetReach()
		}
	}
	return ""
}

func (r *reuse) newPlugin() *dynamicresources.DynamicResources {
	set := map[string]bool{}
	for _, gate := range strings.Fields(r.gates) {
		set[gate] = true
	}
	features, err := config.ParseFeatures(set)
	if err != nil {
		r.t.Fatal(err)
	}
	plugin, err := dynamicresources.New(r.t.Context(), config.DefaultArgs(dynamicresources.Name, features), handle{fixture: r.fixture}, features)
	if err != nil {
		r.t.Fatal(err)
	}
	return plugin.(*dynamicresources.DynamicResources)
}

// oracle returns what an allocator finds that has all slices and lasts for the cycle; nil if the pod has other claims than its
// own, or one with devices.
func (r *reuse) oracle(pod *v1.Pod) func(*v1.Node) string {
	has := func(gate string) bool { return strings.Contains(r.gates, gate) }
	if _, extended := pod.Spec.Containers[0].Resources.Requests[gpu]; extended {
		return nil
	}
	var claims []*resourcev1.ResourceClaim
	for i := range pod.Spec.ResourceClaims {
		claim := r.state.Claim("default", *pod.Spec.ResourceClaims[i].ResourceClaimName)
		if claim.Status.Allocation != nil {
			return nil
		}
		claims = append(claims, claim)
	}
	features := allocate.Features{
		AdminAccess: true, PrioritizedList: true, DeviceTaints: true, PartitionableDevices: has("Partitionable"),
		DeviceBindingAndStatus: has("BindingConditions"), ConsumableCapacity: has("ConsumableCapacity"),
	}
	allocator := allocate.New(allocate.Source{
		Features: features, Taken: r.state.Allocated(), Classes: devices.NewManager(r.state).DeviceClasses(),
		Slices: allocate.PrepareAll(r.state.Slices()), Selectors: allocate.NewSelectors(features),
	})
	return func(node *v1.Node) string { return allocated(allocator, node, claims) }
}

func allocated(allocator *allocate.Allocator, node *v1.Node, claims []*resourcev1.ResourceClaim) (verdict string) {
	results, err := allocator.Allocate(context.Background(), nil, node, claims)
	switch {
	case errors.Is(err, allocate.ErrOnNode):
		return "UnschedulableAndUnresolvable: " + err.Error()
	case err != nil:
		return "Error: " + err.Error()
	case len(results) != len(claims):
		return "UnschedulableAndUnresolvable: " + dynamicresources.ReasonCannotAllocate
	}
	return describe(unshared(results))
}

// unshared returns results without the random identifiers of shares.
func unshared(results []resourcev1.AllocationResult) []resourcev1.AllocationResult {
	var all []resourcev1.AllocationResult
	for i := range results {
		one := results[i].DeepCopy()
		for j := range one.Devices.Results {
			if one.Devices.Results[j].ShareID != nil {
				share := types.UID("share")
				one.Devices.Results[j].ShareID = &share
			}
		}
		all = append(all, *one)
	}
	return all
}

func describe(results []resourcev1.AllocationResult) string {
	var all []string
	for i := range results {
		all = append(all, results[i].String())
	}
	return strings.Join(all, "\n")
}

func TestReuse_NeverChangesAnAnswer(t *testing.T) {
	byClass, placedByClass, extended := 0, 0, 0
	for seed := range uint64(150) {
		r := newReuse(t, seed, "")
		for i := range 60 {
			if diff := r.step(); diff != "" {
				t.Fatalf("seed %d, step %d: %s", seed, i, diff)
			}
		}
		byClass, placedByClass, extended = byClass+r.byClass, placedByClass+r.placedByClass, extended+r.extendedByClass
	}
	if byClass < 500 || placedByClass < 50 || extended < 20 {
		t.Errorf("%d nodes were evaluated by their classes, and %d pods placed, %d with extended resources: too few to compare", byClass, placedByClass, extended)
	}
}

// Each kind of change is noticed: without that, some script has other answers.
func TestReuse_NoticesEveryChange(t *testing.T) {
	for _, kind := range []string{"slice", "class", "rule", "claim", "label", "bound", "reach"} {
		t.Run(kind, func(t *testing.T) {
			for seed := range uint64(150) {
				r := newReuse(t, seed, kind)
				for range 60 {
					if r.step() != "" {
						return
					}
				}
			}
			t.Error("no script finds that the change is not noticed")
		})
	}
}

func TestReuse_IsBounded(t *testing.T) {
	const devicesPerNode, manyNodes = 32, 5000
	var names []string
	for i := range devicesPerNode {
		names = append(names, fmt.Sprint(i))
	}
	f := newFixture(t, "", mk.DeviceClass("gpu"))
	for i := range 2 * dynamicresources.MaxRequestSets {
		f.apply(world.Added, mk.ResourceClaim("c").Request(fmt.Sprint("r", i), "gpu", 1).Obj())
		f.found(user(), "n")
		f.apply(world.Deleted, claim().Obj())
	}
	if sets, _ := f.plugin.Kept(); sets != dynamicresources.MaxRequestSets {
		t.Errorf("the verdicts of %d sets of requests are kept, not %d", sets, dynamicresources.MaxRequestSets)
	}
	f.apply(world.Added, claim().All("all", "gpu").Obj())
	state, _ := f.cycle(user())
	for i := range manyNodes {
		node := mk.Node(fmt.Sprint("n", i)).Obj()
		f.apply(world.Added, mk.ResourceSlice(node.Name, driver, node.Name).Node(node.Name).Devices(names...).Obj())
		if verdict := f.filter(state, user(), node); verdict != "" {
			t.Fatalf("node %s: %s", node.Name, verdict)
		}
	}
	if _, kept := f.plugin.Kept(); kept > dynamicresources.MaxKeptDevices || kept < dynamicresources.MaxKeptDevices/2 {
		t.Errorf("verdicts with %d devices are kept, of at most %d", kept, dynamicresources.MaxKeptDevices)
	}
	if got := dynamicresources.Found(state, fmt.Sprint("n", manyNodes-1)); len(got) != 1 || len(got[0].Devices.Results) != devicesPerNode {
		t.Errorf("a verdict that is not kept is %+v", got)
	}
}
